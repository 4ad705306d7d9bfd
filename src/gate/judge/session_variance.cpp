#include "src/gate/judge/session_variance.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace bench_transfers::gate {
namespace {

/// How alike the session variances of different benchmarks are taken to be: worth so many degrees
/// of freedom. Chosen with the simulation of docs/GATE.md, where they differ from none to 1 %.
constexpr double alike_degrees = 6;
constexpr double as_likely = 2;
/// New sessions of benchmarks, or degrees of freedom between sessions of the baseline.
constexpr double enough_evidence = 20;
constexpr double assumed_times_process = 5;
constexpr double assumed_least = 0.002;
/// An assumption is no estimate that could be far too small.
constexpr double assumed_degrees = 30;

double square(double x) { return x * x; }

/// Logarithm of the density of x * scale, x of Student's t.
double log_t(double squared, double scale_squared) {
  static const double at_zero = std::log(pdf(boost::math::students_t(alike_degrees), 0.0));
  return at_zero - 0.5 * std::log(scale_squared) -
         (alike_degrees + 1) / 2 * std::log1p(squared / scale_squared / alike_degrees);
}

/// The same for a variance that is `scale` times an F variable.
double log_f(double variance, double scale, double degrees) {
  const double ratio = variance / scale;
  if (ratio <= 0) return -std::log(scale);  // no density there for one or two degrees
  return -std::log(scale) + (degrees / 2 - 1) * std::log(ratio) -
         (degrees + alike_degrees) / 2 * std::log1p(ratio * degrees / alike_degrees);
}

double variance_of_shift(const session_evidence& one, double session_variance) {
  return one.process_variance * one.shift_process_part + session_variance * one.shift_session_part;
}

/// Probability of a shift below this.
double probability_below(double shift, double variance) {
  return cdf(boost::math::students_t(alike_degrees), shift / std::sqrt(variance));
}

/// How likely variances make what the new session shows: benchmarks that are faster than their
/// class, or as fast, because slower ones may be slower in truth, up to half of them. Where the
/// fastest are improvements, all that is used of them is that they are the fastest.
double log_likelihood_of_shifts(std::span<const session_evidence> all,
                                const std::vector<double>& variances, bool with_improvements) {
  double sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& one = all[i];
    if (one.shift_session_part <= 0 || one.shift > 0) continue;
    const double variance = variance_of_shift(one, variances[i]);
    sum += with_improvements && one.shift < one.censored_below
               ? std::log(probability_below(one.censored_below, variance))
               : log_t(square(one.shift), variance);
  }
  return sum;
}

double log_likelihood_of_sessions(std::span<const session_evidence> all,
                                  const std::vector<double>& variances) {
  double sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& one = all[i];
    if (one.between_degrees > 0)
      sum += log_f(one.between_sessions,
                   one.process_variance * one.between_process_part + variances[i],
                   one.between_degrees);
  }
  return sum;
}

/// The largest variance for each benchmark among the models that are about as likely as the best.
template <class LogLikelihood>
std::vector<double> suite_variances(std::span<const session_evidence> all,
                                    LogLikelihood log_likelihood) {
  double mean_log = 0;
  for (const auto& one : all)
    mean_log += std::log(one.process_variance) / 2 / static_cast<double>(all.size());
  const double typical = std::exp(mean_log);

  struct model {
    double log_likelihood;
    std::vector<double> variances;
  };
  std::vector<model> models;
  for (const double exponent : {0.0, 0.5, 1.0}) {
    std::vector<double> shape;
    for (const auto& one : all)
      shape.push_back(typical * std::pow(std::sqrt(one.process_variance) / typical, exponent));
    constexpr int steps = 31;
    constexpr double least = 0.05;
    constexpr double most = 20;
    for (int step = 0; step <= steps; ++step) {
      const double times =
          step == 0 ? 0 : least * std::pow(most / least, (step - 1.0) / (steps - 1.0));
      std::vector<double> variances;
      for (const double one : shape) variances.push_back(square(times * one));
      const double likelihood = log_likelihood(all, variances);
      models.push_back({likelihood, std::move(variances)});
    }
  }
  const double best = std::ranges::max(models, {}, &model::log_likelihood).log_likelihood;
  std::vector<double> largest(all.size());
  for (const auto& one : models)
    if (one.log_likelihood > best - as_likely)
      for (std::size_t i = 0; i < all.size(); ++i)
        largest[i] = std::max(largest[i], one.variances[i]);
  return largest;
}

}  // namespace

std::vector<session_estimate> session_variances(std::span<const session_evidence> all) {
  if (all.empty()) return {};
  const bool shifts = std::ranges::any_of(
      all, [](const session_evidence& one) { return one.shift_session_part > 0; });
  const bool sessions =
      std::ranges::any_of(all, [](const session_evidence& one) { return one.between_degrees > 0; });
  // Each by itself: a baseline of two sessions that were alike must not hide that the new one is
  // not.
  std::vector<double> suite(all.size());
  const auto raise = [&](const std::vector<double>& variances) {
    for (std::size_t i = 0; i < all.size(); ++i) suite[i] = std::max(suite[i], variances[i]);
  };
  if (shifts) {
    const auto fit = [&](bool with_improvements) {
      return suite_variances(all, [&](const auto& evidence, const auto& variances) {
        return log_likelihood_of_shifts(evidence, variances, with_improvements);
      });
    };
    raise(fit(true));
    // One that chance makes so fast in one of a hundred suites is an improvement.
    constexpr double one_of_a_hundred = 0.01;
    bool improved = false;
    for (std::size_t i = 0; i < all.size(); ++i)
      improved = improved || (all[i].shift_session_part > 0 &&
                              probability_below(all[i].shift, variance_of_shift(all[i], suite[i])) <
                                  one_of_a_hundred / static_cast<double>(all.size()));
    if (!improved) raise(fit(false));
  }
  if (sessions) raise(suite_variances(all, log_likelihood_of_sessions));
  double evidence = 0;
  for (const auto& one : all)
    evidence += (one.shift_session_part > 0 ? 1 : 0) + one.between_degrees;
  const bool assumed = evidence < enough_evidence;

  std::vector<session_estimate> estimates;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& one = all[i];
    if (assumed)
      suite[i] = std::max(
          {suite[i], square(assumed_least), square(assumed_times_process) * one.process_variance});
    const double own =
        std::max(0.0, one.between_sessions - one.process_variance * one.between_process_part);
    const double alike = assumed ? assumed_degrees : alike_degrees;
    const double degrees = alike + one.between_degrees;
    const double both = (alike * suite[i] + one.between_degrees * own) / degrees;
    estimates.push_back({std::max(suite[i], both), degrees});
  }
  return estimates;
}

}  // namespace bench_transfers::gate
