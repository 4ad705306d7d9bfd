#include "bench/strategy/elements.hpp"
#include "bench/strategy/strategy.hpp"
#include "transfers/array/gpu_array.hpp"

namespace bench_transfers::bench {
namespace {

using transfers::context;
using transfers::convert_on;
using transfers::gpu_array;

/// A number of moderate size: overflow and subnormal results would slow a conversion down.
double number(std::size_t i) { return 0.25 * static_cast<double>(i % 65536) + 0.1; }

/// Converts the payload to an array of T with `convert`.
template <class T>
transfer arriving_as(const job& task, transfers::host_memory_kind kind,
                     std::function<gpu_array<T>(const context&, std::span<const double>)> convert) {
  const auto source = host_payload(task, kind);
  const auto numbers = elements_of<double>(source);
  const transfers::shares sharing{.worth_a_thread = std::size_t{1} << 18};
  transfers::in_parallel(numbers.size(), sharing, [&](std::size_t first, std::size_t count) {
    for (auto i = first; i < first + count; ++i) numbers[i] = number(i);
  });
  const context context(task.device, task.stream);
  const auto array = std::make_shared<std::optional<gpu_array<T>>>(
      gpu_array<T>(context, transfers::shape{numbers.size()}));
  transfer conversion;
  conversion.source = source;
  conversion.check.changes_source = true;
  conversion.amount.bytes = numbers.size_bytes();
  conversion.steps = {{"convert", [array, context, numbers, convert = std::move(convert)] {
                         array->reset();  // so that the pool gives the same memory again
                         *array = convert(context, numbers);
                         context.synchronize();
                       }}};
  conversion.locate = [array] {
    if (!*array) return payload{};
    return own_payload(std::span((*array)->data(), (*array)->size()), true);
  };
  conversion.check.compare = [array] {
    const auto arrived = contents_of(**array);
    return find_wrong_element<T>({arrived.data(), arrived.size()},
                                 [](std::size_t i) { return static_cast<T>(number(i)); });
  };
  return conversion;
}

/// Converts doubles on the host to an array of the variant's type on the device.
transfer prepare(const job& task, transfers::host_memory_kind kind) {
  if (task.variant == "float64")
    return arriving_as<double>(task, kind, [](const context& context, std::span<const double> src) {
      return to_gpu(context, src);
    });
  const auto side =
      task.variant == "float32_converted_on_host" ? convert_on::host : convert_on::device;
  return arriving_as<float>(task, kind,
                            [side](const context& context, std::span<const double> src) {
                              return transfers::to_gpu_as<float>(context, src, side);
                            });
}

const registration conversions(host_memory_family{
    .family = "dtype",
    .summary = "float64 from the host as it is, or as float32",
    .variants = named({"float64", "float32_converted_on_host", "float64_converted_on_gpu"}),
    .role = roles::conversion,
    .direction = result_file::direction::h2d,
    .kinds = {transfers::pageable, transfers::pinned()},
    .prepare = prepare,
    .adjust = [](strategy& conversion) {
      conversion.shares_link = false;  // possibly only half of its bytes cross the link
      conversion.sampling = {
          .smallest = sizeof(double), .largest = std::size_t{256} << 20, .cold = false};
    }});

}  // namespace
}  // namespace bench_transfers::bench
