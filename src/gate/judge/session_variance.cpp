#include "src/gate/judge/session_variance.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace bench_transfers::gate {
namespace {

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

double square(double x) { return x * x; }

/// Logarithm of the density of x * scale, x of Student's t.
double log_t(double squared, double scale_squared) {
  static const double at_zero = std::log(pdf(boost::math::students_t(prior_degrees), 0.0));
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

/// Probability of a shift below this.
double probability_below(double shift, double variance) {
  return cdf(boost::math::students_t(prior_degrees), shift / std::sqrt(variance));
}

/// The likelihood of the new session's shifts. Only benchmarks that are as fast as their class or
/// faster count, because up to half of the slower ones may be slower in truth. If the fastest may
/// be improvements, only the fact that they are the fastest counts, not how fast they are.
double log_likelihood_of_shifts(std::span<const session_evidence> suite,
                                const std::vector<double>& variances, bool with_improvements) {
  double sum = 0;
  for (std::size_t i = 0; i < suite.size(); ++i) {
    const auto& evidence = suite[i];
    if (!has_new_session(evidence) || evidence.shift > 0) continue;
    const double variance = variance_of_shift(evidence, variances[i]);
    sum += with_improvements && evidence.shift < evidence.censored_below
               ? std::log(probability_below(evidence.censored_below, variance))
               : log_t(square(evidence.shift), variance);
  }
  return sum;
}

double log_likelihood_with_improvements(std::span<const session_evidence> suite,
                                        const std::vector<double>& variances) {
  return log_likelihood_of_shifts(suite, variances, true);
}

double log_likelihood_without_improvements(std::span<const session_evidence> suite,
                                           const std::vector<double>& variances) {
  return log_likelihood_of_shifts(suite, variances, false);
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

using log_likelihood_function = double(std::span<const session_evidence>,
                                       const std::vector<double>&);

/// The largest variance for each benchmark among the models that are about as likely as the best.
std::vector<double> suite_variances(std::span<const session_evidence> suite,
                                    log_likelihood_function& log_likelihood) {
  double mean_log = 0;
  for (const auto& evidence : suite)
    mean_log += std::log(evidence.process_variance) / 2 / static_cast<double>(suite.size());
  const double typical = std::exp(mean_log);

  struct model {
    double log_likelihood;
    std::vector<double> variances;
  };
  std::vector<model> models;
  for (const double exponent : {0.0, 0.5, 1.0}) {
    std::vector<double> shape;
    for (const auto& evidence : suite)
      shape.push_back(typical * std::pow(std::sqrt(evidence.process_variance) / typical, exponent));
    constexpr int steps = 31;
    constexpr double least = 0.05;
    constexpr double most = 20;
    for (int step = 0; step <= steps; ++step) {
      const double factor =
          step == 0 ? 0 : least * std::pow(most / least, (step - 1.0) / (steps - 1.0));
      std::vector<double> variances;
      for (const double deviation : shape) variances.push_back(square(factor * deviation));
      const double likelihood = log_likelihood(suite, variances);
      models.push_back({likelihood, std::move(variances)});
    }
  }
  const double best = std::ranges::max(models, {}, &model::log_likelihood).log_likelihood;
  std::vector<double> largest(suite.size());
  for (const auto& model : models)
    if (model.log_likelihood > best - log_likelihood_margin)
      for (std::size_t i = 0; i < suite.size(); ++i)
        largest[i] = std::max(largest[i], model.variances[i]);
  return largest;
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
        probability_below(suite[i].shift, variance_of_shift(suite[i], variances[i])) < least_p)
      return true;
  return false;
}

/// By maximum likelihood, the new session and the baseline's sessions each by itself: two sessions
/// of a baseline that were similar must not hide that the new one is different.
std::vector<double> likely_variances(std::span<const session_evidence> suite) {
  std::vector<double> variances(suite.size());
  if (std::ranges::any_of(suite, has_new_session)) {
    raise(variances, suite_variances(suite, log_likelihood_with_improvements));
    if (!has_improvement(suite, variances))
      raise(variances, suite_variances(suite, log_likelihood_without_improvements));
  }
  const bool has_sessions = std::ranges::any_of(
      suite, [](double degrees) { return degrees > 0; }, &session_evidence::between_degrees);
  if (has_sessions) raise(variances, suite_variances(suite, log_likelihood_of_sessions));
  return variances;
}

bool is_enough(std::span<const session_evidence> suite) {
  double pieces = 0;
  for (const auto& evidence : suite)
    pieces += (has_new_session(evidence) ? 1 : 0) + evidence.between_degrees;
  return pieces >= enough_evidence;
}

}  // namespace

std::vector<session_estimate> session_variances(std::span<const session_evidence> suite) {
  if (suite.empty()) return {};
  auto variances = likely_variances(suite);
  const bool is_assumed = !is_enough(suite);
  std::vector<session_estimate> estimates;
  for (std::size_t i = 0; i < suite.size(); ++i) {
    const auto& evidence = suite[i];
    if (is_assumed)
      variances[i] = std::max({variances[i], square(least_assumed_deviation),
                               square(assumed_process_deviations) * evidence.process_variance});
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
