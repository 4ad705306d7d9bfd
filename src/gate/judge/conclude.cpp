#include "src/gate/judge/conclude.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "src/gate/model/identity.hpp"

namespace bench_transfers::gate {
namespace {

/// Worst first. What may be missing comes after what is not known.
auto rank(const finding& benchmark) {
  const auto shown = benchmark.excused ? verdict::not_known : benchmark.result;
  return std::tuple(std::ranges::find(worst_first, shown), benchmark.excused,
                    benchmark.deciding() ? -std::abs(benchmark.deciding()->shift) : 0.0);
}

bool is_tested(const finding& benchmark) {
  return benchmark.result == verdict::unchanged || benchmark.result == verdict::faster ||
         benchmark.result == verdict::slower;
}

bool is_within_by_mean(const finding& benchmark) {
  return slowdown(benchmark.by_mean->at_most) <= benchmark.mean_threshold;
}

/// Ambiguous because some runs were much slower, by the figure that its verdict is of.
bool is_seen_slower(const finding& benchmark, sighting state) {
  const auto& judgement = benchmark.deciding();
  return benchmark.result == verdict::ambiguous && judgement && judgement->sighting == state;
}

/// The benchmarks of a class.
class members {
 public:
  members(const report& answer, benchmark_class kind) : answer_(answer), kind_(kind) {}

  template <class Condition>
  [[nodiscard]] std::size_t count(Condition condition) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(answer_.findings, [&](const finding& benchmark) {
          return benchmark.kind == kind_ && benchmark.result != verdict::added &&
                 condition(benchmark);
        }));
  }

  [[nodiscard]] std::size_t count(verdict result) const {
    return count([&](const finding& benchmark) { return benchmark.result == result; });
  }

  [[nodiscard]] std::size_t required() const {
    return count([](const finding& benchmark) { return !benchmark.excused; });
  }

  [[nodiscard]] std::size_t of_other_procedures() const {
    return count([](const finding& benchmark) {
      return benchmark.result == verdict::missing && !benchmark.excused && benchmark.note &&
             std::holds_alternative<remarks::other_procedure>(*benchmark.note);
    });
  }

  /// For any other reason.
  [[nodiscard]] std::size_t missing() const {
    return count([](const finding& benchmark) {
             return benchmark.result == verdict::missing && !benchmark.excused;
           }) -
           of_other_procedures();
  }

  [[nodiscard]] std::size_t compared() const {
    return count([](const finding& benchmark) { return benchmark.judgement.has_value(); });
  }

  [[nodiscard]] std::size_t with_few_repetitions() const {
    return count([](const finding& benchmark) {
      return !benchmark.excused && benchmark.note &&
             std::holds_alternative<remarks::few_repetitions>(*benchmark.note);
    });
  }

  [[nodiscard]] bool are_others_compared() const { return answer_.compared() > compared(); }

  [[nodiscard]] std::size_t compared_by_mean() const {
    return count([](const finding& benchmark) { return benchmark.by_mean.has_value(); });
  }

  /// Neither their noise nor a doubt leaves open whether they are slower.
  [[nodiscard]] std::size_t tested() const { return count(is_tested); }

  [[nodiscard]] std::size_t tested_by_mean() const {
    return count([](const finding& benchmark) {
      return is_tested(benchmark) && benchmark.by_mean && is_within_by_mean(benchmark);
    });
  }

  [[nodiscard]] std::size_t seen_slower(sighting state) const {
    return count([=](const finding& benchmark) { return is_seen_slower(benchmark, state); });
  }
  [[nodiscard]] std::size_t ambiguous() const {
    return count(verdict::ambiguous) - seen_slower(sighting::open) - seen_slower(sighting::unsure);
  }

  /// The largest upper bound of those for which the condition holds.
  template <class Condition>
  [[nodiscard]] std::optional<double> bound(std::optional<benchmark_judgement> finding::*judgement,
                                            Condition condition) const {
    std::optional<double> largest;
    for (const auto& benchmark : answer_.findings)
      if (benchmark.kind == kind_ && benchmark.*judgement && condition(benchmark))
        largest = std::max(largest.value_or(0), slowdown((benchmark.*judgement)->at_most));
    return largest;
  }

  /// Can show at least three times the threshold.
  [[nodiscard]] std::size_t not_blind() const {
    return count([](const finding& benchmark) {
      return benchmark.judgement && !is_blind(*benchmark.judgement, benchmark.threshold);
    });
  }

 private:
  const report& answer_;
  benchmark_class kind_;
};

bool is_too_small(std::size_t part, std::size_t whole, double least = least_tested_part) {
  return part == 0 || static_cast<double>(part) < least * static_cast<double>(whole);
}

bool is_too_little_tested(const class_answer& answer) {
  return is_too_small(answer.tested, answer.benchmarks) ||
         is_too_small(answer.tested, answer.all, least_tested_part_of_all);
}

