#include "src/gate/judge/compare.hpp"

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "src/gate/model/baseline.hpp"
#include "src/statistics/clipped_variance.hpp"
#include "src/statistics/holm.hpp"
#include "src/statistics/location.hpp"
#include "src/statistics/quantile.hpp"
#include "src/statistics/variance_prior.hpp"

namespace bench_transfers::gate {
namespace {

/// Fewer benchmarks have no common shift: their median could be that of real changes.
constexpr std::size_t least_class_size = 10;
/// A slowdown is ambiguous if it would be an alarm at this multiple of the permitted rate of false
/// alarms.
constexpr double ambiguous_rate_factor = 3;

double square(double x) { return x * x; }

/// The session variance's part of the variance of the centre of all processes.
double session_part_of(const costs& sessions, std::size_t processes) {
  double part = 0;
  for (const auto& session : sessions)
    part += square(static_cast<double>(session.size()) / static_cast<double>(processes));
  return part;
}

/// One benchmark before its judgement.
struct benchmark {
  std::vector<double> before, after;  ///< processes of all sessions, ascending
  double centre = 0;                  ///< of `before`
  double shift = 0;
  double common = 0;  ///< part of the shift that the class has in common
  double process_variance = 0;
  double process_degrees = 0;
  double process_part = 0;  ///< of the shift's variance, as a multiple of the process variance
  double session_part = 0;  ///< likewise of the session variance
  session_estimate session{0, 1};
  double threshold = 0;  ///< in logarithms

  [[nodiscard]] double variance_by_processes() const { return process_variance * process_part; }
  [[nodiscard]] double variance_by_sessions() const { return session.variance * session_part; }
  [[nodiscard]] double standard_error() const {
    return std::sqrt(variance_by_processes() + variance_by_sessions());
  }
  /// Welch-Satterthwaite.
  [[nodiscard]] double degrees() const {
    return square(variance_by_processes() + variance_by_sessions()) /
           (square(variance_by_processes()) / process_degrees +
            square(variance_by_sessions()) / session.degrees);
  }
  /// The least slowdown and the least speedup, whether or not the common shift belongs to it.
  [[nodiscard]] double least_slowdown() const { return std::min(shift, shift - common); }
  [[nodiscard]] double least_speedup() const { return -std::max(shift, shift - common); }
};

/// Without estimates of variances. `assumed_after`: new processes in one session, in the place of
/// those observed; 0: those observed.
benchmark centres_and_shift(const observation& observed, std::size_t assumed_after,
                            const limits& limits) {
  benchmark result;
  result.before = joined(observed.before);
  result.after = joined(observed.after);
  const auto after = assumed_after > 0 ? assumed_after : result.after.size();
  if (result.before.size() < least_processes || after == 0)
    throw std::invalid_argument("a benchmark needs three processes before and one after");
  std::ranges::sort(result.before);
  std::ranges::sort(result.after);
  result.centre = statistics::location(result.before);
  if (!result.after.empty()) result.shift = statistics::location(result.after) - result.centre;
  result.process_part =
      statistics::location_variance(result.before.size()) + statistics::location_variance(after);
  result.session_part = session_part_of(observed.before, result.before.size()) +
                        (assumed_after > 0 ? 1 : session_part_of(observed.after, after));
  result.threshold = std::log1p(limits.threshold_for(observed.latency_bound));
  return result;
}

std::vector<benchmark> benchmarks_of(std::span<const observation> observations,
                                     std::size_t assumed_after, const limits& limits) {
  statistics::clipped_variance variance_within;
  std::vector<statistics::variance_estimate> variances;
  std::vector<benchmark> benchmarks;
  for (const auto& observed : observations) {
    benchmarks.push_back(centres_and_shift(observed, assumed_after, limits));
    auto variance = variance_within(observed.before);
    // With one process a session, processes and sessions cannot be told apart.
    if (variance.degrees <= 0) variance = variance_within(costs{benchmarks.back().before});
    variance.variance =
        std::max({variance.variance, square(observed.least_deviation), square(1e-4)});
    variances.push_back(variance);
  }
  const statistics::variance_prior prior(variances);
  for (std::size_t i = 0; i < benchmarks.size(); ++i) {
    const auto moderated = prior.moderated(variances[i]);
    benchmarks[i].process_variance = moderated.variance;
    benchmarks[i].process_degrees = moderated.degrees;
  }
  return benchmarks;
}

/// Centres of the baseline's sessions minus their mean; none where a benchmark was not measured.
using centres = std::vector<std::optional<double>>;

void subtract_mean(centres& sessions) {
  double sum = 0;
  double count = 0;
  for (const auto& centre : sessions)
    if (centre) {
      sum += *centre;
      ++count;
    }
  for (auto& centre : sessions)
    if (centre) *centre -= sum / count;
}

centres session_centres(const observation& observed) {
  centres sessions;
  for (const auto& session : observed.before)
    sessions.push_back(session.empty() ? std::nullopt
                                       : std::optional(statistics::location(session)));
  subtract_mean(sessions);
  return sessions;
}

/// The median of the benchmarks' centres for each session of the baseline.
std::vector<double> median_centres(const std::vector<centres>& benchmarks) {
  std::vector<std::vector<double>> sessions;
  for (const auto& benchmark_centres : benchmarks) {
    sessions.resize(benchmark_centres.size());
    for (std::size_t s = 0; s < benchmark_centres.size(); ++s)
      if (benchmark_centres[s]) sessions[s].push_back(*benchmark_centres[s]);
  }
  std::vector<double> medians;
  for (auto& values : sessions)
    medians.push_back(values.empty() ? 0 : statistics::median(std::move(values)));
  return medians;
}

/// Half the width of the interval that contains the common shift of one more session with a
/// probability of 99 %.
double explained_by(const std::vector<double>& common) {
  if (common.size() < 3) return 0;  // two sessions say next to nothing
  double squares = 0;
  for (const double centre : common) squares += square(centre);
  const auto sessions = static_cast<double>(common.size());
  const boost::math::students_t t(sessions - 1);
  return quantile(t, 0.995) * std::sqrt(squares / (sessions - 1) * (1 + 1 / sessions));
}

/// Below this a class's shifts may be improvements: the fastest tenth.
double fastest_tenth(std::vector<double> shifts) {
  std::ranges::sort(shifts);
  return std::min(0.0, statistics::quantile(shifts, 0.1));
}

/// Adds how the baseline's sessions differ beyond what the class has in common in each of them
/// (`common`, empty for a class that is too small).
void add_baseline_sessions(const observation& observed, const std::vector<double>& common,
                           session_evidence& evidence) {
  auto sessions = session_centres(observed);
  double count = 0;
  for (std::size_t s = 0; s < sessions.size(); ++s) {
    if (!sessions[s]) continue;
    if (!common.empty()) *sessions[s] -= common[s];
    ++count;
  }
  if (count < 2) return;
  subtract_mean(sessions);
  evidence.between_degrees = count - 1;
  for (std::size_t s = 0; s < sessions.size(); ++s) {
    if (!sessions[s]) continue;
    evidence.between_sessions += square(*sessions[s]) / evidence.between_degrees;
    evidence.between_process_part +=
        statistics::location_variance(observed.before[s].size()) / count;
  }
}

/// Separates the shift that each class has in common from what its benchmarks show by themselves,
/// and estimates from the latter how much sessions differ.
class class_separation {
 public:
  class_separation(std::span<const observation> observations, std::vector<benchmark>& benchmarks,
                   const limits& limits)
      : observations_(observations),
        benchmarks_(benchmarks),
        limits_(limits),
        evidence_(observations.size()) {}

