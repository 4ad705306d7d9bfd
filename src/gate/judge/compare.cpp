#include "src/gate/judge/compare.hpp"

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/poisson.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <map>

#include "src/gate/judge/estimate.hpp"
#include "src/gate/judge/sightings.hpp"
#include "src/statistics/holm.hpp"
#include "src/statistics/location.hpp"
#include "src/statistics/square.hpp"

namespace bench_transfers::gate {
namespace {

using statistics::square;

/// A slowdown is ambiguous if it would be an alarm at this multiple of the permitted rate of false
/// alarms.
constexpr double ambiguous_rate_factor = 3;

/// Of the upper bound of a slowdown.
constexpr double bound_confidence = 0.95;

/// A benchmark is slower only if every process shows it, not only their centre: one disturbed
/// process of three, or a benchmark with two speeds, is not a slower program. Of every three new
/// processes beyond the third, one may be as fast as before; of every 40 processes of the baseline,
/// one may be as slow as now.
class every_process_slower {
 public:
  every_process_slower(const estimate& benchmark, std::size_t new_processes, double threshold)
      : tolerated_(new_processes < 3 ? 0 : (new_processes - 3) / 3) {
    constexpr double deviations_from_centre = 2.5;
    constexpr double deviations_from_slowest = 2;
    const auto& before = benchmark.before;
    const double deviation = std::sqrt(benchmark.process_variance);
    const double process_error =
        std::sqrt(benchmark.process_variance * (1 + statistics::location_variance(before.size())) +
                  benchmark.variance_by_sessions());
    const auto slowest = before[before.size() - 1 - before.size() / 40] - benchmark.centre;
    least_ = std::max(0.0, benchmark.common) +
             std::max({threshold, deviations_from_centre * process_error,
                       slowest + deviations_from_slowest * deviation});
  }

  [[nodiscard]] bool holds_for(const estimate& benchmark) const {
    return benchmark.after[tolerated_] - benchmark.centre > least_;
  }

  /// The distance from the baseline's centre that the fastest new process must exceed.
  [[nodiscard]] double least() const { return least_; }
  /// New processes that need not exceed it.
  [[nodiscard]] std::size_t tolerated() const { return tolerated_; }

 private:
  double least_;
  std::size_t tolerated_;
};

/// Which slowdowns of a benchmark a check finds.
class sensitivity {
 public:
  /// `first_p`: the p that the most significant benchmark of the suite needs.
  sensitivity(const estimate& benchmark, std::size_t new_processes, double first_p)
      : benchmark_(benchmark), new_processes_(new_processes), first_p_(first_p) {}

  /// The shift that is judged slower with the probability `power`, by the normal distribution of
  /// centres and the probability that every process shows it.
  [[nodiscard]] double detectable_shift(double threshold, double power) const {
    const boost::math::normal normal;
    const double error = benchmark_.standard_error();
    const double power_quantile = quantile(normal, power);
    const double critical =
        quantile(complement(boost::math::students_t(benchmark_.degrees()), first_p_));
    const double by_centre = std::max(threshold, critical * error) + power_quantile * error;
    const every_process_slower rule(benchmark_, new_processes_, threshold);
    // The probability for one process with which enough of them exceed the rule's distance.
    const auto needed = static_cast<double>(new_processes_ - rule.tolerated());
    const boost::math::beta_distribution<> of_one(needed,
                                                  static_cast<double>(rule.tolerated()) + 1);
    const double one_quantile = quantile(normal, quantile(of_one, power));
    const double by_every_process =
        rule.least() + std::sqrt(benchmark_.process_variance * square(one_quantile) +
                                 benchmark_.variance_by_sessions() * square(power_quantile));
    return std::max(by_centre, by_every_process);
  }

