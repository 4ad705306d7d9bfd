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
    case verdict::missing: return benchmark.excused ? 6 : 2;
    case verdict::faster: return 3;
    case verdict::added: return 4;
    case verdict::not_known: return 5;
    case verdict::unchanged: break;
  }
  return 7;
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

  [[nodiscard]] std::size_t missing() const {
    return count([](const finding& benchmark) {
      return benchmark.result == verdict::missing && !benchmark.excused;
    });
  }

  [[nodiscard]] std::size_t compared() const {
    return count([](const finding& benchmark) { return benchmark.judgement.has_value(); });
  }

  [[nodiscard]] std::size_t with_few_repetitions() const {
    return count([](const finding& benchmark) {
      return benchmark.note && std::holds_alternative<remarks::few_repetitions>(*benchmark.note);
    });
  }

  /// Neither their noise nor a doubt leaves open whether they are slower.
  [[nodiscard]] std::size_t tested() const {
    return count(verdict::unchanged) + count(verdict::faster) + count(verdict::slower);
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

std::vector<reason> reasons_of(const class_answer& answer, const members& benchmarks) {
  std::vector<reason> causes;
  const auto kind = answer.kind;
  if (const auto missing = benchmarks.missing(); missing > 0)
    causes.emplace_back(reasons::benchmarks_missing{kind, missing});
  if (answer.changed())
    causes.emplace_back(reasons::environment_changed{kind, answer.shared->benchmarks,
                                                     slowdown(answer.shared->shift)});
  if (answer.crept) causes.emplace_back(reasons::class_crept{kind, *answer.crept});
  if (const auto unsure = benchmarks.count(verdict::ambiguous); unsure > 0)
    causes.emplace_back(reasons::ambiguous{kind, unsure});
  const auto few = benchmarks.with_few_repetitions();
  if (few > 0 && is_too_little_tested(answer)) {
    causes.emplace_back(reasons::repetitions_left_out{kind, few});
  } else if (answer.compared > 0 && is_too_little_tested(answer)) {
    if (is_too_small(benchmarks.not_blind(), answer.compared))
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

void conclude(class_answer& part, const report& answer) {
  const members benchmarks(answer, part.kind);
  part.all = benchmarks.count([](const finding&) { return true; });
  part.benchmarks = benchmarks.required();
  part.compared = benchmarks.compared();
  part.tested = benchmarks.tested();
  part.reasons = answer.has_too_few_runs() ? std::vector<reason>() : reasons_of(part, benchmarks);
  part.code = exit_code::pass;
  const bool is_slower = benchmarks.count(verdict::slower) > 0;
  if (is_slower && !is_explained(answer))
    part.code = exit_code::regression;
  else if (is_slower || !part.reasons.empty() || answer.differences() > 0 ||
           (answer.has_too_few_runs() && part.benchmarks > 0))
    part.code = exit_code::inconclusive;
}

/// Why a verdict is impossible, whatever the benchmarks show.
std::vector<reason> reasons_of_runs(const report& answer) {
  std::vector<reason> causes;
  if (answer.older_runs > 0)
    causes.emplace_back(reasons::runs_older{answer.older_runs, answer.processes_after});
  // That runs are older is one of the differences.
  if (const auto differing = answer.differences() - (answer.older_runs > 0 ? 1 : 0); differing > 0)
    causes.emplace_back(reasons::machine_differs{differing});
  if (answer.has_too_few_runs())
    causes.emplace_back(reasons::too_few_runs{answer.processes_after, least_new_processes});
  if (answer.disturbed_runs > 0 && answer.count(verdict::slower) > 0)
    causes.emplace_back(reasons::runs_disturbed{answer.disturbed_runs, answer.processes_after});
  if (answer.compared() == 0 && answer.missing() == 0 && answer.count(verdict::not_known) == 0)
    causes.emplace_back(reasons::nothing_compared{});
  return causes;
}

/// Whether more runs may let the class pass or show a regression.
bool more_runs_may_tell(const class_answer& part) {
  bool may_tell = false;
  for (const auto& cause : part.reasons) {
    const bool helps = std::holds_alternative<reasons::ambiguous>(cause) ||
                       std::holds_alternative<reasons::too_few_can_show>(cause);
    if (!helps) return false;
    may_tell = true;
  }
  return may_tell;
}

}  // namespace

void conclude(report& answer) {
  answer.reasons = reasons_of_runs(answer);
  answer.code = answer.reasons.empty() ? exit_code::pass : exit_code::inconclusive;
  for (auto& part : answer.classes) {
    conclude(part, answer);
    if (!part.decides) continue;
    answer.reasons.insert(answer.reasons.end(), part.reasons.begin(), part.reasons.end());
    if (part.code == exit_code::inconclusive && answer.code == exit_code::pass)
      answer.code = exit_code::inconclusive;
  }
  const bool is_regression = std::ranges::any_of(answer.classes, [](const class_answer& part) {
    return part.decides && part.code == exit_code::regression;
  });
  if (is_regression) answer.code = exit_code::regression;
  std::ranges::stable_sort(answer.findings, {}, [](const finding& benchmark) {
    return std::pair(rank(benchmark),
                     benchmark.judgement ? -std::abs(benchmark.judgement->shift) : 0.0);
  });
}

bool more_runs_may_tell(const report& answer) {
  if (answer.code != exit_code::inconclusive || answer.differences() > 0) return false;
  if (answer.has_too_few_runs()) return true;
  return std::ranges::any_of(answer.classes, [](const class_answer& part) {
    return part.decides && more_runs_may_tell(part);
  });
}

}  // namespace bench_transfers::gate