/// Nothing is tested then, whatever the noise.
bool has_shifted(const class_answer& answer) {
  return answer.changed() || (answer.shared_by_mean && answer.shared_by_mean->changed);
}

std::vector<reason> reasons_of(const class_answer& answer, const members& benchmarks) {
  std::vector<reason> causes;
  const auto kind = answer.kind;
  if (const auto missing = benchmarks.missing(); missing > 0)
    causes.emplace_back(reasons::benchmarks_missing{kind, missing});
  if (const auto others = benchmarks.of_other_procedures(); others > 0)
    causes.emplace_back(reasons::procedures_differ{kind, others});
  if (answer.changed())
    causes.emplace_back(reasons::environment_changed{kind, answer.shared->benchmarks, answer.all,
                                                     slowdown(answer.shared->shift)});
  else if (answer.shared_by_mean && answer.shared_by_mean->changed)
    causes.emplace_back(reasons::environment_changed{kind, answer.shared_by_mean->benchmarks,
                                                     answer.all,
                                                     slowdown(answer.shared_by_mean->shift)});
  if (answer.crept) causes.emplace_back(reasons::class_crept{kind, *answer.crept});
  if (const auto unsure = benchmarks.ambiguous(); unsure > 0)
    causes.emplace_back(reasons::ambiguous{kind, unsure});
  const auto again = benchmarks.seen_slower(sighting::unsure);
  if (const auto seen = benchmarks.seen_slower(sighting::open) + again; seen > 0)
    causes.emplace_back(reasons::seen_slower{kind, seen, again});
  // Where nothing of any class is compared, or all of this one is missing, that is the reason.
  const bool is_something_judged =
      answer.compared > 0 || (answer.benchmarks == 0 && benchmarks.are_others_compared());
  const bool is_for_lack_of_repetitions =
      answer.few_repetitions > 0 &&
      !is_too_small(answer.tested + answer.few_repetitions, answer.benchmarks);
  if (is_for_lack_of_repetitions && is_too_little_tested(answer)) {
    causes.emplace_back(reasons::repetitions_left_out{kind, answer.few_repetitions});
  } else if (is_something_judged && is_too_little_tested(answer) && !has_shifted(answer)) {
    if (answer.compared > 0 && is_too_small(benchmarks.not_blind(), answer.compared))
      causes.emplace_back(reasons::too_noisy{kind});
    else
      causes.emplace_back(
          reasons::too_few_can_show{kind, answer.tested, answer.compared, answer.all});
  }
  return causes;
}

/// Whether something else explains what is slower.
bool is_explained(const report& answer) {
  return answer.differences() > 0 || answer.disturbed_runs > 0;
}

bool is_cleared_in_turn(const finding& benchmark) {
  return benchmark.result == verdict::unchanged && benchmark.note &&
         std::holds_alternative<remarks::measured_in_turn>(*benchmark.note);
}

/// What the bounds say of the benchmarks that are not slower.
void add_bounds(class_answer& part, const members& benchmarks) {
  const auto is_unchanged = [](const finding& benchmark) {
    // What was measured in turn has no bound of the first runs.
    return benchmark.result == verdict::unchanged && !is_cleared_in_turn(benchmark);
  };
  part.bound = benchmarks.bound(&finding::judgement, is_unchanged);
  // What was not compared may be slower by any factor.
  if (part.few_repetitions == 0)
    part.bound_of_not_known = benchmarks.bound(&finding::judgement, [](const finding& benchmark) {
      return benchmark.result == verdict::not_known;
    });
  part.bound_by_mean = benchmarks.bound(&finding::by_mean, [&](const finding& benchmark) {
    return is_unchanged(benchmark) && is_within_by_mean(benchmark);
  });
}

/// Slower beyond doubt.
exit_code code_of_slower(const class_answer& part, const members& benchmarks) {
  if (benchmarks.count(verdict::slower) > 0) return exit_code::regression;
  if (!part.slower_as_a_whole()) return exit_code::pass;
  return part.decides ? exit_code::environment : exit_code::regression;
}

void count(class_answer& part, const members& benchmarks) {
  part.all = benchmarks.count([](const finding&) { return true; });
  part.benchmarks = benchmarks.required();
  part.excused = part.all - part.benchmarks;
  part.compared = benchmarks.compared();
  part.few_repetitions = benchmarks.with_few_repetitions();
  part.compared_by_mean = benchmarks.compared_by_mean();
  part.tested = benchmarks.tested();
  part.tested_by_mean = benchmarks.tested_by_mean();
}

