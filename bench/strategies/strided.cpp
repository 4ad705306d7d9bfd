#include <cmath>

#include "directions.hpp"
#include "elements.hpp"
#include "transfers/gpu_array.hpp"

namespace bench {
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
  [[nodiscard]] std::size_t reach() const { return offset(shape.elements() - 1) + 1; }
};

constexpr std::size_t row = 256;  // elements, 1 KiB

layout layout_of(std::string_view name, std::size_t bytes) {
  const auto elements = bytes / sizeof(float);
  if (name == "row_pitch") return {{elements / row, row}, {row + row / 4, 1}};
  if (name == "every_second_column") return {{elements / row, row}, {2 * row, 2}};
  // A transposed matrix, as square as it can be.
  const auto rows = std::size_t{1} << (std::bit_width(elements) - 1) / 2;
  return {{rows, elements / rows}, {1, static_cast<std::ptrdiff_t>(rows)}};
}

transfer prepare(const job& wanted, transfers::host_memory_kind kind, std::string_view name,
                 strided_route route) {
  const auto way = direction_of(wanted.variant);
  const auto where = layout_of(name, wanted.bytes);
  auto host = host_payload(wanted, kind);
  host.bytes = where.reach() * sizeof(float);
  const auto memory = elements_of<float>(host);
  const transfers::strided_view<float> view(memory, where.shape,
                                            {where.strides[0], where.strides[1]});
  const auto array = std::make_shared<gpu_array<float>>(
      transfers::context(wanted.device, wanted.stream), where.shape);

  transfer copy;
  copy.bytes = array->bytes();
  if (way == direction::h2d) {
    copy.source = host;
    copy.destination = own_payload(std::span(array->data(), array->size()), true);
    copy.steps = {{"copy", [array, view, route] { array->set(view, route); }}};
    copy.verify = [array, where, memory] {
      const auto arrived = array->get();
      return find_wrong_element<float>({arrived.data(), arrived.size()},
                                       [&](std::size_t i) { return memory[where.offset(i)]; });
    };
    return copy;
  }
  wanted.device.write_pattern(reinterpret_cast<std::byte*>(array->data()), 0, array->bytes(),
                              wanted.memory.pattern());
  copy.destination = host;
  copy.steps = {{"copy", [array, view, route] { array->get(view, route); }}};
  copy.verify = [array, where, memory, pattern = wanted.memory.pattern(true)] {
    // What lies between the elements must still be poisoned.
    const auto sent = array->get();
    std::vector<float> expected(memory.size());
    transfers::write_host_pattern(reinterpret_cast<std::byte*>(expected.data()), 0,
                                  memory.size_bytes(), pattern);
    for (std::size_t i = 0; i < sent.size(); ++i) expected[where.offset(i)] = sent[i];
    return find_wrong_element<float>(memory, [&](std::size_t i) { return expected[i]; });
  };
  return copy;
}

void add(const std::string& name, const std::string& summary, strided_route route) {
  const bool packed = route == strided_route::packed;
  registration{
      host_memory_family{.name = "strided/" + name + (packed ? "/packed" : "/memcpy2d"),
                         .summary = summary + (packed ? ", packed by the CPU" : ", cudaMemcpy2D"),
                         .variants = {"h2d", "d2h"},
                         .kinds = {transfers::pageable, transfers::pinned()},
                         .prepare =
                             [name, route](const job& wanted, transfers::host_memory_kind kind) {
                               return prepare(wanted, kind, name, route);
                             },
                         .adjust =
                             [](strategy& made) {
                               made.smallest = row * sizeof(float);
                               made.largest = std::size_t{256} << 20;
                               made.host_payloads = 2;
                               made.essential = made.cold = false;
                             }}};
}

const struct all {
  all() {
    const std::string rows = "rows of 1 KiB, 0.25 KiB apart";
    const std::string columns = "every second column of a float32 matrix";
    add("row_pitch", rows, strided_route::pitched);
    add("row_pitch", rows, strided_route::packed);
    add("every_second_column", columns, strided_route::pitched);
    add("every_second_column", columns, strided_route::packed);
    add("transposed", "a transposed float32 matrix", strided_route::packed);
  }
} registered;

}  // namespace
}  // namespace bench
