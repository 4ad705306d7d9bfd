#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {
namespace {

transfer prepare(const job& task, transfers::host_memory_kind kind) {
  const auto way = task.direction;
  const auto both = ends_of(task, kind, way);
  transfer copy;
  copy.source = both.source;
  copy.destination = both.destination;
  copy.steps = {{"copy", [&device = task.device, both, way] {
                   device.copy(both.destination.data, both.source.data, both.source.bytes, way);
                 }}};
  // From or to pageable memory the call waits for the CPU's staging, which no device clock sees.
  if (is_page_locked(kind))
    copy.enqueue = [&stream = task.stream, both, way] {
      stream.copy(both.destination.data, both.source.data, both.source.bytes, way);
    };
  return copy;
}

const auto& every_kind = transfers::all_host_memory_kinds;

const registration copies(host_memory_family{.family = "copy",
                                             .summary = "cudaMemcpy",
                                             .variants = both_directions(),
                                             .role = roles::copy,
                                             .kinds = {every_kind().begin(), every_kind().end()},
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
