#include "src/transfers/array/strided.hpp"

#include <algorithm>
#include <cstring>

#include "src/transfers/core/on_all_cores.hpp"

namespace transfers::detail {
namespace {

/// Copies elements of a size that the compiler knows; 0 if it does not.
template <std::size_t known_bytes>
struct copy_tile {
  // Small enough that rows and columns of a tile stay in the first-level cache.
  static constexpr std::size_t tile = 64;
  // Elements along the inner index that are one task for a thread.
  static constexpr std::size_t piece = 4096;

  std::byte* dst;
  const std::byte* src;
  std::vector<dimension> outer;
  dimension across;  ///< the index with the smallest step in `src`, if that is not `inner`
  dimension inner;   ///< the index with the smallest step in `dst`
  std::size_t element_bytes;

  [[nodiscard]] std::size_t pieces() const { return (inner.extent + piece - 1) / piece; }
  [[nodiscard]] std::size_t tiles_across() const { return (across.extent + tile - 1) / tile; }
  [[nodiscard]] std::size_t tasks() const {
    std::size_t count = pieces() * tiles_across();
    for (const auto& axis : outer) count *= axis.extent;
    return count;
  }

  void operator()(std::size_t task) const {
    const auto first = task % pieces() * piece;
    task /= pieces();
    const auto first_across = task % tiles_across() * tile;
    task /= tiles_across();
    auto* dst_run = dst;
    const auto* src_run = src;
    for (const auto& axis : outer) {
      const auto index = task % axis.extent;
      task /= axis.extent;
      dst_run += index * axis.to_step;
      src_run += index * axis.from_step;
    }
    const auto last = std::min(first + piece, inner.extent);
    const auto last_across = std::min(first_across + tile, across.extent);
    const auto run = across.extent == 1 ? piece : tile;
    for (auto i = first; i < last; i += run)
      for (auto j = first_across; j < last_across; ++j)
        copy_run(dst_run + j * across.to_step + i * inner.to_step,
                 src_run + j * across.from_step + i * inner.from_step, std::min(run, last - i));
  }

  void copy_run(std::byte* dst_run, const std::byte* src_run, std::size_t elements) const {
    const auto bytes = known_bytes == 0 ? element_bytes : known_bytes;
    if (inner.to_step == bytes && inner.from_step == bytes) {
      std::memcpy(dst_run, src_run, elements * bytes);
      return;
    }
    for (std::size_t i = 0; i < elements; ++i)
      std::memcpy(dst_run + i * inner.to_step, src_run + i * inner.from_step, bytes);
  }
};

template <std::size_t known_bytes>
void gather_elements(std::byte* dst, const std::byte* src, std::span<const dimension> dimensions,
                     std::size_t element_bytes) {
  copy_tile<known_bytes> tiles{dst, src, {}, {1, 0, 0}, {1, 0, 0}, element_bytes};
  tiles.outer.assign(dimensions.begin(), dimensions.end());
  if (!tiles.outer.empty()) {
    tiles.inner = tiles.outer.back();
    tiles.outer.pop_back();
  }
  const auto nearest = std::ranges::min_element(tiles.outer, {}, &dimension::from_step);
  if (nearest != tiles.outer.end() && nearest->from_step < tiles.inner.from_step) {
    tiles.across = *nearest;
    tiles.outer.erase(nearest);
  }
  std::size_t bytes = element_bytes;
  for (const auto& axis : dimensions) bytes *= axis.extent;
  on_all_cores(tiles.tasks(), bytes, [&](std::size_t first, std::size_t count) {
    for (auto task = first; task < first + count; ++task) tiles(task);
  });
}

}  // namespace

std::vector<dimension> joined_dimensions(std::vector<dimension> dimensions) {
  std::erase_if(dimensions, [](const auto& axis) { return axis.extent == 1; });
  std::ranges::sort(dimensions, std::greater{}, &dimension::to_step);
  std::vector<dimension> joined;
  for (const auto& axis : dimensions) {
    const bool continues = !joined.empty() && joined.back().to_step == axis.to_step * axis.extent &&
                           joined.back().from_step == axis.from_step * axis.extent;
    if (continues)
      joined.back() = {joined.back().extent * axis.extent, axis.to_step, axis.from_step};
    else
      joined.push_back(axis);
  }
  return joined;
}

void gather(std::byte* dst, const std::byte* src, std::span<const dimension> dimensions,
            std::size_t element_bytes) {
  switch (element_bytes) {
    case 1: return gather_elements<1>(dst, src, dimensions, element_bytes);
    case 2: return gather_elements<2>(dst, src, dimensions, element_bytes);
    case 4: return gather_elements<4>(dst, src, dimensions, element_bytes);
    case 8: return gather_elements<8>(dst, src, dimensions, element_bytes);
    case 16: return gather_elements<16>(dst, src, dimensions, element_bytes);
    default: return gather_elements<0>(dst, src, dimensions, element_bytes);
  }
}

}  // namespace transfers::detail
