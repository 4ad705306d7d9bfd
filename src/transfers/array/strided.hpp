#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "transfers/array/gpu_array.hpp"

namespace transfers::detail {

/// One index of a copy between two layouts. Steps in bytes.
struct dimension {
  std::size_t extent;
  std::size_t to_step, from_step;
};

/// The dimensions of such a copy, largest to_step first, joined where both sides allow it. Indices
/// with one value are left out; none are left for a single element.
std::vector<dimension> joined_dimensions(std::vector<dimension> all);

/// Copies between two layouts on all cores. Returns when done.
void gather(std::byte* dst, const std::byte* src, std::span<const dimension> dimensions,
            std::size_t element_bytes);

}  // namespace transfers::detail
