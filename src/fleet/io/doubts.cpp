#include "src/fleet/io/doubts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "src/fleet/io/gpu_problem.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::fleet {
namespace {

double in_hours(std::chrono::hours span) { return static_cast<double>(span.count()); }

double seconds_of(std::chrono::sys_seconds time) {
  return static_cast<double>(time.time_since_epoch().count());
}

/// `apart`: negative if it was measured before the others.
void add_far_start(sweep& sweep, const measured_gpu& measured, const char* code, double apart,
                   const char* unit, const char* question = "") {
  add_problem(sweep, measured.gpu, code,
              fmt::format("{} on {} was measured {:.0f} {} {} most others{}", measured.gpu.uuid,
                          measured.gpu.node, std::abs(apart), unit, apart < 0 ? "before" : "after",
                          question),
              {{"file", measured.file}, {unit, apart}});
}

/// What was measured last night says nothing about this sweep.
void compare_starts(sweep& sweep, const std::vector<measured_gpu>& gpus, std::chrono::hours span) {
  std::vector<double> starts;
  for (const auto& measured : gpus)
    if (measured.started) starts.push_back(seconds_of(*measured.started));
  if (starts.empty()) return;
  const auto usual = statistics::median(std::move(starts));
  sweep.begin = std::chrono::sys_seconds(std::chrono::seconds(std::llround(usual)));
  for (const auto& measured : gpus) {
    if (!measured.started) continue;
    const auto hours = (seconds_of(*measured.started) - usual) / 3600;
    if (std::abs(hours) > in_hours(span))
      add_far_start(sweep, measured, "another_time", hours, "hours");
  }
}

/// A sweep's id that was used again leaves the files of GPUs that have failed since. A GPU can have
/// several runs: its newest one counts.
void compare_starts_of_sweep(sweep& sweep, const std::vector<measured_gpu>& gpus) {
  std::map<std::string, const measured_gpu*> newest;
  std::vector<double> starts, lengths;
  for (const auto& measured : gpus) {
    if (!measured.started) continue;
    auto& known = newest.emplace(measured.gpu.uuid, &measured).first->second;
    if (*measured.started > *known->started) known = &measured;
    if (measured.finished)
      lengths.push_back(seconds_of(*measured.finished) - seconds_of(*measured.started));
  }
  if (lengths.empty()) return;
  for (const auto& [uuid, measured] : newest) starts.push_back(seconds_of(*measured->started));
  // From the farther one of two in the middle: of two GPUs neither is usual.
  std::ranges::sort(starts);
  const auto low = starts[(starts.size() - 1) / 2];
  const auto high = starts[starts.size() / 2];
  const auto most = runs_apart * std::max(0.0, statistics::median(std::move(lengths))) +
                    static_cast<double>(std::chrono::seconds(starting_apart).count());
  for (const auto& [uuid, measured] : newest) {
    const auto start = seconds_of(*measured->started);
    const auto minutes = (start - (start > low ? low : high)) / 60;
    // Beyond this it is of another time.
    if (60 * std::abs(minutes) > most && std::abs(minutes) <= 60 * in_hours(usual_span))
      add_far_start(sweep, *measured, "far_apart", minutes, "minutes",
                    ": was the sweep's id used twice?");
  }
}

/// A rank is one process, and has written one file about its GPUs, or several about the same.
void compare_ranks(sweep& sweep, const std::vector<measured_gpu>& gpus) {
  std::map<std::size_t, const measured_gpu*> first_of_rank;
  std::map<std::string, const measured_gpu*> first_of_gpu;
  const auto contradict = [&](const measured_gpu& measured, const std::string& why) {
    add_problem(sweep, measured.gpu, "contradictory_ranks",
                fmt::format("rank {} ({} on {}) {}", *measured.gpu.rank, measured.gpu.uuid,
                            measured.gpu.node, why),
                {{"rank", *measured.gpu.rank}});
  };
  for (const auto& measured : gpus) {
    if (!measured.gpu.rank) continue;
    const auto rank = *measured.gpu.rank;
    if (sweep.world_size && rank >= *sweep.world_size)
      contradict(measured, fmt::format("is none of {}", *sweep.world_size));
    if (measured.world_size != sweep.world_size)
      contradict(measured, "is of a fleet of another size");
    const auto& by_rank = *first_of_rank.emplace(rank, &measured).first->second;
    if (by_rank.file != measured.file &&
        (by_rank.gpu.uuid != measured.gpu.uuid || by_rank.gpu.node != measured.gpu.node))
      contradict(measured, fmt::format("is {} on {}, too", by_rank.gpu.uuid, by_rank.gpu.node));
    const auto& by_gpu = *first_of_gpu.emplace(measured.gpu.uuid, &measured).first->second;
    if (by_gpu.gpu.rank != measured.gpu.rank)
      contradict(measured,
                 fmt::format("has measured the GPU of rank {}", by_gpu.gpu.rank.value_or(0)));
  }
}

}  // namespace

void add_doubts(sweep& sweep, const std::vector<measured_gpu>& gpus,
                std::optional<std::chrono::hours> span) {
  compare_starts(sweep, gpus, span.value_or(usual_span));
  if (!sweep.id.empty() && !span) compare_starts_of_sweep(sweep, gpus);
  compare_ranks(sweep, gpus);
}

}  // namespace bench_transfers::fleet
