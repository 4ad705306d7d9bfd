#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "src/gate/judge/check.hpp"
#include "src/gate/report/wording.hpp"

namespace bench_transfers::gate {
namespace {

/// Worst first.
int rank(const line& one) {
  switch (one.found) {
    case verdict::slower: return 0;
    case verdict::ambiguous: return 1;
    case verdict::missing: return one.excused ? 5 : 2;
    case verdict::faster: return 3;
    case verdict::added: return 4;
    case verdict::same: break;
  }
  return 6;
}

}  // namespace

std::string to_string(verdict one) {
  switch (one) {
    case verdict::slower: return "slower";
    case verdict::faster: return "faster";
    case verdict::ambiguous: return "ambiguous";
    case verdict::missing: return "missing";
    case verdict::added: return "new";
    case verdict::same: break;
  }
  return "same";
}

double slowdown(double shift) { return std::expm1(shift); }

std::size_t report::count(verdict one) const {
  return static_cast<std::size_t>(std::ranges::count(lines, one, &line::found));
}

std::size_t report::advisory() const {
  return static_cast<std::size_t>(std::ranges::count(lines, true, &line::advisory));
}

std::size_t report::compared() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(lines, [](const line& one) { return one.judgement.has_value(); }));
}

std::size_t report::telling() const { return compared() - advisory(); }

std::size_t report::of_baseline() const { return lines.size() - count(verdict::added); }

bool report::says_too_little() const { return gate::says_too_little(telling(), of_baseline()); }

bool report::too_noisy() const {
  const auto seeing = std::ranges::count_if(lines, [](const line& one) {
    return one.judgement && !is_blind(*one.judgement, one.threshold);
  });
  return gate::says_too_little(static_cast<std::size_t>(seeing), compared());
}

void conclude(report& answer) {
  auto& reasons = answer.reasons;
  reasons.clear();
  answer.code = exit_code::pass;
  const auto differing =
      std::ranges::count_if(answer.changed, [](const changed_fact& one) { return !one.allowed; });
  if (differing > 0)
    reasons.push_back(fmt::format("machine or settings are not the baseline's: {} {}", differing,
                                  differing == 1 ? "difference" : "differences"));
  if (answer.processes_after < least_new_processes)
    reasons.push_back(fmt::format("{} of {} runs that a verdict needs", answer.processes_after,
                                  least_new_processes));
  const auto missing = std::ranges::count_if(
      answer.lines, [](const line& one) { return one.found == verdict::missing && !one.excused; });
  if (missing > 0 && answer.processes_after >= least_new_processes)
    reasons.push_back(fmt::format("{} of the baseline's benchmarks {} missing or failed", missing,
                                  missing == 1 ? "is" : "are"));
  for (const auto& one : answer.classes)
    if (one.changed)
      reasons.push_back(fmt::format(
          "the environment changed: the {} benchmarks that {} decides are {} {} as a whole",
          one.benchmarks, one.latency_bound ? "latency" : "bandwidth",
          percent_text(std::abs(slowdown(one.shift))), one.shift > 0 ? "slower" : "faster"));
  if (const auto unsure = answer.count(verdict::ambiguous); unsure > 0)
    reasons.push_back(fmt::format("{} {} ambiguous: more runs would tell", unsure,
                                  unsure == 1 ? "benchmark is" : "benchmarks are"));
  if (answer.too_noisy())
    reasons.emplace_back(
        "too noisy: in nine of ten benchmarks even a slowdown of three times the threshold would "
        "go unnoticed");
  else if (answer.compared() > 0 && answer.says_too_little())
    reasons.push_back(too_little_sentence(answer));
  if (answer.compared() == 0 && missing == 0)
    reasons.emplace_back("no benchmark could be compared");

  // Where the machine is another one, that explains what is slower.
  if (answer.count(verdict::slower) > 0 && differing == 0)
    answer.code = exit_code::regression;
  else if (!reasons.empty())
    answer.code = exit_code::inconclusive;
  std::ranges::stable_sort(answer.lines, {}, [](const line& one) {
    return std::pair(rank(one), one.judgement ? -std::abs(one.judgement->shift) : 0.0);
  });
}

}  // namespace bench_transfers::gate
