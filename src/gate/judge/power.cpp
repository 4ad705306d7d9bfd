#include "src/gate/judge/power.hpp"

#include <numeric>

#include "src/gate/judge/answer.hpp"
#include "src/gate/judge/observe.hpp"

namespace bench_transfers::gate {

std::vector<power_line> power(const baseline& before, std::size_t new_runs, const limits& limits) {
  constexpr std::size_t most_runs = 50;
  std::vector<observation> observations;
  std::vector<power_line> lines;
  for (const auto& [name, observed] : observe(before)) {
    lines.push_back({.name = name,
                     .kind = observed.kind,
                     .threshold = limits.threshold_for(observed.kind),
                     .before = centre_of(observed.before, before.judged_by)});
    observations.push_back(observed);
  }
  const auto judgements = detectable(observations, new_runs, limits);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i].detectable = slowdown(judgements[i].detectable);
    lines[i].detectable_surely = slowdown(judgements[i].detectable_surely);
    lines[i].advisory = is_advisory(judgements[i], lines[i].threshold);
    lines[i].process_deviation = judgements[i].process_deviation;
    lines[i].session_deviation = judgements[i].session_deviation;
  }
  std::vector<std::size_t> numbers(most_runs - least_new_processes + 1);
  std::iota(numbers.begin(), numbers.end(), least_new_processes);
  const auto bounds = expected_bounds(observations, numbers, limits);
  for (std::size_t n = 0; n < numbers.size(); ++n)
    for (std::size_t i = 0; i < lines.size(); ++i)
      if (!lines[i].runs_needed && !is_advisory(bounds[n][i], lines[i].threshold))
        lines[i].runs_needed = numbers[n];
  return lines;
}

}  // namespace bench_transfers::gate
