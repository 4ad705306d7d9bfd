#include "src/transfers/array/strided.hpp"

#include <fmt/format.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <climits>
#include <cstring>

#include "src/transfers/core/on_all_cores.hpp"
#include "transfers/core/error.hpp"

namespace transfers::detail {
namespace {

/// Copies elements of a size known to the compiler, or not known (0).
template <std::size_t known_bytes>
struct copy_tile {
  // Small enough that rows and columns of a tile stay in the first-level cache.
  static constexpr std::size_t tile = 64;
  // Elements along the inner index that one thread does in one go.
  static constexpr std::size_t piece = 4096;

  std::byte* to;
  const std::byte* from;
  std::vector<dimension> outer;
  dimension across;  ///< the index with the smallest step in `from`, when that is not the inner one
  dimension inner;   ///< the index with the smallest step in `to`
  std::size_t element_bytes;

  [[nodiscard]] std::size_t pieces() const { return (inner.extent + piece - 1) / piece; }
  [[nodiscard]] std::size_t tiles_across() const { return (across.extent + tile - 1) / tile; }
  [[nodiscard]] std::size_t tasks() const {
    std::size_t count = pieces() * tiles_across();
    for (const auto& one : outer) count *= one.extent;
    return count;
  }

  void operator()(std::size_t task) const {
    const auto first = task % pieces() * piece;
    task /= pieces();
    const auto first_across = task % tiles_across() * tile;
    task /= tiles_across();
    auto* destination = to;
    const auto* source = from;
    for (const auto& one : outer) {
      const auto index = task % one.extent;
      task /= one.extent;
      destination += index * one.to_step;
      source += index * one.from_step;
    }
    const auto last = std::min(first + piece, inner.extent);
    const auto last_across = std::min(first_across + tile, across.extent);
    const auto run = across.extent == 1 ? piece : tile;
    for (auto i = first; i < last; i += run)
      for (auto j = first_across; j < last_across; ++j)
        copy_run(destination + j * across.to_step + i * inner.to_step,
                 source + j * across.from_step + i * inner.from_step, std::min(run, last - i));
  }

  void copy_run(std::byte* destination, const std::byte* source, std::size_t elements) const {
    const auto bytes = known_bytes == 0 ? element_bytes : known_bytes;
    if (inner.to_step == bytes && inner.from_step == bytes) {
      std::memcpy(destination, source, elements * bytes);
      return;
    }
    for (std::size_t i = 0; i < elements; ++i)
      std::memcpy(destination + i * inner.to_step, source + i * inner.from_step, bytes);
  }
};

template <std::size_t known_bytes>
void gather_elements(std::byte* to, const std::byte* from, std::span<const dimension> dimensions,
                     std::size_t element_bytes) {
  copy_tile<known_bytes> tiles{to, from, {}, {1, 0, 0}, {1, 0, 0}, element_bytes};
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
  for (const auto& one : dimensions) bytes *= one.extent;
  on_all_cores(bytes, [&](const auto& policy) {
    thrust::for_each_n(policy, thrust::counting_iterator<std::size_t>(0), tiles.tasks(),
                       std::cref(tiles));
  });
}

/// What the copy engine can do by itself: rows, or a stack of them.
struct pitched_copy {
  pitched_extent extent;
  std::size_t to_row, to_slice, from_row, from_slice;  ///< pitches in bytes
};

std::optional<pitched_copy> as_pitched(std::vector<dimension> dimensions,
                                       std::size_t element_bytes) {
  pitched_copy copy{};
  copy.extent.row_bytes = element_bytes;
  const auto contiguous = [&](const dimension& one) {
    return one.to_step == element_bytes && one.from_step == element_bytes;
  };
  if (!dimensions.empty() && contiguous(dimensions.back())) {
    copy.extent.row_bytes *= dimensions.back().extent;
    dimensions.pop_back();
  }
  if (dimensions.size() > 2) return std::nullopt;
  copy.to_row = copy.from_row = copy.extent.row_bytes;
  if (!dimensions.empty()) {
    copy.extent.rows = dimensions.back().extent;
    copy.to_row = dimensions.back().to_step;
    copy.from_row = dimensions.back().from_step;
    dimensions.pop_back();
  }
  copy.to_slice = copy.to_row * copy.extent.rows;
  copy.from_slice = copy.from_row * copy.extent.rows;
  if (!dimensions.empty()) {
    copy.extent.slices = dimensions.back().extent;
    copy.to_slice = dimensions.back().to_step;
    copy.from_slice = dimensions.back().from_step;
  }
  const auto stacked = [&](std::size_t row, std::size_t slice) {
    constexpr std::size_t largest_pitch = INT_MAX;  // cudaDevAttrMaxPitch
    return row >= copy.extent.row_bytes && slice % row == 0 && slice >= row * copy.extent.rows &&
           (copy.extent.rows * copy.extent.slices == 1 || row <= largest_pitch);
  };
  if (!stacked(copy.to_row, copy.to_slice) || !stacked(copy.from_row, copy.from_slice))
    return std::nullopt;
  return copy;
}

/// The dimensions with the device as destination; turned round for downloads.
std::vector<dimension> dimensions_of(const strided_copy& what) {
  const auto on_device = strides_of(what.extents, what.device_order);
  std::vector<dimension> all;
  for (std::size_t i = 0; i < what.extents.rank(); ++i)
    all.push_back({what.extents[i], static_cast<std::size_t>(on_device[i]) * what.element_bytes,
                   static_cast<std::size_t>(what.host_strides[i]) * what.element_bytes});
  return joined_dimensions(std::move(all));
}

std::vector<dimension> turned_round(std::vector<dimension> all) {
  for (auto& one : all) std::swap(one.to_step, one.from_step);
  return all;
}

/// Whether cudaMemcpy2D or 3D is faster than packing (docs/GPU_ARRAYS.md, "Strided arrays"): the
/// copy engine does rows of a cache line well. Where the driver stages the rows, it is slow with
/// much of them, and with short ones on their way back.
bool better_pitched(const context& in, const strided_copy& what, direction way,
                    const pitched_copy& rows) {
  if (rows.extent.rows * rows.extent.slices == 1) return true;
  constexpr std::size_t cache_line = 64;
  constexpr std::size_t staged_row_back = 512;
  constexpr std::size_t staged_bytes = std::size_t{32} << 20;
  const bool directly = in.device().copies_directly(what.host);
  const auto bytes = what.extents.elements() * what.element_bytes;
  if (!directly && bytes >= staged_bytes) return false;
  return rows.extent.row_bytes >=
         (directly || way == direction::h2d ? cache_line : staged_row_back);
}

/// Calls `pitched(copy)` or `packed(dimensions, bytes)`.
template <class Pitched, class Packed>
void take_route(const context& in, const strided_copy& what, direction way, strided_route by,
                Pitched&& pitched, Packed&& packed) {
  const auto bytes = what.extents.elements() * what.element_bytes;
  if (bytes == 0) return;
  const auto dimensions = dimensions_of(what);
  const auto rows = as_pitched(dimensions, what.element_bytes);
  if (by == strided_route::pitched && !rows)
    throw unsupported(fmt::format(
        "no row of a view of shape {} is contiguous on host and device, or its slices are not "
        "whole rows apart: cudaMemcpy3D cannot copy it",
        to_string(what.extents)));
  if (by == strided_route::pitched ||
      (by == strided_route::automatic && rows && better_pitched(in, what, way, *rows)))
    pitched(*rows);
  else
    packed(dimensions, bytes);
}

}  // namespace

std::vector<dimension> joined_dimensions(std::vector<dimension> all) {
  std::erase_if(all, [](const auto& one) { return one.extent == 1; });
  std::ranges::sort(all, std::greater{}, &dimension::to_step);
  std::vector<dimension> joined;
  for (const auto& one : all) {
    const bool continues = !joined.empty() && joined.back().to_step == one.to_step * one.extent &&
                           joined.back().from_step == one.from_step * one.extent;
    if (continues)
      joined.back() = {joined.back().extent * one.extent, one.to_step, one.from_step};
    else
      joined.push_back(one);
  }
  return joined;
}

void gather(std::byte* to, const std::byte* from, std::span<const dimension> dimensions,
            std::size_t element_bytes) {
  switch (element_bytes) {
    case 1: return gather_elements<1>(to, from, dimensions, element_bytes);
    case 2: return gather_elements<2>(to, from, dimensions, element_bytes);
    case 4: return gather_elements<4>(to, from, dimensions, element_bytes);
    case 8: return gather_elements<8>(to, from, dimensions, element_bytes);
    case 16: return gather_elements<16>(to, from, dimensions, element_bytes);
    default: return gather_elements<0>(to, from, dimensions, element_bytes);
  }
}

void upload(const context& in, const strided_copy& what, strided_route by) {
  take_route(
      in, what, direction::h2d, by,
      [&](const pitched_copy& rows) {
        in.stream().copy_pitched({what.device, rows.to_row, rows.to_slice},
                                 {what.host, rows.from_row, rows.from_slice}, rows.extent,
                                 direction::h2d);
      },
      [&](const std::vector<dimension>& dimensions, std::size_t bytes) {
        const auto packed = in.allocate_staging(bytes);
        gather(packed.data(), what.host, dimensions, what.element_bytes);
        in.stream().copy(what.device, packed.data(), bytes, direction::h2d);
      });
}

void download(const context& in, const strided_copy& what, strided_route by) {
  take_route(
      in, what, direction::d2h, by,
      [&](const pitched_copy& rows) {
        in.stream().copy_pitched({what.host, rows.from_row, rows.from_slice},
                                 {what.device, rows.to_row, rows.to_slice}, rows.extent,
                                 direction::d2h);
        in.synchronize();
      },
      [&](const std::vector<dimension>& dimensions, std::size_t bytes) {
        const auto packed = in.allocate_staging(bytes);
        in.stream().copy(packed.data(), what.device, bytes, direction::d2h);
        in.synchronize();
        gather(what.host, packed.data(), joined_dimensions(turned_round(dimensions)),
               what.element_bytes);
      });
}

void check_alike(const shape& a, order a_order, const shape& b, order b_order) {
  if (a != b)
    throw shape_mismatch(fmt::format("shapes {} and {} differ", to_string(a), to_string(b)));
  // For up to one index the orders are the same thing.
  if (a_order != b_order && a.rank() > 1)
    throw shape_mismatch(
        fmt::format("one array of shape {} is row-major, the other column-major", to_string(a)));
}

void check_same_context(const context& a, const context& b) {
  if (a == b) return;
  throw std::invalid_argument(
      "arrays of different contexts: their work is not in one order; copy one of them over");
}

}  // namespace transfers::detail
