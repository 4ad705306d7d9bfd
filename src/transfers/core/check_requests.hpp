#pragma once

#include <cstddef>
#include <string>

#include "transfers/core/error.hpp"
#include "transfers/core/stream.hpp"

namespace transfers::detail {

/// Throws invalid_argument unless the three lists of stream::copy_batch have the same length.
inline void check_lengths(std::size_t destinations, std::size_t sources, std::size_t sizes) {
  if (destinations != sizes || sources != sizes)
    throw invalid_argument("a batch of copies needs as many sources, destinations and sizes");
}

/// Throws invalid_argument for elements that stream::fill() refuses.
inline void check_fill(std::size_t element_bytes) {
  switch (element_bytes) {
    case 1:
    case 2:
    case 4:
    case 8:
    case 16: return;
    default:
      throw invalid_argument("elements of " + std::to_string(element_bytes) +
                             " bytes: only those of 1, 2, 4, 8 and 16 can fill memory");
  }
}

/// Throws invalid_argument for types that are only stored.
inline void check_arithmetic(element_type type) {
  switch (type) {
    case element_type::int8:
    case element_type::uint8:
    case element_type::int16:
    case element_type::uint16:
    case element_type::float16:
      throw invalid_argument("integers of 8 and 16 bits and float16 have no arithmetic");
    default: return;
  }
}

/// Throws invalid_argument for reductions that have no result.
inline void check_reduction(const reduction& request) {
  check_arithmetic(request.type);
  if (request.elements > 0) return;
  if (request.operation == reduction_operation::min)
    throw invalid_argument("an empty array has no minimum");
  if (request.operation == reduction_operation::max)
    throw invalid_argument("an empty array has no maximum");
}

}  // namespace transfers::detail
