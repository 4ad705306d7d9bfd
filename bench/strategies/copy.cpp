#include "bench/strategy/directions.hpp"
#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {
namespace {

transfer prepare(const job& wanted, transfers::host_memory_kind kind) {
  const auto way = direction_of(wanted.variant);
  const auto both = ends_of(wanted, kind, way);
  transfer copy;
  copy.source = both.source;
  copy.destination = both.destination;
  copy.steps = {{"copy", [&device = wanted.device, both, way] {
                   device.copy(both.destination.data, both.source.data, both.source.bytes, way);
                 }}};
  // From or to pageable memory the call waits for the CPU's staging, which no device clock sees.
  if (is_page_locked(kind))
    copy.enqueue = [&stream = wanted.stream, both, way] {
      stream.copy(both.destination.data, both.source.data, both.source.bytes, way);
    };
  return copy;
}

const auto& every_kind = transfers::all_host_memory_kinds;

const registration all(host_memory_family{.name = "copy",
                                          .summary = "cudaMemcpy",
                                          .variants = {"h2d", "d2h"},
                                          .kinds = {every_kind().begin(), every_kind().end()},
                                          .prepare = prepare,
                                          .adjust = [](strategy& one) { one.essential = true; }});

}  // namespace
}  // namespace bench_transfers::bench
