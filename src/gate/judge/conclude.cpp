#include "src/gate/judge/conclude.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace bench_transfers::gate {
namespace {

/// Worst first.
int rank(const finding& benchmark) {
  switch (benchmark.result) {
    case verdict::slower: return 0;
    case verdict::ambiguous: return 1;
    case verdict::missing: return benchmark.excused ? 5 : 2;
    case verdict::faster: return 3;
    case verdict::added: return 4;
    case verdict::same: break;
  }
  return 6;
}

/// Why a verdict on the suite is impossible, whatever its benchmarks show.
std::vector<reason> reasons_of_runs(const report& answer) {
  std::vector<reason> causes;
  if (const auto differing = answer.differences(); differing > 0)
    causes.emplace_back(reasons::machine_differs{differing});
  if (answer.has_too_few_runs())
    causes.emplace_back(reasons::too_few_runs{answer.processes_after, least_new_processes});
  else if (const auto missing = answer.missing(); missing > 0)
    causes.emplace_back(reasons::benchmarks_missing{missing});
  return causes;
}

std::vector<reason> reasons_of_benchmarks(const report& answer) {
  std::vector<reason> causes;
  for (const auto& shared : answer.classes)
    if (shared.changed)
      causes.emplace_back(reasons::environment_changed{shared.benchmarks, shared.latency_bound,
                                                       slowdown(shared.shift)});
  if (const auto unsure = answer.count(verdict::ambiguous); unsure > 0)
    causes.emplace_back(reasons::ambiguous{unsure});
  if (answer.too_noisy())
    causes.emplace_back(reasons::too_noisy{});
  else if (answer.compared() > 0 && answer.too_few_sensitive())
    causes.emplace_back(
        reasons::too_few_can_show{answer.sensitive(), answer.compared(), answer.in_baseline()});
  if (answer.compared() == 0 && answer.missing() == 0)
    causes.emplace_back(reasons::nothing_compared{});
  return causes;
}

}  // namespace

void conclude(report& answer) {
  answer.reasons = reasons_of_runs(answer);
  const auto causes = reasons_of_benchmarks(answer);
  answer.reasons.insert(answer.reasons.end(), causes.begin(), causes.end());
  answer.code = exit_code::pass;
  // A different machine explains what is slower.
  if (answer.count(verdict::slower) > 0 && answer.differences() == 0)
    answer.code = exit_code::regression;
  else if (!answer.reasons.empty())
    answer.code = exit_code::inconclusive;
  std::ranges::stable_sort(answer.findings, {}, [](const finding& benchmark) {
    return std::pair(rank(benchmark),
                     benchmark.judgement ? -std::abs(benchmark.judgement->shift) : 0.0);
  });
}

bool more_runs_may_tell(const report& answer) {
  if (answer.code != exit_code::inconclusive) return false;
  const bool changed =
      answer.differences() > 0 || std::ranges::any_of(answer.classes, &common_shift::changed);
  if (answer.has_too_few_runs()) return !changed;
  // More runs that lack most benchmarks do not help.
  const bool enough_compared = !are_too_few(answer.compared(), answer.in_baseline());
  return !changed && !answer.too_noisy() && answer.missing() == 0 &&
         (answer.count(verdict::ambiguous) > 0 || (answer.too_few_sensitive() && enough_compared));
}

}  // namespace bench_transfers::gate
