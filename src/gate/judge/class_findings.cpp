#include "src/gate/judge/class_findings.hpp"

#include <algorithm>
#include <functional>

namespace bench_transfers::gate {
namespace {

bool is_tested(const finding& benchmark) {
  return benchmark.result == verdict::unchanged || benchmark.result == verdict::faster ||
         benchmark.result == verdict::slower;
}

bool is_within_by_mean(const finding& benchmark) {
  return slowdown(benchmark.by_mean->at_most) <= benchmark.mean_threshold;
}

bool is_cleared_in_turn(const finding& benchmark) {
  return benchmark.result == verdict::unchanged && benchmark.has_note<remarks::measured_in_turn>();
}

bool is_unchanged_by_first_runs(const finding& benchmark) {
  return benchmark.result == verdict::unchanged && !is_cleared_in_turn(benchmark);
}

}  // namespace

class_findings::class_findings(const report& answer, benchmark_class kind) {
  for (const auto& benchmark : answer.findings)
    if (benchmark.kind == kind && benchmark.result != verdict::added)
      findings_.push_back(&benchmark);
}

template <class Condition>
std::size_t class_findings::count(Condition condition) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      findings_, [&](const finding* benchmark) { return std::invoke(condition, *benchmark); }));
}

template <class Condition>
std::optional<double> class_findings::bound(std::optional<benchmark_judgement> finding::*judgement,
                                            Condition condition) const {
  std::optional<double> largest;
  for (const auto* benchmark : findings_)
    if (const auto& judged = benchmark->*judgement; judged && condition(*benchmark))
      largest = std::max(largest.value_or(0), slowdown(judged->at_most));
  return largest;
}

std::size_t class_findings::required() const {
  return count([](const finding& benchmark) { return !benchmark.excused; });
}

std::size_t class_findings::with(verdict result) const {
  return count([&](const finding& benchmark) { return benchmark.result == result; });
}

std::size_t class_findings::of_other_procedures() const {
  return count([](const finding& benchmark) {
    return benchmark.is_missing() && benchmark.has_note<remarks::other_procedure>();
  });
}

std::size_t class_findings::missing() const {
  return count(&finding::is_missing) - of_other_procedures();
}

std::size_t class_findings::with_few_repetitions() const {
  return count([](const finding& benchmark) {
    return !benchmark.excused && benchmark.has_note<remarks::few_repetitions>();
  });
}

std::size_t class_findings::compared() const {
  return count([](const finding& benchmark) { return benchmark.judgement.has_value(); });
}

std::size_t class_findings::compared_by_mean() const {
  return count([](const finding& benchmark) { return benchmark.by_mean.has_value(); });
}

std::size_t class_findings::tested() const { return count(is_tested); }

std::size_t class_findings::tested_by_mean() const {
  return count([](const finding& benchmark) {
    return is_tested(benchmark) && benchmark.by_mean && is_within_by_mean(benchmark);
  });
}

std::size_t class_findings::not_blind() const {
  return count([](const finding& benchmark) {
    return benchmark.judgement && !is_blind(*benchmark.judgement, benchmark.threshold);
  });
}

std::size_t class_findings::seen_slower(sighting state) const {
  return count([=](const finding& benchmark) {
    const auto& judgement = benchmark.deciding();
    return benchmark.result == verdict::ambiguous && judgement && judgement->sighting == state &&
           !benchmark.is_doubted_by_fastest();
  });
}

std::size_t class_findings::ambiguous() const {
  return with(verdict::ambiguous) - seen_slower(sighting::open) - seen_slower(sighting::unsure);
}

std::size_t class_findings::cleared() const {
  return count([](const finding& benchmark) {
    return benchmark.judgement && benchmark.judgement->sighting == sighting::cleared;
  });
}

std::size_t class_findings::cleared_in_turn() const { return count(is_cleared_in_turn); }

std::optional<double> class_findings::bound_of_unchanged() const {
  return bound(&finding::judgement, is_unchanged_by_first_runs);
}

std::optional<double> class_findings::bound_of_unchanged_by_mean() const {
  return bound(&finding::by_mean, [](const finding& benchmark) {
    return is_unchanged_by_first_runs(benchmark) && is_within_by_mean(benchmark);
  });
}

std::optional<double> class_findings::bound_of_not_known() const {
  return bound(&finding::judgement,
               [](const finding& benchmark) { return benchmark.result == verdict::not_known; });
}

}  // namespace bench_transfers::gate
