#include <cmath>

#include "bench/strategy/elements.hpp"
#include "bench/strategy/strategy.hpp"
#include "bench/verification/pattern.hpp"
#include "transfers/array/gpu_array.hpp"

namespace bench_transfers::bench::strided_strategies {
namespace {

using transfers::direction;
using transfers::gpu_array;
using transfers::strided_route;

/// A matrix of float32 inside a larger block of host memory.
struct layout {
  transfers::shape shape;
  std::array<std::ptrdiff_t, 2> strides;  ///< in elements

  [[nodiscard]] std::size_t offset(std::size_t i) const {
    return i / shape[1] * static_cast<std::size_t>(strides[0]) +
           i % shape[1] * static_cast<std::size_t>(strides[1]);
  }
  /// The index of the element at an offset; nullopt between elements.
  [[nodiscard]] std::optional<std::size_t> index_at(std::size_t offset) const {
    const bool transposed = strides[1] > strides[0];
    const auto far = static_cast<std::size_t>(std::max(strides[0], strides[1]));
    const auto near = static_cast<std::size_t>(std::min(strides[0], strides[1]));
    const auto outer = offset / far;
    const auto inner = offset % far / near;
    if (offset % far % near != 0 || inner >= shape[transposed ? 0 : 1]) return std::nullopt;
    return transposed ? inner * shape[1] + outer : outer * shape[1] + inner;
  }
  [[nodiscard]] std::size_t reach() const { return offset(shape.elements() - 1) + 1; }
};

constexpr std::size_t row = 256;  // elements, 1 KiB
constexpr std::size_t short_row = 16;

layout layout_of(std::string_view name, std::size_t bytes) {
  const auto elements = bytes / sizeof(float);
  if (name == "row_pitch") return {{elements / row, row}, {row + row / 4, 1}};
  if (name == "short_row_pitch")
    return {{elements / short_row, short_row}, {short_row + short_row / 4, 1}};
  if (name == "every_second_column") return {{elements / row, row}, {2 * row, 2}};
  // A transposed matrix, as square as it can be.
  const auto rows = std::size_t{1} << (std::bit_width(elements) - 1) / 2;
  return {{rows, elements / rows}, {1, static_cast<std::ptrdiff_t>(rows)}};
}

transfer prepare(const job& task, transfers::host_memory_kind kind, std::string_view name,
                 strided_route route) {
  const auto direction = task.direction;
  const auto layout = layout_of(name, task.bytes);
  auto host = host_payload(task, kind);
  host.bytes = layout.reach() * sizeof(float);
  const auto memory = elements_of<float>(host);
  const transfers::strided_view<float> view(memory, layout.shape,
                                            {layout.strides[0], layout.strides[1]});
  const auto array = std::make_shared<gpu_array<float>>(
      transfers::context(task.device, task.stream), layout.shape);

  transfer copy;
  copy.amount.bytes = array->bytes();
  if (direction == direction::h2d) {
    copy.source = host;
    copy.destination = own_payload(*array);
    copy.steps = {{"copy", [array, view, route] { array->set(view, route); }}};
    copy.check.compare = [array, layout, memory] {
      const auto arrived = contents_of(*array);
      return find_wrong_element<float>(arrived,
                                       [&](std::size_t i) { return memory[layout.offset(i)]; });
    };
    return copy;
  }
  write_pattern(task.device, own_payload(*array), task.memory.pattern());
  copy.destination = host;
  copy.steps = {{"copy", [array, view, route] { array->get(view, route); }}};
  copy.check.compare = [layout, memory, &blocks = task.memory] {
    // The memory between the elements must still be poisoned.
    const auto filled_buffer = [](std::size_t elements, bench::pattern pattern) {
      transfers::host_buffer<float> buffer(elements);
      write_host_pattern(reinterpret_cast<std::byte*>(buffer.data()), 0, elements * sizeof(float),
                         pattern);
      return buffer;
    };
    const auto sent = filled_buffer(layout.shape.elements(), blocks.pattern());
    const auto poison = filled_buffer(memory.size(), blocks.pattern(true));
    return find_wrong_element<float>(memory, [&](std::size_t offset) {
      const auto i = layout.index_at(offset);
      return i ? sent[*i] : poison[offset];
    });
  };
  return copy;
}

void add(const std::string& name, const std::string& summary, strided_route route) {
  const bool packed = route == strided_route::packed;
  registration{host_memory_family{
      .common = {.family = "strided",
                 .parts = {setting(name), method(packed ? "packed" : "memcpy2d")},
                 .summary = summary + (packed ? ", packed by the CPU" : ", cudaMemcpy2D"),
                 .variants = both_directions(),
                 .role = roles::strided_copy,
                 .plainness = packed ? 0U : 1U,
                 // More: the matrix with its gaps, up to twice as large, and the packed elements.
                 .needs = {.host_payloads = 2, .more_host_memory = 3, .more_device_memory = 3},
                 .sampling = {.smallest = row * sizeof(float),
                              .largest = std::size_t{256} << 20,
                              .cold = false}},
      .kinds = {transfers::pageable, transfers::pinned()},
      .prepare = [name, route](const job& task, transfers::host_memory_kind kind) {
        return prepare(task, kind, name, route);
      }}};
}

const struct strided_strategies {
  strided_strategies() {
    const std::string rows = "rows of 1 KiB, 0.25 KiB apart";
    const std::string short_rows = "rows of 64 bytes, 16 apart";
    const std::string columns = "every second column of a float32 matrix";
    add("row_pitch", rows, strided_route::pitched);
    add("row_pitch", rows, strided_route::packed);
    add("short_row_pitch", short_rows, strided_route::pitched);
    add("short_row_pitch", short_rows, strided_route::packed);
    add("every_second_column", columns, strided_route::pitched);
    add("every_second_column", columns, strided_route::packed);
    add("transposed", "a transposed float32 matrix", strided_route::packed);
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench::strided_strategies
