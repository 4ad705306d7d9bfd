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

/// The dimensions of a copy, largest to_step first, joined where both sides allow it. Indices of
/// extent 1 are omitted, so a single element has no dimensions.
std::vector<dimension> joined_dimensions(std::vector<dimension> dimensions);

/// Copies between two layouts, many bytes on all cores that other calls leave free. Returns when
/// done.
void gather(std::byte* dst, const std::byte* src, std::span<const dimension> dimensions,
            std::size_t element_bytes);

}  // namespace transfers::detail
