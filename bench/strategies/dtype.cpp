#include "bench/strategy/elements.hpp"
#include "bench/strategy/strategy.hpp"
#include "transfers/array/gpu_array.hpp"

namespace bench_transfers::bench::dtype_strategies {
namespace {

using transfers::context;
using transfers::convert_on;
using transfers::gpu_array;

/// A number that every type holds: of moderate size, because overflow and subnormal results would
/// slow a conversion down.
template <class T>
T number(std::size_t i) {
  if constexpr (std::is_same_v<T, double>)
    return 0.25 * static_cast<double>(i % 65536) + 0.1;
  else if constexpr (std::is_same_v<T, transfers::half>)
    return transfers::half(0.25 * static_cast<double>(i % 4096));
  else
    return static_cast<T>(i);
}

/// The part of the payload that holds as many numbers of type From as doubles fit into all of it:
/// benchmarks of one size have equally many elements, whatever their type.
template <class From>
payload numbers_payload(const job& task, transfers::host_memory_kind kind) {
  auto source = host_payload(task, kind);
  source.bytes = source.bytes / sizeof(double) * sizeof(From);
  return source;
}

/// Converts numbers of type From in the payload to an array of To with `convert`. `crossing`: bytes
/// of a number on the link.
template <class From, class To>
transfer arriving_as(const job& task, transfers::host_memory_kind kind, std::size_t crossing,
                     std::function<gpu_array<To>(const context&, std::span<const From>)> convert) {
  const auto source = numbers_payload<From>(task, kind);
  const auto numbers = elements_of<From>(source);
  const transfers::shares sharing{.worth_a_thread = std::size_t{1} << 18};
  transfers::in_parallel(numbers.size(), sharing, [&](std::size_t first, std::size_t count) {
    for (auto i = first; i < first + count; ++i) numbers[i] = number<From>(i);
  });
  const context context(task.device, task.stream);
  const auto array = std::make_shared<std::optional<gpu_array<To>>>(
      gpu_array<To>(context, transfers::shape{numbers.size()}));
  transfer conversion;
  conversion.source = source;
  conversion.check.changes_source = true;
  conversion.amount.bytes = numbers.size() * crossing;
  conversion.amount.elements = numbers.size();
  conversion.steps = {{"convert", [array, context, numbers, convert = std::move(convert)] {
                         array->reset();  // so that the pool gives the same memory again
                         *array = convert(context, numbers);
                         context.synchronize();
                       }}};
  conversion.locate = [array] { return own_payload(*array); };
  conversion.check.compare = [array] {
    const auto arrived = contents_of(**array);
    return find_wrong_element<To>(arrived,
                                  [](std::size_t i) { return static_cast<To>(number<From>(i)); });
  };
  return conversion;
}

/// A variant, and what it does.
struct conversion_variant {
  std::string name;
  std::size_t crossing;  ///< bytes of a number on the link
  std::function<transfer(const job&, transfers::host_memory_kind)> prepare;
};

/// Numbers of type From on the host to an array of float32 on the device.
template <class From>
conversion_variant converted(std::string name, convert_on side) {
  const auto crossing = side == convert_on::host ? sizeof(float) : sizeof(From);
  return {std::move(name), crossing,
          [side, crossing](const job& task, transfers::host_memory_kind kind) {
            return arriving_as<From, float>(
                task, kind, crossing, [side](const context& context, std::span<const From> src) {
                  return transfers::to_gpu_as<float>(context, src, side);
                });
          }};
}

conversion_variant unconverted(std::string name) {
  return {std::move(name), sizeof(double), [](const job& task, transfers::host_memory_kind kind) {
            return arriving_as<double, double>(
                task, kind, sizeof(double),
                [](const context& context, std::span<const double> src) {
                  return to_gpu(context, src);
                });
          }};
}

const std::vector<conversion_variant>& conversions() {
  using transfers::half;
  static const std::vector<conversion_variant> table{
      unconverted("float64"),
      // Older names: the first says what crosses the link, and so do all "…_on_gpu".
      converted<double>("float32_converted_on_host", convert_on::host),
      converted<double>("float64_converted_on_gpu", convert_on::device),
      converted<std::uint8_t>("uint8_converted_on_host", convert_on::host),
      converted<std::uint8_t>("uint8_converted_on_gpu", convert_on::device),
      converted<std::int16_t>("int16_converted_on_host", convert_on::host),
      converted<std::int16_t>("int16_converted_on_gpu", convert_on::device),
      converted<half>("float16_converted_on_host", convert_on::host),
      converted<half>("float16_converted_on_gpu", convert_on::device)};
  return table;
}

/// Procedure 1 counted the bytes of float64 for all.
std::vector<variant> variants_of_conversions() {
  std::vector<variant> variants;
  for (const auto& conversion : conversions())
    variants.push_back(
        {.name = conversion.name, .procedure = conversion.crossing == sizeof(double) ? 1U : 2U});
  return variants;
}

transfer prepare(const job& task, transfers::host_memory_kind kind) {
  return std::ranges::find(conversions(), task.variant, &conversion_variant::name)
      ->prepare(task, kind);
}

const registration all_conversions(host_memory_family{
    .common = {.family = "dtype",
               .summary = "numbers from the host as they are, or converted to float32",
               .variants = variants_of_conversions(),
               .role = roles::conversion,
               .direction = result_file::direction::h2d,
               .shares_link = false,  // possibly only a part of its bytes cross the link
               // On the device, the numbers as they are, and as float32.
               .needs = {.more_host_memory = 1, .more_device_memory = 2},
               .sampling = {.smallest = sizeof(double),
                            .largest = std::size_t{256} << 20,
                            .cold = false}},
    .kinds = {transfers::pageable, transfers::pinned()},
    .prepare = prepare});

}  // namespace
}  // namespace bench_transfers::bench::dtype_strategies
