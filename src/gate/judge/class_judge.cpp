#include "src/gate/judge/class_judge.hpp"

#include <algorithm>
#include <cmath>

#include "src/gate/judge/sensitivity.hpp"
#include "src/gate/judge/session_moves.hpp"
#include "src/statistics/distributions.hpp"
#include "src/statistics/holm.hpp"

namespace bench_transfers::gate {
namespace {

/// Of one benchmark by itself.
p_value single_p(const estimate& benchmark) {
  const statistics::students_t t{benchmark.degrees()};
  const double error = benchmark.standard_error();
  return {.slower = t.above(benchmark.least_slowdown() / error),
          .beyond = t.above((benchmark.least_slowdown() - benchmark.threshold) / error),
          .slower_with_class = t.above(benchmark.shift / error),
          .faster = t.above(benchmark.least_speedup() / error)};
}

/// Holm-adjusted within the class, and for as many such families.
std::vector<p_value> adjusted(std::vector<p_value> class_p, std::size_t families) {
  for (const auto member :
       {&p_value::slower, &p_value::beyond, &p_value::slower_with_class, &p_value::faster}) {
    std::vector<double> p;
    for (const auto& single : class_p) p.push_back(single.*member);
    const auto holm = statistics::holm_adjusted(p);
    for (std::size_t i = 0; i < class_p.size(); ++i)
      class_p[i].*member = std::min(1.0, holm[i] * static_cast<double>(families));
  }
  return class_p;
}

/// Slower by several thresholds, which chance does not explain well. Such a benchmark must not be
/// part of a pass.
bool is_suspect(const estimate& benchmark, double single_p) {
  constexpr double unlikely = 0.05;
  return benchmark.least_slowdown() > much_slower(benchmark) && single_p < unlikely;
}

/// benchmark_judgement::most_slower.
std::size_t most_slower(const estimate& benchmark) {
  constexpr double deviations = 2;
  const auto& before = benchmark.before;
  const double least =
      before[before.size() - 1 - before.size() / 10] + std::max(0.0, benchmark.common) +
      std::max(benchmark.threshold, deviations * std::sqrt(benchmark.process_variance));
  const auto slower = static_cast<std::size_t>(benchmark.after.end() -
                                               std::ranges::upper_bound(benchmark.after, least));
  return 2 * slower > benchmark.after.size() ? slower : 0;
}

}  // namespace

class_judge::class_judge(const class_estimates& estimates, const limits& limits,
                         std::size_t families)
    : estimates_(estimates),
      limits_(limits),
      unsure_(3 * limits.false_alarm),
      first_p_(limits.false_alarm / static_cast<double>(families * estimates.benchmarks.size())),
      sightings_(sightings(estimates.benchmarks, limits.false_alarm / static_cast<double>(families),
                           is_vetoing())) {
  for (const auto& benchmark : estimates.benchmarks) single_p_.push_back(single_p(benchmark));
  p_ = adjusted(single_p_, families);
  for (std::size_t i = 0; i < p_.size(); ++i)
    slower_ += looks_slower(estimates.benchmarks[i], p_[i]) ? 1 : 0;
}

benchmark_judgement class_judge::judgement(std::size_t index) const {
  const auto& benchmark = estimates_.benchmarks[index];
  auto judgement = judgement_without_verdict(benchmark, {benchmark.after.size(), first_p_});
  judgement.p = p_[index].slower;
  judgement.sighting = sightings_[index].state;
  judgement.slow_processes = sightings_[index].processes;
  judgement.slowest = benchmark.after.back() - benchmark.centre;
  judgement.most_slower = most_slower(benchmark);
  judgement.verdict = verdict({benchmark, p_[index], single_p_[index].slower, judgement});
  return judgement;
}

/// The first rule that applies decides. What may be slower comes before what is faster or
/// unchanged: neither must hide it.
outcome class_judge::verdict(const judged& one) const {
  const auto& [benchmark, p, single_p, known] = one;
  if (known.sighting == sighting::again) return outcome::slower;
  if (looks_slower(benchmark, p)) return verdict_of_slower(one);
  // Beyond the threshold only together with its class: it is unknown whose change that is.
  if (benchmark.shift > benchmark.threshold && p.slower_with_class < unsure_)
    return outcome::ambiguous;
  if (known.sighting == sighting::open || known.sighting == sighting::unsure)
    return outcome::ambiguous;
  if (is_suspect(benchmark, single_p)) return outcome::ambiguous;
  if (known.most_slower > 0) return outcome::ambiguous;
  if (benchmark.least_speedup() > benchmark.threshold && p.faster < limits_.false_alarm)
    return outcome::faster;
  if (known.at_most <= benchmark.threshold) return outcome::unchanged;
  return may_be_slower(one) && !is_vetoing() ? outcome::ambiguous : outcome::not_known;
}

outcome class_judge::verdict_of_slower(const judged& one) const {
  if (is_sure(one)) return outcome::slower;
  return is_vetoing() && may_all_be_by_session(one) ? outcome::not_known : outcome::ambiguous;
}

bool class_judge::looks_slower(const estimate& benchmark, const p_value& p) const {
  return benchmark.least_slowdown() > benchmark.threshold && p.slower < unsure_;
}

/// All must hold: no alarm rests on one of them alone.
bool class_judge::is_sure(const judged& one) const {
  const auto& benchmark = one.benchmark;
  const bool environment_changed = estimates_.shared && estimates_.shared->changed;
  return (is_vetoing() ? one.p.beyond : one.p.slower) < limits_.false_alarm &&
         !environment_changed &&
         every_process_slower(benchmark, benchmark.after.size()).holds_for(benchmark) &&
         !is_too_little_for_one_session(benchmark) &&
         moved_unseen(benchmark, estimates_.benchmarks) < limits_.false_alarm;
}

/// Whether sessions explain all that got slower: no benchmark surely beyond the threshold, and no
/// more of them than sessions have moved unseen.
bool class_judge::may_all_be_by_session(const judged& one) const {
  return one.benchmark.sessions >= 2 && one.p.beyond >= limits_.false_alarm &&
         may_be_as_many(moved_unseen(one.benchmark, estimates_.benchmarks), slower_,
                        limits_.false_alarm);
}

/// A single session says nothing about how far others move this benchmark by itself. How far they
/// do is no matter of the threshold that is asked for: a larger one than usual allows no more.
bool class_judge::is_too_little_for_one_session(const estimate& benchmark) const {
  const double usually_much = std::log1p(3 * limits().threshold_for(estimates_.kind));
  return benchmark.sessions < 2 && !is_vetoing() &&
         benchmark.least_slowdown() <= std::min(much_slower(benchmark), usually_much);
}

/// Slower beyond doubt, and perhaps by the threshold; or by more than its noise should show.
bool class_judge::may_be_slower(const judged& one) const {
  const auto& benchmark = one.benchmark;
  const bool can_be_judged = one.known.resolution <= benchmark.threshold;
  return one.p.slower < unsure_ || (can_be_judged && benchmark.shift > benchmark.threshold);
}

}  // namespace bench_transfers::gate
