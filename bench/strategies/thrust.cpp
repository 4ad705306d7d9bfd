#include "bench/strategy/elements.hpp"
#include "bench/strategy/strategy.hpp"
#include "bench/subjects/thrust_vectors.hpp"
#include "bench/verification/pattern.hpp"

namespace bench_transfers::bench::thrust_strategies {
namespace {

using transfers::direction;

/// Keeps managed memory small: it may migrate between host and device at any time.
constexpr std::size_t largest_size = std::size_t{256} << 20;

transfer prepare(const job& task, std::string_view container, const payload& host) {
  const auto direction = task.direction;
  const auto subject =
      subjects::copy_with_thrust(task.device, container, elements_of<float>(host), direction);
  auto on_host = host;
  if (subject.host.data() != elements_of<float>(host).data())
    on_host = own_payload(subject.host, false);
  on_host.bytes = subject.host.size_bytes();
  const auto on_device = own_payload(subject.on_device, true);
  auto copy = transfer_between(ends_between(on_host, on_device, direction));
  copy.amount.bytes = on_host.bytes;
  if (!copy.source->lies_in_block())
    write_pattern(task.device, *copy.source, task.memory.pattern());
  copy.steps = {{"copy", [run = subject.run, keep = subject.containers] { run(); }}};
  return copy;
}

strategy copies_of(const std::string& container, const std::string& summary) {
  return {.family = "thrust",
          .parts = {method(container)},
          .summary = summary,
          .variants = both_directions(),
          .role = roles::container_copy,
          .needs = {.more_device_memory = 1},
          .sampling = {.smallest = sizeof(float), .largest = largest_size, .cold = false}};
}

void add(const std::string& container, const std::string& summary) {
  registration{
      host_memory_family{.common = copies_of(container, summary),
                         .kinds = {transfers::pageable, transfers::pinned()},
                         .prepare = [container](const job& task, transfers::host_memory_kind kind) {
                           return prepare(task, container, host_payload(task, kind));
                         }}};
}

const struct thrust_strategies {
  thrust_strategies() {
    add("device_vector", "thrust::copy to and from a device_vector");
    add("universal_vector", "thrust::copy to and from a universal_vector");
    const std::string own_host_memory = "universal_host_pinned_vector";
    auto pinned = copies_of(
        own_host_memory, "thrust::copy between a universal_host_pinned_vector and a device_vector");
    pinned.needs.more_host_memory = 1;
    pinned.prepare = [own_host_memory](const job& task) {
      const payload only_size{nullptr, task.bytes, false};
      return prepare(task, own_host_memory, only_size);
    };
    registration{pinned};
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench::thrust_strategies