 private:
  const estimate& benchmark_;
  std::size_t new_processes_;
  double first_p_;
};

benchmark_judgement bounds_of(const estimate& benchmark, double first_p) {
  benchmark_judgement judgement;
  judgement.shift = benchmark.shift;
  judgement.standard_error = benchmark.standard_error();
  judgement.degrees = benchmark.degrees();
  judgement.process_deviation = std::sqrt(benchmark.process_variance);
  judgement.session_deviation = std::sqrt(benchmark.session.variance);
  const boost::math::students_t t(judgement.degrees);
  const double error = judgement.standard_error;
  const double quantile_of_bound = quantile(t, bound_confidence);
  const double bound = std::hypot(quantile_of_bound * error, benchmark.common_bound);
  judgement.at_least = benchmark.least_slowdown() - quantile(complement(t, first_p)) * error;
  judgement.at_most = benchmark.shift + bound;
  judgement.resolution = bound * (1 + quantile(boost::math::normal(), 0.80) / quantile_of_bound);
  return judgement;
}

benchmark_judgement judgement_without_verdict(const estimate& benchmark, std::size_t new_processes,
                                              double first_p) {
  auto judgement = bounds_of(benchmark, first_p);
  const sensitivity sensitivity(benchmark, new_processes, first_p);
  judgement.detectable = sensitivity.detectable_shift(benchmark.threshold, 0.80);
  judgement.detectable_surely = sensitivity.detectable_shift(benchmark.threshold, 0.95);
  return judgement;
}

/// How probable a shift as large is without a change.
struct p_value {
  double slower = 1;
  double beyond = 1;             ///< without a change of more than the threshold
  double slower_with_class = 1;  ///< the common shift included
  double faster = 1;
};

/// Of one benchmark by itself.
p_value single_p(const estimate& benchmark) {
  const boost::math::students_t t(benchmark.degrees());
  const double error = benchmark.standard_error();
  return {cdf(complement(t, benchmark.least_slowdown() / error)),
          cdf(complement(t, (benchmark.least_slowdown() - benchmark.threshold) / error)),
          cdf(complement(t, benchmark.shift / error)),
          cdf(complement(t, benchmark.least_speedup() / error))};
}

/// Holm-adjusted within the class, and for as many such families.
void adjust(std::vector<p_value>& class_p, std::size_t families) {
  for (const auto member :
       {&p_value::slower, &p_value::beyond, &p_value::slower_with_class, &p_value::faster}) {
    std::vector<double> p;
    for (const auto& single : class_p) p.push_back(single.*member);
    const auto adjusted = statistics::holm_adjusted(p);
    for (std::size_t i = 0; i < class_p.size(); ++i)
      class_p[i].*member = std::min(1.0, adjusted[i] * static_cast<double>(families));
  }
}

/// Judges the benchmarks of one class.
class class_judge {
 public:
  /// `families`: by how many sets of comparisons the rate of false alarms is shared.
  class_judge(const class_estimates& estimates, const limits& limits, std::size_t families)
      : estimates_(estimates),
        limits_(limits),
        families_(static_cast<double>(families)),
        first_p_(limits.false_alarm / (families_ * benchmarks())),
        sightings_(sightings(estimates.benchmarks, limits.false_alarm / families_)) {
    for (const auto& benchmark : estimates.benchmarks) single_p_.push_back(single_p(benchmark));
    p_ = single_p_;
    adjust(p_, families);
    for (std::size_t i = 0; i < p_.size(); ++i) slower_ += looks_slower(i) ? 1 : 0;
  }

  [[nodiscard]] benchmark_judgement judgement(std::size_t index) const {
    const auto& benchmark = estimates_.benchmarks[index];
    auto judgement = judgement_without_verdict(benchmark, benchmark.after.size(), first_p_);
    judgement.p = p_[index].slower;
    judgement.sighting = sightings_[index].state;
    judgement.slow_processes = sightings_[index].processes;
    judgement.verdict = verdict(index, judgement);
    return judgement;
  }

 private:
  [[nodiscard]] outcome verdict(std::size_t index, const benchmark_judgement& judgement) const {
    const auto& benchmark = estimates_.benchmarks[index];
    const auto& p = p_[index];
    const double unsure = ambiguous_rate_factor * limits_.false_alarm;
    if (judgement.sighting == sighting::again) return outcome::slower;
    if (looks_slower(index)) {
      if (is_sure(index)) return outcome::slower;
      return is_vetoing() && may_all_be_by_session(index) ? outcome::not_known : outcome::ambiguous;
    }
    // Beyond the threshold only together with its class: it is unknown whose change that is.
    if (benchmark.shift > benchmark.threshold && p.slower_with_class < unsure)
      return outcome::ambiguous;
    const bool is_seen =
        judgement.sighting == sighting::open || judgement.sighting == sighting::unsure;
    if (is_seen || is_suspect(index)) return outcome::ambiguous;
    if (benchmark.least_speedup() > benchmark.threshold && p.faster < limits_.false_alarm)
      return outcome::faster;
    if (judgement.at_most <= benchmark.threshold) return outcome::unchanged;
    // Slower beyond doubt, and perhaps by the threshold; or by more than its noise should show.
    const bool can_be_judged = judgement.resolution <= benchmark.threshold;
    const bool may_be_slower =
        p.slower < unsure || (can_be_judged && benchmark.shift > benchmark.threshold);
    return may_be_slower && !is_vetoing() ? outcome::ambiguous : outcome::not_known;
  }

