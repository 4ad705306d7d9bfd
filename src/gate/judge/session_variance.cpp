#include "src/gate/judge/session_variance.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "src/statistics/distributions.hpp"
#include "src/statistics/quantile.hpp"
#include "src/statistics/square.hpp"

namespace bench_transfers::gate {
namespace {

using statistics::square;

/// How similar the session variances of different benchmarks are assumed to be, in degrees of
/// freedom. Chosen with the simulation of docs/GATE.md, where they differ from none to 1 %.
constexpr double prior_degrees = 6;
/// Models are about as likely as the best if the logarithms of their likelihoods differ by less.
constexpr double log_likelihood_margin = 2;
/// New sessions of benchmarks, or degrees of freedom between sessions of the baseline.
constexpr double enough_evidence = 20;
constexpr double assumed_process_deviations = 5;
constexpr double least_assumed_deviation = 0.002;
/// More than `prior_degrees`: an assumption is chosen large, unlike an estimate, which may be far
/// too small.
constexpr double assumed_degrees = 30;

/// Logarithm of the density of x * scale, x of Student's t.
double log_t(double squared, double scale_squared) {
  static const double at_zero = std::log(statistics::students_t{prior_degrees}.density(0.0));
  return at_zero - 0.5 * std::log(scale_squared) -
         (prior_degrees + 1) / 2 * std::log1p(squared / scale_squared / prior_degrees);
}

/// The same for a variance that is `scale` times an F variable.
double log_f(double variance, double scale, double degrees) {
  const double ratio = variance / scale;
  if (ratio <= 0) return -std::log(scale);  // no density there for one or two degrees
  return -std::log(scale) + (degrees / 2 - 1) * std::log(ratio) -
         (degrees + prior_degrees) / 2 * std::log1p(ratio * degrees / prior_degrees);
}

bool has_new_session(const session_evidence& evidence) { return evidence.shift_session_part > 0; }

double variance_of_shift(const session_evidence& evidence, double session_variance) {
  return evidence.process_variance * evidence.shift_process_part +
         session_variance * evidence.shift_session_part;
}

/// The part of the variance between the baseline's sessions that its processes explain.
double variance_by_processes(const session_evidence& evidence) {
  return evidence.process_variance * evidence.between_process_part;
}

/// Probability of a shift above this.
double probability_above(double shift, double variance) {
  return statistics::students_t{prior_degrees}.above(shift / std::sqrt(variance));
}

/// The shifts of the benchmarks that got faster than the class, or of the others, as distances.
struct side {
  std::vector<std::optional<double>> distances;  ///< none for the other side
  double censored_above = 0;  ///< of larger distances only the fact that they are larger counts
};

/// `sign`: 1 for slower benchmarks, -1 for faster ones. `changed_part`: how many of the class may
/// have changed in this direction.
side side_of(std::span<const session_evidence> suite, double sign, double changed_part) {
  side result;
  std::vector<double> shifts;
  for (const auto& evidence : suite) {
    const double distance = sign * evidence.shift;
    const bool is_here = has_new_session(evidence) && distance >= 0;
    result.distances.push_back(is_here ? std::optional(distance) : std::nullopt);
    if (has_new_session(evidence)) shifts.push_back(distance);
  }
  std::ranges::sort(shifts);
  result.censored_above = std::max(0.0, statistics::quantile(shifts, 1 - changed_part));
  return result;
}

double log_likelihood_of_shifts(std::span<const session_evidence> suite, const side& side,
                                const std::vector<double>& variances) {
  double sum = 0;
  for (std::size_t i = 0; i < suite.size(); ++i) {
    if (!side.distances[i]) continue;
    const double distance = *side.distances[i];
    const double variance = variance_of_shift(suite[i], variances[i]);
    sum += distance > side.censored_above
               ? std::log(probability_above(side.censored_above, variance))
               : log_t(square(distance), variance);
  }
  return sum;
}

double log_likelihood_of_sessions(std::span<const session_evidence> suite,
                                  const std::vector<double>& variances) {
  double sum = 0;
  for (std::size_t i = 0; i < suite.size(); ++i) {
    const auto& evidence = suite[i];
    if (evidence.between_degrees > 0)
      sum += log_f(evidence.between_sessions, variance_by_processes(evidence) + variances[i],
                   evidence.between_degrees);
  }
  return sum;
}

/// Session variances of all benchmarks by one choice of A and b.
std::vector<std::vector<double>> candidate_variances(std::span<const session_evidence> suite) {
  double mean_log = 0;
  for (const auto& evidence : suite)
    mean_log += std::log(evidence.process_variance) / 2 / static_cast<double>(suite.size());
  const double typical = std::exp(mean_log);
  constexpr int steps = 43;
  constexpr double least = 0.05;
  constexpr double most = 1000;
  std::vector<std::vector<double>> candidates;
  for (const double exponent : {0.0, 0.5, 1.0})
    for (int step = 0; step <= steps; ++step) {
      const double factor =
          step == 0 ? 0 : least * std::pow(most / least, (step - 1.0) / (steps - 1.0));
      auto& variances = candidates.emplace_back();
      for (const auto& evidence : suite)
        variances.push_back(square(
            factor * typical * std::pow(std::sqrt(evidence.process_variance) / typical, exponent)));
    }
  return candidates;
}

/// Models that are about as likely as the best.
class likely_models {
 public:
  void add(double log_likelihood, const std::vector<double>& variances) {
    models_.push_back({log_likelihood, &variances});
  }

