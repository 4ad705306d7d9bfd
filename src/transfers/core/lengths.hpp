#pragma once

#include <cstddef>
#include <stdexcept>

namespace transfers::detail {

/// Of the three lists of stream::copy_batch. Throws std::invalid_argument unless they are alike.
inline void check_lengths(std::size_t destinations, std::size_t sources, std::size_t sizes) {
  if (destinations != sizes || sources != sizes)
    throw std::invalid_argument("a batch of copies needs as many sources, destinations and sizes");
}

}  // namespace transfers::detail