  [[nodiscard]] bool looks_slower(std::size_t index) const {
    const auto& benchmark = estimates_.benchmarks[index];
    return benchmark.least_slowdown() > benchmark.threshold &&
           p_[index].slower < ambiguous_rate_factor * limits_.false_alarm;
  }

  [[nodiscard]] bool is_sure(std::size_t index) const {
    const auto& benchmark = estimates_.benchmarks[index];
    const bool environment_changed = estimates_.shared && estimates_.shared->changed;
    const every_process_slower rule(benchmark, benchmark.after.size(), benchmark.threshold);
    const double p = is_vetoing() ? p_[index].beyond : p_[index].slower;
    return p < limits_.false_alarm && !environment_changed && rule.holds_for(benchmark) &&
           !is_too_little_for_one_session(index) && !may_be_by_session(index);
  }

  /// Whether the class shows that sessions alone move single benchmarks as far, and so often that
  /// this one may be such. The baseline's sessions show it; if it has only one, benchmarks show it
  /// that got faster.
  [[nodiscard]] bool may_be_by_session(std::size_t index) const {
    return moved_unseen(index) >= limits_.false_alarm;
  }

  /// How many benchmarks should have moved about as far, and in no session of the baseline.
  [[nodiscard]] double moved_unseen(std::size_t index) const {
    const auto& benchmark = estimates_.benchmarks[index];
    const double moved =
        benchmark.sessions < 2 ? moved_by_one_session(benchmark) : moved_alike(benchmark);
    // One with two levels shows the same in all its sessions by this chance.
    return moved * std::pow(0.5, static_cast<double>(benchmark.sessions));
  }

  /// Whether sessions explain all that got slower: no benchmark surely beyond the threshold, and no
  /// more of them than sessions have moved unseen.
  [[nodiscard]] bool may_all_be_by_session(std::size_t index) const {
    const auto& benchmark = estimates_.benchmarks[index];
    if (benchmark.sessions < 2 || p_[index].beyond < limits_.false_alarm) return false;
    const auto unseen = moved_unseen(index);
    if (unseen == 0) return false;
    const boost::math::poisson_distribution moved(unseen);
    return cdf(complement(moved, static_cast<double>(slower_) - 1)) >= limits_.false_alarm;
  }

  /// Others that got faster by about as much. One may be an improvement.
  [[nodiscard]] double moved_by_one_session(const estimate& benchmark) const {
    const double shift = benchmark.least_slowdown();
    const auto moved = count_others(benchmark, [&](const estimate& other) {
      return other.least_speedup() >= shift / 3 && other.least_speedup() <= 4 * shift;
    });
    return std::max(0.0, moved - 1);
  }

  /// Others whose sessions are apart by about as much.
  [[nodiscard]] double moved_alike(const estimate& benchmark) const {
    const double shift = benchmark.least_slowdown();
    return count_others(benchmark, [&](const estimate& other) {
      return other.levels.differ() && other.levels.apart >= shift / 2 &&
             other.levels.apart <= 4 * shift;
    });
  }

  template <class Condition>
  [[nodiscard]] double count_others(const estimate& benchmark, Condition condition) const {
    return static_cast<double>(std::ranges::count_if(
        estimates_.benchmarks,
        [&](const estimate& other) { return &other != &benchmark && condition(other); }));
  }

  /// A single session says nothing about how far others move this benchmark by itself. How far they
  /// do is no matter of the threshold that is asked for: a larger one than usual allows no more.
  [[nodiscard]] bool is_too_little_for_one_session(std::size_t index) const {
    const auto& benchmark = estimates_.benchmarks[index];
    return benchmark.sessions < 2 && !is_vetoing() &&
           benchmark.least_slowdown() <= std::min(much_slower(benchmark), usually_much_slower());
  }

  [[nodiscard]] double usually_much_slower() const {
    return std::log1p(3 * gate::limits().threshold_for(estimates_.kind));
  }

  /// Slower by several thresholds, which chance does not explain well. Such a benchmark must not be
  /// part of a pass.
  [[nodiscard]] bool is_suspect(std::size_t index) const {
    constexpr double unlikely = 0.05;
    const auto& benchmark = estimates_.benchmarks[index];
    return benchmark.least_slowdown() > much_slower(benchmark) &&
           single_p_[index].slower < unlikely;
  }

  [[nodiscard]] bool is_vetoing() const { return limits_.vetoing.contains(estimates_.kind); }
  [[nodiscard]] double benchmarks() const {
    return static_cast<double>(estimates_.benchmarks.size());
  }

