#include "src/gate/judge/session_variance.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "src/gate/judge/session_likelihood.hpp"
#include "src/statistics/square.hpp"

namespace bench_transfers::gate {
namespace {

using statistics::square;
using statistics::variance_estimate;

/// Models are about as likely as the best if the logarithms of their likelihoods differ by less.
constexpr double log_likelihood_margin = 2;
/// New sessions of benchmarks, or degrees of freedom between sessions of the baseline.
constexpr double enough_evidence = 20;
constexpr double assumed_process_deviations = 5;
constexpr double least_assumed_deviation = 0.002;
/// More than `similar_degrees`: an assumption is chosen large, unlike an estimate, which may be far
/// too small.
constexpr double assumed_degrees = 30;

using all_variances = std::vector<std::vector<double>>;

/// Session variances of all benchmarks for each choice of A and b.
all_variances candidate_variances(std::span<const session_evidence> suite) {
  double mean_log = 0;
  for (const auto& evidence : suite)
    mean_log += std::log(evidence.process_variance) / 2 / static_cast<double>(suite.size());
  const double typical = std::exp(mean_log);
  constexpr int steps = 43;
  constexpr double least = 0.05;
  constexpr double most = 1000;
  all_variances candidates;
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

likely_models models_of_shifts(std::span<const session_evidence> suite, const side& side,
                               const all_variances& candidates) {
  likely_models models;
  for (const auto& variances : candidates)
    models.add(log_likelihood_by_shifts(suite, side, variances), variances);
  return models;
}

std::vector<double> variances_by_baseline(std::span<const session_evidence> suite,
                                          const all_variances& candidates) {
  likely_models models;
  for (const auto& variances : candidates)
    models.add(log_likelihood_by_baseline(suite, variances), variances);
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
    if (const auto& evidence = suite[i].of_new_session;
        evidence &&
        probability_as_fast(*evidence, suite[i].process_variance, variances[i]) < least_p)
      return true;
  return false;
}

std::vector<double> variances_by_shifts(std::span<const session_evidence> suite,
                                        const all_variances& candidates) {
  constexpr double improved_part = 0.1;
  constexpr double slowed_part = 0.25;
  const auto models_of = [&](direction towards, double changed_part) {
    return models_of_shifts(suite, side_of(suite, towards, changed_part), candidates);
  };
  const auto faster = models_of(direction::faster, improved_part);
  const auto slower = models_of(direction::slower, slowed_part);
  const bool are_many_improved = faster.range().first > slower.range().second;
  if (are_many_improved) return slower.largest();
  auto variances = faster.largest();
  if (!has_improvement(suite, variances))
    raise(variances, models_of(direction::faster, 0).largest());
  return variances;
}

bool has_new_session(const session_evidence& evidence) {
  return evidence.of_new_session.has_value();
}

bool has_baseline_sessions(const session_evidence& evidence) {
  return evidence.of_baseline.has_value();
}

/// By maximum likelihood, the new session and the baseline's sessions each by itself: two sessions
/// of a baseline that were similar must not hide that the new one is different.
std::vector<double> likely_variances(std::span<const session_evidence> suite) {
  const auto candidates = candidate_variances(suite);
  std::vector<double> variances(suite.size());
  if (std::ranges::any_of(suite, has_new_session))
    raise(variances, variances_by_shifts(suite, candidates));
  if (std::ranges::any_of(suite, has_baseline_sessions))
    raise(variances, variances_by_baseline(suite, candidates));
  return variances;
}

bool is_enough(std::span<const session_evidence> suite) {
  double pieces = 0;
  for (const auto& evidence : suite)
    pieces += (evidence.of_new_session ? 1 : 0) +
              (evidence.of_baseline ? evidence.of_baseline->degrees : 0);
  return pieces >= enough_evidence;
}

/// Raises the variances to those that docs/GATE.md assumes.
void assume(std::vector<double>& variances, std::span<const session_evidence> suite,
            new_session newest) {
  const bool will_be_known =
      newest == new_session::awaited && static_cast<double>(suite.size()) >= enough_evidence;
  const double deviations = will_be_known ? 1 : assumed_process_deviations;
  for (std::size_t i = 0; i < suite.size(); ++i)
    variances[i] = std::max({variances[i], square(least_assumed_deviation),
                             square(deviations) * suite[i].process_variance});
}

/// Of one benchmark: not less than by the suite, and more if its own sessions differ more.
variance_estimate with_own_sessions(const variance_estimate& by_suite,
                                    const session_evidence& evidence) {
  const auto own = evidence.of_baseline.value_or(baseline_evidence{});
  const double own_variance =
      std::max(0.0, own.variance - variance_by_processes(own, evidence.process_variance));
  const double degrees = by_suite.degrees + own.degrees;
  const double weighted =
      (by_suite.degrees * by_suite.variance + own.degrees * own_variance) / degrees;
  return {std::max(by_suite.variance, weighted), degrees};
}

}  // namespace

std::vector<variance_estimate> session_variances(std::span<const session_evidence> suite,
                                                 new_session newest) {
  if (suite.empty()) return {};
  auto variances = likely_variances(suite);
  const bool is_assumed = !is_enough(suite);
  if (is_assumed) assume(variances, suite, newest);
  const double suite_degrees = is_assumed ? assumed_degrees : similar_degrees;
  std::vector<variance_estimate> estimates;
  for (std::size_t i = 0; i < suite.size(); ++i)
    estimates.push_back(with_own_sessions({variances[i], suite_degrees}, suite[i]));
  return estimates;
}

}  // namespace bench_transfers::gate