  /// Sets the common shifts and the session estimates of the benchmarks. Returns the classes that
  /// are large enough to have a common shift. `has_new_runs`: the shifts are evidence, too.
  std::vector<common_shift> run(bool has_new_runs) {
    std::vector<common_shift> classes;
    for (const bool latency_bound : {false, true}) {
      const auto members = members_of_class(latency_bound);
      const auto shared = separate(members, latency_bound, has_new_runs);
      if (is_large_enough(members)) classes.push_back(shared);
    }
    const auto estimates = session_variances(evidence_);
    for (std::size_t i = 0; i < benchmarks_.size(); ++i) benchmarks_[i].session = estimates[i];
    return classes;
  }

 private:
  using indices = std::vector<std::size_t>;

  /// A smaller class says nothing about the new session: its shifts may all be real changes.
  static bool is_large_enough(const indices& members) { return members.size() >= least_class_size; }

  [[nodiscard]] indices members_of_class(bool latency_bound) const {
    indices members;
    for (std::size_t i = 0; i < observations_.size(); ++i)
      if (observations_[i].latency_bound == latency_bound) members.push_back(i);
    return members;
  }

  common_shift separate(const indices& members, bool latency_bound, bool has_new_runs) {
    std::vector<double> shifts;
    std::vector<centres> sessions;
    for (const auto i : members) {
      shifts.push_back(benchmarks_[i].shift);
      sessions.push_back(session_centres(observations_[i]));
    }
    const bool has_common_shift = is_large_enough(members);
    const auto in_sessions = has_common_shift ? median_centres(sessions) : std::vector<double>();
    common_shift shared{latency_bound, members.size(), 0, explained_by(in_sessions), false};
    if (has_new_runs && has_common_shift) shared.shift = statistics::median(shifts);
    shared.changed = std::abs(shared.shift) > std::log1p(limits_.threshold_for(latency_bound));
    for (const auto i : members) {
      benchmarks_[i].common = shared.shift;
      evidence_[i].process_variance = benchmarks_[i].process_variance;
      add_baseline_sessions(observations_[i], in_sessions, evidence_[i]);
    }
    if (has_new_runs && has_common_shift) add_new_session(members, shared.shift);
    return shared;
  }

  void add_new_session(const indices& members, double common) {
    std::vector<double> shifts;
    for (const auto i : members) shifts.push_back(benchmarks_[i].shift - common);
    const double censored_below = fastest_tenth(shifts);
    for (std::size_t k = 0; k < members.size(); ++k) {
      const auto& member = benchmarks_[members[k]];
      auto& evidence = evidence_[members[k]];
      evidence.shift = shifts[k];
      evidence.censored_below = censored_below;
      evidence.shift_process_part = member.process_part;
      evidence.shift_session_part = member.session_part;
    }
  }