void conclude(class_answer& part, const report& answer) {
  const members benchmarks(answer, part.kind);
  part.reasons = answer.has_too_few_runs() ? std::vector<reason>() : reasons_of(part, benchmarks);
  part.cleared = benchmarks.count([](const finding& benchmark) {
    return benchmark.judgement && benchmark.judgement->sighting == sighting::cleared;
  });
  part.in_turn = benchmarks.count(is_cleared_in_turn);
  add_bounds(part, benchmarks);
  part.code = code_of_slower(part, benchmarks);
  const bool is_slower = part.code != exit_code::pass;
  if (is_slower && !is_explained(answer) && !answer.has_too_few_runs()) return;
  if (is_slower || !part.reasons.empty() || answer.differences() > 0 ||
      (answer.has_too_few_runs() && part.benchmarks > 0))
    part.code = exit_code::inconclusive;
}

/// Why a verdict is impossible, whatever the benchmarks show.
std::vector<reason> reasons_of_runs(const report& answer) {
  std::vector<reason> causes;
  if (answer.older_runs > 0)
    causes.emplace_back(reasons::runs_older{answer.older_runs, answer.processes_after});
  std::vector<std::string> differing;
  for (const auto& [fact, allowed] : answer.changed)
    // Each run may have another value.
    if (!allowed && (fact.key != started_key || answer.older_runs == 0) &&
        std::ranges::find(differing, fact.key) == differing.end())
      differing.push_back(fact.key);
  if (!differing.empty()) causes.emplace_back(reasons::machine_differs{std::move(differing)});
  if (answer.has_too_few_runs())
    causes.emplace_back(reasons::too_few_runs{answer.processes_after, least_new_processes});
  const bool is_slower = answer.count(verdict::slower) > 0 ||
                         std::ranges::any_of(answer.classes, &class_answer::slower_as_a_whole);
  if (answer.disturbed_runs > 0 && is_slower)
    causes.emplace_back(reasons::runs_disturbed{answer.disturbed_runs, answer.processes_after});
  if (answer.compared() == 0 && answer.missing() == 0 && answer.count(verdict::not_known) == 0)
    causes.emplace_back(reasons::nothing_compared{});
  return causes;
}

/// Of the reasons of a class that does not decide, those that something may be much slower, or was
/// not seen.
bool vetoes(const class_answer& part, const reason& cause) {
  const auto may_be_slower = [](const std::optional<common_shift>& shared) {
    return shared && (shared->may_be_slower || shared->slower);
  };
  if (std::holds_alternative<reasons::environment_changed>(cause))
    return may_be_slower(part.shared) || may_be_slower(part.shared_by_mean);
  if (std::holds_alternative<reasons::repetitions_left_out>(cause)) return !part.is_half_compared();
  return std::holds_alternative<reasons::ambiguous>(cause) ||
         std::holds_alternative<reasons::seen_slower>(cause) ||
         std::holds_alternative<reasons::benchmarks_missing>(cause) ||
         std::holds_alternative<reasons::procedures_differ>(cause) ||
         std::holds_alternative<reasons::class_crept>(cause);
}

/// The reasons of a class that count for the whole answer.
std::vector<reason> counting_reasons(const class_answer& part) {
  auto causes = part.reasons;
  if (!part.decides) std::erase_if(causes, [&](const reason& c) { return !vetoes(part, c); });
  return causes;
}

/// Whether more runs may show that something is slower.
bool may_show_more(const reason& cause) {
  return std::holds_alternative<reasons::ambiguous>(cause) ||
         std::holds_alternative<reasons::seen_slower>(cause);
}

/// Whether they may end the reason.
bool may_end(const reason& cause) {
  return may_show_more(cause) || std::holds_alternative<reasons::too_few_can_show>(cause) ||
         std::holds_alternative<reasons::repetitions_left_out>(cause);
}

/// Whether more runs may let the class pass, or show a regression if nothing else can pass.
bool more_runs_may_tell(const class_answer& part, bool can_pass) {
  const auto causes = counting_reasons(part);
  return std::ranges::all_of(causes, may_end) &&
         std::ranges::any_of(causes, can_pass ? may_end : may_show_more);
}

}  // namespace

void conclude(report& answer) {
  for (auto& part : answer.classes) count(part, members(answer, part.kind));
  answer.reasons = reasons_of_runs(answer);
  answer.code = answer.reasons.empty() ? exit_code::pass : exit_code::inconclusive;
  for (auto& part : answer.classes) {
    conclude(part, answer);
    const auto causes = counting_reasons(part);
    answer.reasons.insert(answer.reasons.end(), causes.begin(), causes.end());
    const bool is_open = part.decides ? part.code == exit_code::inconclusive : !causes.empty();
    if (is_open && answer.code == exit_code::pass) answer.code = exit_code::inconclusive;
  }
  const auto has = [&](exit_code code, bool decides) {
    return std::ranges::any_of(answer.classes, [&](const class_answer& part) {
      return part.code == code && part.decides == decides;
    });
  };
  if (has(exit_code::regression, true))
    answer.code = exit_code::regression;
  else if (has(exit_code::environment, true))
    answer.code = exit_code::environment;
  else if (has(exit_code::regression, false))
    answer.code = exit_code::regression;
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
