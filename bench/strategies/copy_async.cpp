#include "bench/strategy/directions.hpp"
#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {
namespace {

/// How soon does the call return (enqueue_ns), and how long until the data are there?
transfer prepare(const job& wanted, transfers::host_memory_kind kind) {
  const auto way = direction_of(wanted.variant);
  const auto both = ends_of(wanted, kind, way);
  transfer copy;
  copy.source = both.source;
  copy.destination = both.destination;
  const auto enqueue = [&stream = wanted.stream, both, way] {
    stream.copy(both.destination.data, both.source.data, both.source.bytes, way);
  };
  copy.steps = enqueue_and_wait(wanted.stream, enqueue);
  // From or to pageable memory the call waits for the CPU's staging, which no device clock sees.
  if (is_page_locked(kind)) copy.enqueue = enqueue;
  return copy;
}

const registration all(host_memory_family{.name = "copy_async",
                                          .summary = "cudaMemcpyAsync on a stream, then wait",
                                          .variants = {"h2d", "d2h"},
                                          .kinds = {transfers::pageable, transfers::pinned()},
                                          .prepare = prepare,
                                          .adjust = [](strategy& one) { one.essential = true; }});

}  // namespace
}  // namespace bench_transfers::bench
