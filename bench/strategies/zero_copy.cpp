#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {
namespace {

using transfers::pin_flags;

transfer prepare(const job& task, transfers::host_memory_kind kind) {
  const auto both = ends_of(task, kind, task.direction);
  transfer access;
  access.source = both.source;
  access.destination = both.destination;
  auto* const to = seen_by_kernel(both.destination);
  auto* const from = seen_by_kernel(both.source);
  access.enqueue = [&stream = task.stream, to, from, bytes = task.bytes] {
    stream.copy_by_kernel(to, from, bytes);
  };
  access.amount.multiprocessors =
      transfers::copy_kernel_multiprocessors(task.device.description(), to, from, task.bytes);
  access.steps = enqueue_and_wait(task.stream, access.enqueue);
  return access;
}

const registration kernels(host_memory_family{
    .family = "zero_copy",
    .summary = "a kernel reads or writes host memory in place",
    .variants = both_accesses(),
    .role = roles::copy,
    .kinds = {transfers::registered, transfers::pinned(pin_flags::mapped),
              transfers::pinned(pin_flags::mapped | pin_flags::write_combined)},
    .prepare = prepare,
    .adjust = [](strategy& access) {
      access.plainness = 2 + options_of(*access.needs.host);
      access.sampling.essential = true;
    }});

}  // namespace
}  // namespace bench_transfers::bench
