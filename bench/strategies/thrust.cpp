#include "bench/strategy/directions.hpp"
#include "bench/strategy/elements.hpp"
#include "bench/subjects/thrust_vectors.hpp"

namespace bench_transfers::bench {
namespace {

using transfers::direction;

/// Managed memory should stay small: it may move between host and device behind our back.
constexpr std::size_t most = std::size_t{256} << 20;

transfer prepare(const job& wanted, std::string_view container, const payload& host) {
  const auto way = direction_of(wanted.variant);
  const auto subject =
      subjects::copy_with_thrust(wanted.device, container, elements_of<float>(host), way);
  auto on_host = host;
  if (subject.host.data() != elements_of<float>(host).data())
    on_host = own_payload(subject.host, false);
  on_host.bytes = subject.host.size_bytes();
  const auto on_device = own_payload(subject.on_device, true);
  transfer copy;
  copy.bytes = on_host.bytes;
  copy.source = way == direction::h2d ? on_host : on_device;
  copy.destination = way == direction::h2d ? on_device : on_host;
  if (!on_host.lies_in_block() && way == direction::h2d)
    transfers::write_host_pattern(on_host.data, 0, on_host.bytes, wanted.memory.pattern());
  if (way == direction::d2h)
    wanted.device.write_pattern(on_device.data, 0, on_device.bytes, wanted.memory.pattern());
  copy.steps = {{"copy", [run = subject.run, keep = subject.containers] { run(); }}};
  return copy;
}

void limit(strategy& made) {
  made.smallest = sizeof(float);
  made.largest = most;
  made.cold = false;
}

void add(const std::string& container, const std::string& summary) {
  registration{
      host_memory_family{.name = "thrust/" + container,
                         .summary = summary,
                         .variants = {"h2d", "d2h"},
                         .kinds = {transfers::pageable, transfers::pinned()},
                         .prepare =
                             [container](const job& wanted, transfers::host_memory_kind kind) {
                               return prepare(wanted, container, host_payload(wanted, kind));
                             },
                         .adjust = limit}};
}

const struct all {
  all() {
    add("device_vector", "thrust::copy to and from a device_vector");
    add("universal_vector", "thrust::copy to and from a universal_vector");
    strategy pinned{
        .name = "thrust/universal_host_pinned_vector",
        .summary = "thrust::copy between a universal_host_pinned_vector and a device_vector",
        .variants = {"h2d", "d2h"},
        .host = std::nullopt,
        .prepare = [](const job& wanted) {
          const payload only_size{nullptr, wanted.bytes, false};
          return prepare(wanted, "universal_host_pinned_vector", only_size);
        }};
    limit(pinned);
    registration{pinned};
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench
