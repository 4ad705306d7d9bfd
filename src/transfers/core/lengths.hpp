#pragma once

#include <cstddef>
#include <stdexcept>

#include "transfers/core/error.hpp"

namespace transfers::detail {

/// Throws invalid_argument unless the three lists of stream::copy_batch have the same length.
inline void check_lengths(std::size_t destinations, std::size_t sources, std::size_t sizes) {
  if (destinations != sizes || sources != sizes)
    throw invalid_argument("a batch of copies needs as many sources, destinations and sizes");
}

}  // namespace transfers::detail