  /// The largest variance of each benchmark.
  [[nodiscard]] std::vector<double> largest() const {
    std::vector<double> largest(models_.front().variances->size());
    for (const auto* const variances : likely())
      for (std::size_t i = 0; i < largest.size(); ++i)
        largest[i] = std::max(largest[i], (*variances)[i]);
    return largest;
  }

  /// The least and the largest mean of a model's variances.
  [[nodiscard]] std::pair<double, double> range() const {
    std::vector<double> means;
    for (const auto* const variances : likely())
      means.push_back(std::reduce(variances->begin(), variances->end()) /
                      static_cast<double>(variances->size()));
    const auto [least, most] = std::ranges::minmax(means);
    return {least, most};
  }

 private:
  struct model {
    double log_likelihood;
    const std::vector<double>* variances;
  };

  [[nodiscard]] std::vector<const std::vector<double>*> likely() const {
    const double best = std::ranges::max(models_, {}, &model::log_likelihood).log_likelihood;
    std::vector<const std::vector<double>*> result;
    for (const auto& [log_likelihood, variances] : models_)
      if (log_likelihood > best - log_likelihood_margin) result.push_back(variances);
    return result;
  }

  std::vector<model> models_;
};

using all_variances = std::vector<std::vector<double>>;

likely_models models_of_shifts(std::span<const session_evidence> suite, const side& side,
                               const all_variances& candidates) {
  likely_models models;
  for (const auto& variances : candidates)
    models.add(log_likelihood_of_shifts(suite, side, variances), variances);
  return models;
}

std::vector<double> variances_by_sessions(std::span<const session_evidence> suite,
                                          const all_variances& candidates) {
  likely_models models;
  for (const auto& variances : candidates)
    models.add(log_likelihood_of_sessions(suite, variances), variances);
  return models.largest();
}

void raise(std::vector<double>& variances, const std::vector<double>& least) {
  for (std::size_t i = 0; i < variances.size(); ++i)
    variances[i] = std::max(variances[i], least[i]);
}

/// Whether a benchmark is so fast in the new session that chance explains it in fewer than one of a
/// hundred suites.
bool has_improvement(std::span<const session_evidence> suite,
                     const std::vector<double>& variances) {
  const double least_p = 0.01 / static_cast<double>(suite.size());
  for (std::size_t i = 0; i < suite.size(); ++i)
    if (has_new_session(suite[i]) &&
        probability_above(-suite[i].shift, variance_of_shift(suite[i], variances[i])) < least_p)
      return true;
  return false;
}

std::vector<double> variances_by_shifts(std::span<const session_evidence> suite,
                                        const all_variances& candidates) {
  constexpr double improved_part = 0.1;
  constexpr double slowed_part = 0.25;
  const auto faster = models_of_shifts(suite, side_of(suite, -1, improved_part), candidates);
  const auto slower = models_of_shifts(suite, side_of(suite, 1, slowed_part), candidates);
  const bool are_many_improved = faster.range().first > slower.range().second;
  if (are_many_improved) return slower.largest();
  auto variances = faster.largest();
  if (!has_improvement(suite, variances))
    raise(variances, models_of_shifts(suite, side_of(suite, -1, 0), candidates).largest());
  return variances;
}

/// By maximum likelihood, the new session and the baseline's sessions each by itself: two sessions
/// of a baseline that were similar must not hide that the new one is different.
std::vector<double> likely_variances(std::span<const session_evidence> suite) {
  const auto candidates = candidate_variances(suite);
  std::vector<double> variances(suite.size());
  if (std::ranges::any_of(suite, has_new_session))
    raise(variances, variances_by_shifts(suite, candidates));
  const bool has_sessions = std::ranges::any_of(
      suite, [](double degrees) { return degrees > 0; }, &session_evidence::between_degrees);
  if (has_sessions) raise(variances, variances_by_sessions(suite, candidates));
  return variances;
}

bool is_enough(std::span<const session_evidence> suite) {
  double pieces = 0;
  for (const auto& evidence : suite)
    pieces += (has_new_session(evidence) ? 1 : 0) + evidence.between_degrees;
  return pieces >= enough_evidence;
}

}  // namespace

std::vector<session_estimate> session_variances(std::span<const session_evidence> suite,
                                                bool awaits_new_session) {
  if (suite.empty()) return {};
  auto variances = likely_variances(suite);
  const bool is_assumed = !is_enough(suite);
  const bool will_be_known =
      awaits_new_session && static_cast<double>(suite.size()) >= enough_evidence;
  const double deviations = will_be_known ? 1 : assumed_process_deviations;
  std::vector<session_estimate> estimates;
  for (std::size_t i = 0; i < suite.size(); ++i) {
    const auto& evidence = suite[i];
    if (is_assumed)
      variances[i] = std::max({variances[i], square(least_assumed_deviation),
                               square(deviations) * evidence.process_variance});
    const double own_variance =
        std::max(0.0, evidence.between_sessions - variance_by_processes(evidence));
    const double suite_degrees = is_assumed ? assumed_degrees : prior_degrees;
    const double degrees = suite_degrees + evidence.between_degrees;
    const double weighted =
        (suite_degrees * variances[i] + evidence.between_degrees * own_variance) / degrees;
    estimates.push_back({std::max(variances[i], weighted), degrees});
  }
  return estimates;
}

}  // namespace bench_transfers::gate
