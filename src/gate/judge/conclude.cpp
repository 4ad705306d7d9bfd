#include "src/gate/judge/conclude.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "src/gate/judge/class_findings.hpp"
#include "src/gate/judge/inconclusive.hpp"

namespace bench_transfers::gate {
namespace {

/// Worst first. What may be missing comes after what is not known.
auto rank(const finding& benchmark) {
  const auto shown = benchmark.excused ? verdict::not_known : benchmark.result;
  return std::tuple(std::ranges::find(worst_first, shown), benchmark.excused,
                    benchmark.deciding() ? -std::abs(benchmark.deciding()->shift) : 0.0);
}

void add_counts(class_answer& part, const class_findings& benchmarks) {
  part.all = benchmarks.all();
  part.benchmarks = benchmarks.required();
  part.excused = part.all - part.benchmarks;
  part.compared = benchmarks.compared();
  part.few_repetitions = benchmarks.with_few_repetitions();
  part.compared_by_mean = benchmarks.compared_by_mean();
  part.tested = benchmarks.tested();
  part.tested_by_mean = benchmarks.tested_by_mean();
  part.cleared = benchmarks.cleared();
  part.in_turn = benchmarks.cleared_in_turn();
}

void add_bounds(class_answer& part, const class_findings& benchmarks) {
  part.bound = benchmarks.bound_of_unchanged();
  // What was not compared may be slower by any factor.
  if (part.few_repetitions == 0) part.bound_of_not_known = benchmarks.bound_of_not_known();
  part.bound_by_mean = benchmarks.bound_of_unchanged_by_mean();
}

/// Whether something else explains what is slower.
bool is_explained(const report& answer) {
  return answer.differences() > 0 || answer.disturbed_runs > 0;
}

/// Slower beyond doubt.
exit_code code_of_slower(const class_answer& part, const class_findings& benchmarks) {
  if (benchmarks.with(verdict::slower) > 0) return exit_code::regression;
  if (!part.slower_as_a_whole()) return exit_code::pass;
  return part.decides ? exit_code::environment : exit_code::regression;
}

/// `part` has its reasons already.
exit_code code_of_class(const class_answer& part, const class_findings& benchmarks,
                        const report& answer) {
  const auto slower = code_of_slower(part, benchmarks);
  const bool is_slower = slower != exit_code::pass;
  if (is_slower && !is_explained(answer) && !answer.has_too_few_runs()) return slower;
  const bool lacks_runs = answer.has_too_few_runs() && part.benchmarks > 0;
  const bool is_open = is_slower || !part.reasons.empty() || answer.differences() > 0 || lacks_runs;
  return is_open ? exit_code::inconclusive : exit_code::pass;
}

void conclude(class_answer& part, const report& answer) {
  const class_findings benchmarks(answer, part.kind);
  part.reasons = answer.has_too_few_runs() ? std::vector<reason>()
                                           : reasons_of_class(part, benchmarks, answer);
  add_bounds(part, benchmarks);
  part.code = code_of_class(part, benchmarks, answer);
}

/// `answer` has its reasons and its classes already.
exit_code code_of(const report& answer) {
  const auto has = [&](exit_code code, bool decides) {
    return std::ranges::any_of(answer.classes, [&](const class_answer& part) {
      return part.code == code && part.decides == decides;
    });
  };
  if (has(exit_code::regression, true)) return exit_code::regression;
  if (has(exit_code::environment, true)) return exit_code::environment;
  if (has(exit_code::regression, false)) return exit_code::regression;
  const bool is_open = !answer.reasons.empty() || has(exit_code::inconclusive, true);
  return is_open ? exit_code::inconclusive : exit_code::pass;
}

/// Whether more runs may let the class pass, or show a regression if nothing else can pass.
bool more_runs_may_tell(const class_answer& part, bool can_pass) {
  const auto causes = counting_reasons(part);
  return std::ranges::all_of(causes, may_end) &&
         std::ranges::any_of(causes, can_pass ? may_end : may_show_more);
}

}  // namespace

void conclude(report& answer) {
  for (auto& part : answer.classes) add_counts(part, class_findings(answer, part.kind));
  answer.reasons = reasons_of_runs(answer);
  for (auto& part : answer.classes) {
    conclude(part, answer);
    const auto causes = counting_reasons(part);
    answer.reasons.insert(answer.reasons.end(), causes.begin(), causes.end());
  }
  answer.code = code_of(answer);
  std::ranges::stable_sort(answer.findings, {}, rank);
}

bool more_runs_may_tell(const report& answer) {
  if (answer.code != exit_code::inconclusive || answer.differences() > 0) return false;
  if (answer.has_too_few_runs()) return true;
  const bool can_pass = std::ranges::all_of(answer.reasons, may_end);
  return std::ranges::any_of(
      answer.classes, [&](const class_answer& part) { return more_runs_may_tell(part, can_pass); });
}

}  // namespace bench_transfers::gate
