#include "src/gate/judge/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

#include "src/gate/judge/process_variance.hpp"
#include "src/gate/model/baseline.hpp"
#include "src/statistics/clipped_variance.hpp"
#include "src/statistics/distributions.hpp"
#include "src/statistics/location.hpp"
#include "src/statistics/quantile.hpp"
#include "src/statistics/square.hpp"
#include "src/statistics/variance_prior.hpp"

namespace bench_transfers::gate {
namespace {

using statistics::square;

/// The session variance's part of the variance of the centre of all processes.
double session_part_of(const costs& sessions, std::size_t processes) {
  double part = 0;
  for (const auto& session : sessions)
    part += square(static_cast<double>(session.size()) / static_cast<double>(processes));
  return part;
}

/// Without estimates of variances. `assumed_after`: new processes in one session, in the place of
/// those observed; 0: those observed.
estimate centres_and_shift(const observation& observed, std::size_t assumed_after,
                           const limits& limits) {
  estimate result;
  result.before = joined(observed.before);
  result.after = joined(observed.after);
  const auto after = assumed_after > 0 ? assumed_after : result.after.size();
  if (result.before.size() < least_processes || after == 0)
    throw std::invalid_argument("a benchmark needs three processes before and one after");
  std::ranges::sort(result.before);
  std::ranges::sort(result.after);
  result.looks = observed.looks.empty() ? costs{result.after} : observed.looks;
  result.sessions = static_cast<std::size_t>(
      std::ranges::count_if(observed.before, [](const auto& session) { return !session.empty(); }));
  result.centre = statistics::location(result.before);
  if (!result.after.empty()) result.shift = statistics::location(result.after) - result.centre;
  result.expect(after);
  result.session_part = session_part_of(observed.before, result.before.size()) +
                        (assumed_after > 0 ? 1 : session_part_of(observed.after, after));
  result.threshold = std::log1p(limits.threshold_for(observed.kind));
  return result;
}

/// Not clipped: it is the outliers that move the centre of few processes.
statistics::variance_estimate excess_of(const estimate& benchmark) {
  const auto own = statistics::unclipped_variance(std::span(&benchmark.after, 1));
  const double excess = std::max(0.0, own.variance - benchmark.process_variance);
  return {excess * statistics::location_variance(benchmark.after.size()),
          std::max(1.0, own.degrees)};
}

std::vector<estimate> processes_of(std::span<const observation> observations,
                                   std::size_t assumed_after, const limits& limits) {
  std::vector<estimate> benchmarks;
  for (const auto& observed : observations)
    benchmarks.push_back(centres_and_shift(observed, assumed_after, limits));
  const auto variances = process_variances(observations, limits.told_by);
  for (std::size_t i = 0; i < benchmarks.size(); ++i) {
    benchmarks[i].process_variance = variances[i].variance;
    benchmarks[i].process_degrees = variances[i].degrees;
    if (limits.may_vary_more && assumed_after == 0) benchmarks[i].excess = excess_of(benchmarks[i]);
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

template <class Centre>
centres session_centres(const observation& observed, Centre centre) {
  centres sessions;
  for (const auto& session : observed.before)
    sessions.push_back(session.empty() ? std::nullopt : std::optional(centre(session)));
  subtract_mean(sessions);
  return sessions;
}

centres session_centres(const observation& observed) {
  return session_centres(observed, [](const auto& costs) { return statistics::location(costs); });
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
  const statistics::students_t t{sessions - 1};
  return t.quantile(0.995) * std::sqrt(squares / (sessions - 1) * (1 + 1 / sessions));
}

/// Beyond what the class has in common in each session (`common`, empty for a class that is too
/// small).
void subtract_common(centres& sessions, const std::vector<double>& common) {
  for (std::size_t s = 0; s < sessions.size() && !common.empty(); ++s)
    if (sessions[s]) *sessions[s] -= common[s];
  subtract_mean(sessions);
}

/// Adds how the baseline's sessions differ.
void add_baseline_sessions(const observation& observed, const std::vector<double>& common,
                           session_evidence& evidence) {
  auto sessions = session_centres(observed);
  const double count = static_cast<double>(sessions.size()) -
                       static_cast<double>(std::ranges::count(sessions, std::optional<double>()));
  if (count < 2) return;
  subtract_common(sessions, common);
  evidence.between_degrees = count - 1;
  for (std::size_t s = 0; s < sessions.size(); ++s) {
    if (!sessions[s]) continue;
    evidence.between_sessions += square(*sessions[s]) / evidence.between_degrees;
    evidence.between_process_part +=
        statistics::location_variance(observed.before[s].size()) / count;
  }
}

/// `evidence`: with the baseline's sessions.
session_levels levels_of(const observation& observed, const std::vector<double>& common,
                         const session_evidence& evidence) {
  if (evidence.between_degrees < 1) return {};
  auto sessions =
      session_centres(observed, [](const auto& costs) { return statistics::median(costs); });
  subtract_common(sessions, common);
  session_levels levels;
  double fastest = 0, slowest = 0;  // around their mean
  for (const auto& level : sessions) {
    if (!level) continue;
    fastest = std::min(fastest, *level);
    slowest = std::max(slowest, *level);
  }
  levels.apart = slowest - fastest;
  // Far more than chance would put between the slowest and the fastest of ten sessions.
  levels.apart_by_processes = std::sqrt(evidence.process_variance) *
                              std::max(4.0, 6 * std::sqrt(evidence.between_process_part));
  return levels;
}

/// How much sessions may move a class as a whole, as far as nobody has seen it: about as much as
/// the recorded machines differ (docs/GATE.md).
double assumed_common_deviation(benchmark_class kind) {
  switch (kind) {
    case benchmark_class::host: return 0.05;
    case benchmark_class::latency: return 0.075;
    case benchmark_class::link:
    case benchmark_class::other: break;
  }
  return 0.002;
}

constexpr double assumed_common_degrees = 8;

/// Of the common shift of a new session, from the baseline's sessions and an assumption.
statistics::variance_estimate common_error(const std::vector<double>& common_of_sessions,
                                           double assumed_deviation, double assumed_degrees) {
  double squares = assumed_degrees * square(assumed_deviation);
  for (const double centre : common_of_sessions) squares += square(centre);
  const auto sessions = static_cast<double>(common_of_sessions.size());
  const double degrees = assumed_degrees + sessions - 1;
  return {squares / degrees * (1 + 1 / sessions), degrees};
}

/// How far a machine may be from others in a single benchmark, beyond its class: about as far as
/// the recorded machines are.
double assumed_machine_deviation(benchmark_class kind) {
  switch (kind) {
    case benchmark_class::host: return 0.05;
    case benchmark_class::latency: return 0.08;
    case benchmark_class::link:
    case benchmark_class::other: break;
  }
  return 0.002;
}

/// Whether the class is slower as a whole, by the threshold and by more than sessions explain: the
/// assumption, as if seen in eight sessions, and the baseline's own. Those say nothing of another
/// machine, unless each is of a machine of its own. A few machines that are alike do not make
/// another one less likely to be slower.
void judge_common_shift(const std::vector<double>& common_of_sessions, double threshold,
                        const limits& limits, double false_alarm, common_shift& shared) {
  const auto error_by = [&](const std::vector<double>& sessions) {
    return common_error(sessions, assumed_common_deviation(shared.kind), assumed_common_degrees);
  };
  const auto by_sessions = error_by(common_of_sessions);
  const auto by_assumption = error_by({0.0});
  const auto& known =
      limits.other_machine && !limits.sessions_are_machines ? by_assumption : by_sessions;
  const auto& cautious = limits.other_machine ? by_assumption : by_sessions;
  // Where a class only vetoes, a quarter of it is enough.
  const double shift = limits.vetoing.contains(shared.kind)
                           ? std::max(shared.shift, shared.shift_of_slower_quarter)
                           : shared.shift;
  const auto margin = [](const statistics::variance_estimate& error, double alarm) {
    const statistics::students_t t{error.degrees};
    return t.exceeded_by(alarm) * std::sqrt(error.variance);
  };
  constexpr double unsure = 0.05;
  shared.at_least = shift - margin(known, false_alarm);
  shared.slower = shared.at_least > threshold;
  shared.may_be_slower = !shared.slower && shift - margin(cautious, unsure) > threshold;
}

/// Separates the shift that the class has in common from what its benchmarks show by themselves,
/// and estimates from the latter how much sessions differ.
class class_separation {
 public:
  class_separation(std::span<const observation> observations, std::vector<estimate> benchmarks,
                   const limits& limits, std::size_t classes)
      : observations_(observations),
        limits_(limits),
        classes_(static_cast<double>(classes)),
        evidence_(observations.size()) {
    result_.kind = observations.front().kind;
    result_.benchmarks = std::move(benchmarks);
  }

  /// `has_new_runs`: the shifts are evidence, too.
  class_estimates result(bool has_new_runs) {
    const bool has_common_shift = observations_.size() >= least_class_size;
    if (has_common_shift) find_common_shift(has_new_runs);
    for (std::size_t i = 0; i < observations_.size(); ++i) {
      evidence_[i].process_variance = result_.benchmarks[i].process_variance;
      add_baseline_sessions(observations_[i], common_of_sessions_, evidence_[i]);
      result_.benchmarks[i].levels = levels_of(observations_[i], common_of_sessions_, evidence_[i]);
    }
    if (has_new_runs && has_common_shift) add_new_session();
    const auto estimates = session_variances(evidence_, !has_new_runs);
    const bool is_among_machines = limits_.other_machine && limits_.vetoing.contains(result_.kind);
    const double least = is_among_machines ? assumed_machine_deviation(result_.kind) : 0;
    for (std::size_t i = 0; i < estimates.size(); ++i) {
      result_.benchmarks[i].session = estimates[i];
      auto& variance = result_.benchmarks[i].session.variance;
      variance = std::max(variance, square(least));
    }
    return std::move(result_);
  }

 private:
  void find_common_shift(bool has_new_runs) {
    common_of_sessions_ = common_of_sessions(observations_);
    common_shift shared{.kind = observations_.front().kind, .benchmarks = observations_.size()};
    shared.explained = explained_by(common_of_sessions_);
    if (has_new_runs) {
      shared.shift = median_shift();
      shared.shift_of_slower_quarter = slower_quarter();
    }
    const double threshold = result_.benchmarks.front().threshold;
    shared.changed = std::abs(shared.shift) > threshold;
    judge_common_shift(common_of_sessions_, threshold, limits_, limits_.false_alarm / classes_,
                       shared);
    const double bound = common_bound_of(observations_);
    for (auto& benchmark : result_.benchmarks) {
      benchmark.common = shared.shift;
      // What nobody can know is not part of the bound: docs/GATE.md tells.
      benchmark.common_bound = std::isfinite(bound) ? bound : 0;
    }
    result_.shared = shared;
  }

  /// What a quarter of the class exceeds, less what chance puts there.
  [[nodiscard]] double slower_quarter() const {
    constexpr double normal_quartile = 0.6745;
    std::vector<double> shifts, errors;
    for (const auto& benchmark : result_.benchmarks) {
      shifts.push_back(benchmark.shift);
      errors.push_back(std::sqrt(benchmark.variance_by_processes()));
    }
    std::ranges::sort(shifts);
    return statistics::quantile(shifts, 0.75) -
           normal_quartile * statistics::median(std::move(errors));
  }

  [[nodiscard]] double median_shift() const {
    std::vector<double> shifts;
    for (const auto& benchmark : result_.benchmarks) shifts.push_back(benchmark.shift);
    return statistics::median(std::move(shifts));
  }

  void add_new_session() {
    for (std::size_t i = 0; i < evidence_.size(); ++i) {
      const auto& benchmark = result_.benchmarks[i];
      evidence_[i].shift = benchmark.shift - benchmark.common;
      evidence_[i].shift_process_part = benchmark.process_part;
      evidence_[i].shift_session_part = benchmark.session_part;
    }
  }

  std::span<const observation> observations_;
  const limits& limits_;
  double classes_;
  std::vector<session_evidence> evidence_;
  std::vector<double> common_of_sessions_;  ///< empty for a class that is too small
  class_estimates result_;
};

class_estimates estimates(std::span<const observation> observations, std::size_t assumed_after,
                          const limits& limits, std::size_t classes) {
  return class_separation(observations, processes_of(observations, assumed_after, limits), limits,
                          classes)
      .result(assumed_after == 0);
}

}  // namespace

void estimate::expect(std::size_t new_processes) {
  process_part =
      statistics::location_variance(before.size()) + statistics::location_variance(new_processes);
}

double estimate::degrees() const {
  return square(variance_by_processes() + variance_by_sessions()) /
         (square(process_variance * process_part) / process_degrees +
          square(excess.variance) / excess.degrees +
          square(variance_by_sessions()) / session.degrees);
}

double common_bound_of(std::span<const observation> observations) {
  const auto common = common_of_sessions(observations);
  if (common.empty()) return 0;
  const auto kind = observations.front().kind;
  const bool is_assumed = kind == benchmark_class::link || kind == benchmark_class::other;
  if (common.size() < 2 && !is_assumed) return std::numeric_limits<double>::infinity();
  const auto error = common_error(common, is_assumed ? assumed_common_deviation(kind) : 0,
                                  is_assumed ? assumed_common_degrees : 0);
  return statistics::students_t{error.degrees}.quantile(0.95) * std::sqrt(error.variance);
}

std::vector<double> common_of_sessions(std::span<const observation> observations) {
  if (observations.size() < least_class_size) return {};
  std::vector<centres> sessions;
  for (const auto& observed : observations) sessions.push_back(session_centres(observed));
  return median_centres(sessions);
}

class_estimates estimates_of(std::span<const observation> observations, const limits& limits,
                             std::size_t classes) {
  return estimates(observations, 0, limits, classes);
}

class_estimates estimates_for(std::span<const observation> observations, std::size_t new_processes,
                              const limits& limits) {
  return estimates(observations, new_processes, limits, 1);
}

}  // namespace bench_transfers::gate
