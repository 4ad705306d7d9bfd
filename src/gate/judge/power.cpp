#include "src/gate/judge/power.hpp"

#include <utility>

#include "src/gate/judge/answer.hpp"
#include "src/gate/judge/observe.hpp"

namespace bench_transfers::gate {

std::vector<power_line> power(const baseline& before, std::size_t new_runs, const limits& allowed) {
  constexpr std::size_t most_runs = 50;
  const auto sessions = sessions_of(before.processes);
  const auto count = number_of_sessions(before.processes);
  std::vector<observed> all;
  std::vector<power_line> lines;
  for (const auto& [name, known] : before.benchmarks) {
    all.push_back(observed_in(known, sessions, count, before.judged_by));
    const auto& one = all.back();
    power_line entry;
    entry.name = name;
    entry.latency_bound = one.latency_bound;
    entry.threshold = allowed.threshold_for(one.latency_bound);
    entry.before = centre_of(one.before, before.judged_by);
    lines.push_back(std::move(entry));
  }
  const auto found = detectable(all, new_runs, allowed);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i].detectable = slowdown(found[i].detectable);
    lines[i].detectable_surely = slowdown(found[i].detectable_surely);
    lines[i].advisory = is_advisory(found[i], lines[i].threshold);
    lines[i].process_deviation = found[i].process_deviation;
    lines[i].session_deviation = found[i].session_deviation;
  }
  for (std::size_t runs = least_new_processes; runs <= most_runs; ++runs) {
    const auto with_runs = detectable(all, runs, allowed);
    for (std::size_t i = 0; i < lines.size(); ++i)
      if (!lines[i].runs_needed && !is_advisory(with_runs[i], lines[i].threshold))
        lines[i].runs_needed = runs;
  }
  return lines;
}

}  // namespace bench_transfers::gate
