#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench::staged_strategies {
namespace {

/// Stages pageable memory through page-locked chunks, as calibrated on this machine. Small copies
/// use cudaMemcpy (their rows have no staging_threads).
transfer prepare(const job& task) {
  const auto direction = task.direction;
  const auto ends = ends_of(task, transfers::pageable, direction);
  auto copy = transfer_between(ends);
  const auto copier = task.memory.staged_copier();
  // Preparing the lines takes long enough for the threads to sleep.
  const auto pace =
      task.cache == cache_state::warm ? transfers::copy_pace::in_row : transfers::copy_pace::alone;
  if (copier->stages(task.bytes, direction, pace))
    copy.derive = [copier, direction, bytes = task.bytes](const metric_values&) {
      const auto& staging = copier->settings();
      return std::vector<measured_metric>{
          {count_metric("staging_threads",
                        "threads that may fill or drain chunks; small copies wake fewer"),
           static_cast<double>(staging.threads)},
          {size_metric("staging_least_chunk", "the least chunk"),
           static_cast<double>(staging[direction].least_chunk)},
          {count_metric("staging_streaming_stores", "whether non-temporal stores are used (1)"),
           staging[direction].streams(bytes) ? 1.0 : 0.0}};
    };
  copy.steps = {{"copy", copy_with(copier, ends, direction)}};
  return copy;
}

const registration staged{strategy{
    .family = "copy",
    .parts = {method("staged")},
    .summary = "ordinary memory by way of page-locked chunks that threads fill or drain",
    .calls =
        calls_for(transfers::pageable) +
        "transfers::staged_copier copier(gpu);\n"
        "copier.copy($[device|host], $[host|device], bytes, transfers::direction::$[h2d|d2h]);",
    .variants = both_directions(),
    .role = roles::copy,
    .plainness = 1,
    .prepare = prepare,
    .needs = {.host = transfers::pageable, .staged_copier = true},
    .sampling = {.written = true}}};

}  // namespace
}  // namespace bench_transfers::bench::staged_strategies