  const class_estimates& estimates_;
  const limits& limits_;
  double families_;
  double first_p_;
  std::vector<slow_sighting> sightings_;
  std::vector<p_value> single_p_, p_;
  std::size_t slower_ = 0;  ///< benchmarks that look slower by more than their thresholds
};

/// The observations of one class, and where they are among all.
struct class_members {
  std::vector<observation> observations;
  std::vector<std::size_t> places;
};

std::map<benchmark_class, class_members> by_class(std::span<const observation> observations) {
  std::map<benchmark_class, class_members> classes;
  for (std::size_t i = 0; i < observations.size(); ++i) {
    auto& members = classes[observations[i].kind];
    members.observations.push_back(observations[i]);
    members.places.push_back(i);
  }
  return classes;
}

}  // namespace

std::vector<double> joined(const costs& sessions) {
  std::vector<double> processes;
  for (const auto& session : sessions)
    processes.insert(processes.end(), session.begin(), session.end());
  return processes;
}

std::optional<statistics::interval> interval_of(const benchmark_judgement& judgement,
                                                double confidence) {
  const bool is_known = std::isfinite(judgement.standard_error) && judgement.standard_error > 0 &&
                        std::isfinite(judgement.degrees) && judgement.degrees > 0;
  if (!is_known) return std::nullopt;
  const boost::math::students_t t(judgement.degrees);
  const double half = quantile(t, (1 + confidence) / 2) * judgement.standard_error;
  return statistics::interval{judgement.shift - half, judgement.shift + half};
}

bool is_advisory(const benchmark_judgement& judgement, double threshold) {
  return judgement.resolution > std::log1p(threshold);
}

bool is_blind(const benchmark_judgement& judgement, double threshold) {
  return judgement.resolution > std::log1p(3 * threshold);
}

limits limits_of_means(limits of_medians) {
  constexpr double wider = 2.5;
  of_medians.threshold *= wider;
  of_medians.latency_threshold *= wider;
  return of_medians;
}

comparison compare(std::span<const observation> observations, const limits& limits) {
  const auto classes = by_class(observations);
  comparison result;
  result.benchmarks.resize(observations.size());
  for (const auto& [kind, members] : classes) {
    const auto estimates = estimates_of(members.observations, limits, classes.size());
    const class_judge judge(estimates, limits, classes.size() * limits.looks);
    for (std::size_t i = 0; i < members.places.size(); ++i)
      result.benchmarks[members.places[i]] = judge.judgement(i);
    if (estimates.shared) result.classes.push_back(*estimates.shared);
  }
  return result;
}

namespace {

/// Of each number of new processes.
template <class Judgement_of>
std::vector<std::vector<benchmark_judgement>> without_new_runs(
    std::span<const observation> observations, std::span<const std::size_t> new_processes,
    const limits& limits, Judgement_of judgement_of) {
  const auto classes = by_class(observations);
  std::vector<std::vector<benchmark_judgement>> judgements(
      new_processes.size(), std::vector<benchmark_judgement>(observations.size()));
  for (const auto& [kind, members] : classes) {
    auto estimates = estimates_for(members.observations, 1, limits).benchmarks;
    const double first_p = limits.false_alarm / static_cast<double>(classes.size() * limits.looks *
                                                                    members.places.size());
    for (std::size_t n = 0; n < new_processes.size(); ++n)
      for (std::size_t i = 0; i < members.places.size(); ++i) {
        estimates[i].expect(new_processes[n]);
        judgements[n][members.places[i]] = judgement_of(estimates[i], new_processes[n], first_p);
      }
  }
  return judgements;
}

}  // namespace

std::vector<benchmark_judgement> detectable(std::span<const observation> observations,
                                            std::size_t new_processes, const limits& limits) {
  return without_new_runs(observations, std::span(&new_processes, 1), limits,
                          judgement_without_verdict)
      .front();
}

std::vector<std::vector<benchmark_judgement>> expected_bounds(
    std::span<const observation> observations, std::span<const std::size_t> new_processes,
    const limits& limits) {
  return without_new_runs(observations, new_processes, limits,
                          [](const estimate& benchmark, std::size_t, double first_p) {
                            return bounds_of(benchmark, first_p);
                          });
}

std::vector<benchmark_judgement> expected_bounds(std::span<const observation> observations,
                                                 std::size_t new_processes, const limits& limits) {
  return expected_bounds(observations, std::span(&new_processes, 1), limits).front();
}

}  // namespace bench_transfers::gate
