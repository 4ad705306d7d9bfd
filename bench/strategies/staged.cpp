#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {
namespace {

using result_file::metric_kind;

/// Pageable memory by way of page-locked chunks, as calibrated on this machine: small copies are
/// cudaMemcpy's (their rows have no staging_threads).
transfer prepare(const job& task) {
  const auto way = task.direction;
  const auto both = ends_of(task, transfers::pageable, way);
  transfer copy;
  copy.source = both.source;
  copy.destination = both.destination;
  const auto by = task.memory.staged_copier();
  if (by->stages(task.bytes, way))
    copy.derive = [by, way, bytes = task.bytes](const metric_values&) {
      const auto& how = by->how();
      return std::vector<measured_metric>{
          {{"staging_threads",
            "1",
            metric_kind::count,
            {},
            "threads that fill or drain the chunks"},
           static_cast<double>(how.threads)},
          {{"staging_least_chunk", "B", metric_kind::size, {}, "the first and the last chunk"},
           static_cast<double>(how.in(way).least_chunk)},
          {{"staging_streaming_stores",
            "1",
            metric_kind::count,
            {},
            "whether non-temporal stores are used (1)"},
           how.in(way).streams(bytes) ? 1.0 : 0.0}};
    };
  copy.steps = {{"copy", [by, both, way] {
                   by->copy(both.destination.data, both.source.data, both.source.bytes, way);
                 }}};
  return copy;
}

const registration staged{
    strategy{.family = "copy",
             .parts = {method("staged")},
             .summary = "ordinary memory by way of page-locked chunks that threads fill or drain",
             .variants = both_directions(),
             .role = roles::copy,
             .plainness = 1,
             .prepare = prepare,
             .needs = {.host = transfers::pageable}}};

}  // namespace
}  // namespace bench_transfers::bench
