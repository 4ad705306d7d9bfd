#include "bench/strategy/directions.hpp"
#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {
namespace {

using transfers::pin_flags;

transfer prepare(const job& wanted, transfers::host_memory_kind kind) {
  const auto both = ends_of(wanted, kind, direction_of(wanted.variant));
  transfer access;
  access.source = both.source;
  access.destination = both.destination;
  auto* const to = seen_by_kernel(both.destination);
  auto* const from = seen_by_kernel(both.source);
  access.enqueue = [&stream = wanted.stream, to, from, bytes = wanted.bytes] {
    stream.copy_by_kernel(to, from, bytes);
  };
  access.multiprocessors =
      transfers::copy_kernel_multiprocessors(wanted.device.description(), to, from, wanted.bytes);
  access.steps = enqueue_and_wait(wanted.stream, access.enqueue);
  return access;
}

const registration all(host_memory_family{
    .name = "zero_copy",
    .summary = "a kernel reads or writes host memory in place",
    .variants = {"read", "write"},
    .kinds = {transfers::registered, transfers::pinned(pin_flags::mapped),
              transfers::pinned(pin_flags::mapped | pin_flags::write_combined)},
    .prepare = prepare,
    .adjust = [](strategy& one) { one.essential = true; }});

}  // namespace
}  // namespace bench_transfers::bench
