#include "transfers/array/gpu_array.hpp"

#include <fmt/format.h>

#include <climits>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "src/transfers/array/host_loops.hpp"
#include "src/transfers/array/strided.hpp"
#include "src/transfers/core/on_all_cores.hpp"
#include "transfers/core/error.hpp"

namespace transfers::detail {
namespace {

/// A copy that the copy engine can do by itself: rows, or a stack of them.
struct pitched_copy {
  pitched_extent extent;
  std::size_t to_row, to_slice, from_row, from_slice;  ///< pitches in bytes
};

std::optional<pitched_copy> as_pitched(std::vector<dimension> dimensions,
                                       std::size_t element_bytes) {
  pitched_copy copy{};
  copy.extent.row_bytes = element_bytes;
  const auto contiguous = [&](const dimension& axis) {
    return axis.to_step == element_bytes && axis.from_step == element_bytes;
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

/// The dimensions with the device as destination; downloads swap the ends.
std::vector<dimension> dimensions_of(const strided_host& host, order device_order) {
  const auto on_device = strides_of(host.extents, device_order);
  std::vector<dimension> dimensions;
  for (std::size_t i = 0; i < host.extents.rank(); ++i)
    dimensions.push_back({host.extents[i],
                          static_cast<std::size_t>(on_device[i]) * host.element_bytes,
                          static_cast<std::size_t>(host.strides[i]) * host.element_bytes});
  return joined_dimensions(std::move(dimensions));
}

std::vector<dimension> with_ends_swapped(std::vector<dimension> dimensions) {
  for (auto& axis : dimensions) std::swap(axis.to_step, axis.from_step);
  return dimensions;
}

/// Whether cudaMemcpy2D or 3D is faster than packing (docs/GPU_ARRAYS.md, "Strided arrays"): the
/// copy engine is fast with rows of a cache line or more. If the driver stages the rows, it is slow
/// with many of them, and with short ones from the device.
bool better_pitched(const context& context, const strided_host& host, direction direction,
                    const pitched_copy& rows) {
  if (rows.extent.rows * rows.extent.slices == 1) return true;
  constexpr std::size_t cache_line = 64;
  constexpr std::size_t staged_row_back = 512;
  constexpr std::size_t staged_bytes = std::size_t{32} << 20;
  const bool directly = context.device().copies_directly(host.data);
  const auto bytes = host.extents.elements() * host.element_bytes;
  if (!directly && bytes >= staged_bytes) return false;
  return rows.extent.row_bytes >=
         (directly || direction == direction::h2d ? cache_line : staged_row_back);
}

/// Calls `pitched(copy)` or `packed(dimensions, bytes)`.
template <class Pitched, class Packed>
void take_route(const context& context, const strided_host& host, order device_order,
                direction direction, strided_route route, Pitched&& pitched, Packed&& packed) {
  const auto bytes = host.extents.elements() * host.element_bytes;
  if (bytes == 0) return;
  const auto dimensions = dimensions_of(host, device_order);
  const auto rows = as_pitched(dimensions, host.element_bytes);
  if (route == strided_route::pitched && !rows)
    throw unsupported(fmt::format(
        "no row of a view of shape {} is contiguous on host and device, or its slices are not "
        "whole rows apart: cudaMemcpy3D cannot copy it",
        to_string(host.extents)));
  if (route == strided_route::pitched || (route == strided_route::automatic && rows &&
                                          better_pitched(context, host, direction, *rows)))
    pitched(*rows);
  else
    packed(dimensions, bytes);
}

}  // namespace

void upload(const context& context, const strided_copy<std::byte>& request, strided_route route) {
  take_route(
      context, request.host, request.device_order, direction::h2d, route,
      [&](const pitched_copy& rows) {
        context.stream().copy_pitched({request.device, rows.to_row, rows.to_slice},
                                      {request.host.data, rows.from_row, rows.from_slice},
                                      rows.extent, direction::h2d);
      },
      [&](const std::vector<dimension>& dimensions, std::size_t bytes) {
        const auto packed = context.allocate_staging(bytes);
        gather(packed.data(), request.host.data, dimensions, request.host.element_bytes);
        context.stream().copy(request.device, packed.data(), bytes, direction::h2d);
      });
}

void download(const context& context, const strided_copy<const std::byte>& request,
              strided_route route) {
  take_route(
      context, request.host, request.device_order, direction::d2h, route,
      [&](const pitched_copy& rows) {
        context.stream().copy_pitched({request.host.data, rows.from_row, rows.from_slice},
                                      {request.device, rows.to_row, rows.to_slice}, rows.extent,
                                      direction::d2h);
        context.synchronize();
      },
      [&](const std::vector<dimension>& dimensions, std::size_t bytes) {
        const auto packed = context.allocate_staging(bytes);
        context.stream().copy(packed.data(), request.device, bytes, direction::d2h);
        context.synchronize();
        gather(request.host.data, packed.data(), joined_dimensions(with_ends_swapped(dimensions)),
               request.host.element_bytes);
      });
}

void check_alike(const shape& a, order a_order, const shape& b, order b_order) {
  if (a != b)
    throw shape_mismatch(fmt::format("shapes {} and {} differ", to_string(a), to_string(b)));
  // With at most one index, both orders are the same.
  if (a_order != b_order && a.rank() > 1)
    throw shape_mismatch(
        fmt::format("one array of shape {} is row-major, the other column-major", to_string(a)));
}

void check_same_context(const context& a, const context& b) {
  if (a == b) return;
  throw invalid_argument(
      "arrays of different contexts: their work is not in one order; copy one of them with "
      "copy(context)");
}

void throw_moved_from() {
  throw invalid_argument("this array has been moved from: it has no elements any more");
}

void convert_on_host(const conversion& request) { convert(host_loops(on_all_cores), request); }

}  // namespace transfers::detail
