#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {
namespace {

/// How soon does the call return (enqueue_ns), and how long until the data are there?
transfer prepare(const job& task, transfers::host_memory_kind kind) {
  const auto way = task.direction;
  const auto both = ends_of(task, kind, way);
  transfer copy;
  copy.source = both.source;
  copy.destination = both.destination;
  const auto enqueue = [&stream = task.stream, both, way] {
    stream.copy(both.destination.data, both.source.data, both.source.bytes, way);
  };
  copy.steps = enqueue_and_wait(task.stream, enqueue);
  // From or to pageable memory the call waits for the CPU's staging, which no device clock sees.
  if (is_page_locked(kind)) copy.enqueue = enqueue;
  return copy;
}

const registration copies(host_memory_family{.family = "copy_async",
                                             .summary = "cudaMemcpyAsync on a stream, then wait",
                                             .variants = both_directions(),
                                             .role = roles::copy,
                                             .kinds = {transfers::pageable, transfers::pinned()},
                                             .prepare = prepare,
                                             .adjust = [](strategy& copy) {
                                               copy.plainness = 2;
                                               copy.sampling.essential = true;
                                             }});

}  // namespace
}  // namespace bench_transfers::bench
