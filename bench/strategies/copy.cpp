#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {
namespace {

transfer prepare(const job& task, transfers::host_memory_kind kind) {
  const auto direction = task.direction;
  const auto ends = ends_of(task, kind, direction);
  auto copy = transfer_between(ends);
  copy.steps = {{"copy", [&device = task.device, ends, direction] {
                   device.copy(ends.destination.data, ends.source.data, ends.source.bytes,
                               direction);
                 }}};
  // With pageable memory the call waits for the CPU's staging, which the device's clock does not
  // see.
  if (is_page_locked(kind)) copy.enqueue = asynchronous_copy(task, ends);
  return copy;
}

const auto& all_kinds = transfers::all_host_memory_kinds;

const registration copies(host_memory_family{.family = "copy",
                                             .summary = "cudaMemcpy",
                                             .variants = both_directions(),
                                             .role = roles::copy,
                                             .kinds = {all_kinds().begin(), all_kinds().end()},
                                             .prepare = prepare,
                                             .adjust = [](strategy& copy) {
                                               const bool plainest =
                                                   copy.needs.host == transfers::pageable;
                                               copy.plainness =
                                                   plainest ? 0 : 1 + options_of(*copy.needs.host);
                                               copy.sampling.essential = true;
                                             }});

}  // namespace
}  // namespace bench_transfers::bench
