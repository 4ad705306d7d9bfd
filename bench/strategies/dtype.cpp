#include "bench/strategy/elements.hpp"
#include "transfers/array/gpu_array.hpp"

namespace bench_transfers::bench {
namespace {

using transfers::context;
using transfers::convert_on;
using transfers::gpu_array;

/// Of moderate size: overflow and subnormal results would slow a conversion down.
double number(std::size_t i) { return 0.25 * static_cast<double>(i % 65536) + 0.1; }

/// The array that one operation leaves, and how it comes into being.
template <class T>
transfer arriving_as(const job& wanted, transfers::host_memory_kind kind,
                     std::function<gpu_array<T>(const context&, std::span<const double>)> convert) {
  const auto source = host_payload(wanted, kind);
  const auto numbers = elements_of<double>(source);
  const transfers::shares how{.worth_a_thread = std::size_t{1} << 18};
  transfers::in_parallel(numbers.size(), how, [&](std::size_t first, std::size_t count) {
    for (auto i = first; i < first + count; ++i) numbers[i] = number(i);
  });
  const context in(wanted.device, wanted.stream);
  const auto array = std::make_shared<std::optional<gpu_array<T>>>(
      gpu_array<T>(in, transfers::shape{numbers.size()}));
  transfer made;
  made.source = source;
  made.changes_source = true;
  made.bytes = numbers.size_bytes();
  made.steps = {{"convert", [array, in, numbers, convert = std::move(convert)] {
                   array->reset();  // so that the pool gives the same memory again
                   *array = convert(in, numbers);
                   in.synchronize();
                 }}};
  made.locate = [array] {
    if (!*array) return payload{};
    return own_payload(std::span((*array)->data(), (*array)->size()), true);
  };
  made.verify = [array] {
    const auto arrived = contents_of(**array);
    return find_wrong_element<T>({arrived.data(), arrived.size()},
                                 [](std::size_t i) { return static_cast<T>(number(i)); });
  };
  return made;
}

/// From doubles on the host until the array that is wanted is on the device.
transfer prepare(const job& wanted, transfers::host_memory_kind kind) {
  if (wanted.variant == "float64")
    return arriving_as<double>(wanted, kind, [](const context& in, std::span<const double> from) {
      return to_gpu(in, from);
    });
  const auto where =
      wanted.variant == "float32_converted_on_host" ? convert_on::host : convert_on::device;
  return arriving_as<float>(wanted, kind, [where](const context& in, std::span<const double> from) {
    return transfers::to_gpu_as<float>(in, from, where);
  });
}

const registration all(host_memory_family{
    .name = "dtype",
    .summary = "float64 from the host as it is, or as float32",
    .variants = {"float64", "float32_converted_on_host", "float64_converted_on_gpu"},
    .kinds = {transfers::pageable, transfers::pinned()},
    .prepare = prepare,
    .adjust = [](strategy& made) {
      made.smallest = sizeof(double);
      made.largest = std::size_t{256} << 20;
      made.cold = made.one_way = false;
    }});

}  // namespace
}  // namespace bench_transfers::bench