  std::span<const observation> observations_;
  std::vector<benchmark>& benchmarks_;
  const limits& limits_;
  std::vector<session_evidence> evidence_;
};

/// A benchmark is slower only if every process shows it, not only their centre: one disturbed
/// process of three, or a benchmark with two speeds, is not a slower program. Of every three new
/// processes beyond the third, one may be as fast as before; of every 40 processes of the baseline,
/// one may be as slow as now.
class every_process_slower {
 public:
  every_process_slower(const benchmark& benchmark, std::size_t new_processes, double threshold)
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

  [[nodiscard]] bool holds_for(const benchmark& benchmark) const {
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
  sensitivity(const benchmark& benchmark, std::size_t new_processes, double first_p)
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
  const benchmark& benchmark_;
  std::size_t new_processes_;
  double first_p_;
};

benchmark_judgement judgement_without_verdict(const benchmark& benchmark, std::size_t new_processes,
                                              double first_p) {
  const sensitivity sensitivity(benchmark, new_processes, first_p);
  benchmark_judgement judgement;
  judgement.shift = benchmark.shift;
  judgement.standard_error = benchmark.standard_error();
  judgement.degrees = benchmark.degrees();
  judgement.process_deviation = std::sqrt(benchmark.process_variance);
  judgement.session_deviation = std::sqrt(benchmark.session.variance);
  judgement.detectable = sensitivity.detectable_shift(benchmark.threshold, 0.80);
  judgement.detectable_surely = sensitivity.detectable_shift(benchmark.threshold, 0.95);
  judgement.resolution = sensitivity.detectable_shift(0, 0.80);
  return judgement;
}

/// How probable shifts as large are without a change; Holm-adjusted over the suite.
struct p_values {
  std::vector<double> slower;
  std::vector<double> slower_with_class;  ///< the common shift included
  std::vector<double> faster;

  explicit p_values(std::span<const benchmark> benchmarks) {
    for (const auto& benchmark : benchmarks) {
      const boost::math::students_t t(benchmark.degrees());
      const double error = benchmark.standard_error();
      slower.push_back(cdf(complement(t, benchmark.least_slowdown() / error)));
      slower_with_class.push_back(cdf(complement(t, benchmark.shift / error)));
      faster.push_back(cdf(complement(t, benchmark.least_speedup() / error)));
    }
    for (auto* const p : {&slower, &slower_with_class, &faster}) *p = statistics::holm_adjusted(*p);
  }
};

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

bool are_too_few(std::size_t sensitive, std::size_t benchmarks) {
  return benchmarks_per_sensitive_one * sensitive < benchmarks;
}

comparison compare(std::span<const observation> observations, const limits& limits) {
  auto benchmarks = benchmarks_of(observations, 0, limits);
  comparison result;
  result.classes = class_separation(observations, benchmarks, limits).run(true);
  const p_values p(benchmarks);
  const double unsure = ambiguous_rate_factor * limits.false_alarm;
  const double first_p = limits.false_alarm / static_cast<double>(observations.size());
  for (std::size_t i = 0; i < benchmarks.size(); ++i) {
    const auto& benchmark = benchmarks[i];
    const auto new_processes = benchmark.after.size();
    auto judgement = judgement_without_verdict(benchmark, new_processes, first_p);
    judgement.p = p.slower[i];
    const bool environment_changed =
        std::ranges::any_of(result.classes, [&](const common_shift& shared) {
          return shared.latency_bound == observations[i].latency_bound && shared.changed;
        });
    if (benchmark.least_slowdown() > benchmark.threshold && judgement.p < unsure) {
      const every_process_slower rule(benchmark, new_processes, benchmark.threshold);
      const bool is_sure =
          judgement.p < limits.false_alarm && !environment_changed && rule.holds_for(benchmark);
      judgement.verdict = is_sure ? outcome::slower : outcome::ambiguous;
    } else if (benchmark.shift > benchmark.threshold && p.slower_with_class[i] < unsure) {
      // Beyond the threshold only together with its class: it is unknown whose change that is.
      judgement.verdict = outcome::ambiguous;
    } else if (benchmark.least_speedup() > benchmark.threshold &&
               p.faster[i] < limits.false_alarm) {
      judgement.verdict = outcome::faster;
    }
    result.benchmarks.push_back(judgement);
  }
  return result;
}

std::vector<benchmark_judgement> detectable(std::span<const observation> observations,
                                            std::size_t new_processes, const limits& limits) {
  auto benchmarks = benchmarks_of(observations, new_processes, limits);
  class_separation(observations, benchmarks, limits).run(false);
  const double first_p = limits.false_alarm / static_cast<double>(observations.size());
  std::vector<benchmark_judgement> judgements;
  for (const auto& benchmark : benchmarks)
    judgements.push_back(judgement_without_verdict(benchmark, new_processes, first_p));
  return judgements;
}

}  // namespace bench_transfers::gate
