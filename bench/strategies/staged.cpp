#include "bench/strategy/directions.hpp"
#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {
namespace {

/// Pageable memory by way of page-locked chunks, as calibrated on this machine: small copies are
/// cudaMemcpy's (their rows have no staging_threads).
transfer prepare(const job& wanted) {
  const auto way = direction_of(wanted.variant);
  const auto both = ends_of(wanted, transfers::pageable, way);
  transfer copy;
  copy.source = both.source;
  copy.destination = both.destination;
  const auto by = wanted.memory.staged_copier();
  if (by->stages(wanted.bytes, way))
    copy.further = [by, way, bytes = wanted.bytes](const figures&) {
      const auto& how = by->how();
      return figures{{"staging_threads", how.threads},
                     {"staging_least_chunk", static_cast<double>(how.in(way).least_chunk)},
                     {"staging_streaming_stores", how.in(way).streams(bytes) ? 1 : 0}};
    };
  copy.steps = {{"copy", [by, both, way] {
                   by->copy(both.destination.data, both.source.data, both.source.bytes, way);
                 }}};
  return copy;
}

const registration staged{
    strategy{.name = "copy/staged",
             .summary = "ordinary memory by way of page-locked chunks that threads fill or drain",
             .variants = {"h2d", "d2h"},
             .host = transfers::pageable,
             .prepare = prepare}};

}  // namespace
}  // namespace bench_transfers::bench
