#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {
namespace {

using transfers::pin_flags;

transfer prepare(const job& task, transfers::host_memory_kind kind) {
  const auto ends = ends_of(task, kind, task.direction);
  transfer access;
  access.source = ends.source;
  access.destination = ends.destination;
  auto* const dst = seen_by_kernel(ends.destination);
  auto* const src = seen_by_kernel(ends.source);
  access.enqueue = [&stream = task.stream, dst, src, bytes = task.bytes] {
    stream.copy_by_kernel(dst, src, bytes);
  };
  access.amount.multiprocessors =
      transfers::copy_kernel_multiprocessors(task.device.description(), dst, src, task.bytes);
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
