#include "src/gate/judge/session_likelihood.hpp"

#include <algorithm>
#include <cmath>

#include "src/statistics/distributions.hpp"
#include "src/statistics/quantile.hpp"
#include "src/statistics/square.hpp"

namespace bench_transfers::gate {
namespace {

using statistics::square;

/// Logarithm of the density of x * scale, x of Student's t.
double log_t(double squared, double scale_squared) {
  static const double at_zero = std::log(statistics::students_t{similar_degrees}.density(0.0));
  return at_zero - 0.5 * std::log(scale_squared) -
         (similar_degrees + 1) / 2 * std::log1p(squared / scale_squared / similar_degrees);
}

/// The same for a variance that is `scale` times an F variable.
double log_f(double variance, double scale, double degrees) {
  const double ratio = variance / scale;
  if (ratio <= 0) return -std::log(scale);  // no density there for one or two degrees
  return -std::log(scale) + (degrees / 2 - 1) * std::log(ratio) -
         (degrees + similar_degrees) / 2 * std::log1p(ratio * degrees / similar_degrees);
}

double variance_of_shift(const new_session_evidence& evidence, double process_variance,
                         double session_variance) {
  return process_variance * evidence.process_part + session_variance * evidence.session_part;
}

double probability_above(double shift, double variance) {
  return statistics::students_t{similar_degrees}.above(shift / std::sqrt(variance));
}

}  // namespace

side side_of(std::span<const session_evidence> suite, direction towards, double changed_part) {
  side result;
  std::vector<double> all_distances;
  for (const auto& evidence : suite) {
    auto& on_this_side = result.distances.emplace_back();
    if (!evidence.of_new_session) continue;
    const double shift = evidence.of_new_session->shift;
    const double distance = towards == direction::slower ? shift : -shift;
    if (distance >= 0) on_this_side = distance;
    all_distances.push_back(distance);
  }
  std::ranges::sort(all_distances);
  result.censored_above = std::max(0.0, statistics::quantile(all_distances, 1 - changed_part));
  return result;
}

double log_likelihood_by_shifts(std::span<const session_evidence> suite, const side& side,
                                std::span<const double> variances) {
  double sum = 0;
  for (std::size_t i = 0; i < suite.size(); ++i) {
    if (!side.distances[i]) continue;
    const double distance = *side.distances[i];
    const double variance =
        variance_of_shift(*suite[i].of_new_session, suite[i].process_variance, variances[i]);
    sum += distance > side.censored_above
               ? std::log(probability_above(side.censored_above, variance))
               : log_t(square(distance), variance);
  }
  return sum;
}

double log_likelihood_by_baseline(std::span<const session_evidence> suite,
                                  std::span<const double> variances) {
  double sum = 0;
  for (std::size_t i = 0; i < suite.size(); ++i) {
    const auto& evidence = suite[i].of_baseline;
    if (!evidence) continue;
    const double scale = variance_by_processes(*evidence, suite[i].process_variance) + variances[i];
    sum += log_f(evidence->variance, scale, evidence->degrees);
  }
  return sum;
}

double probability_as_fast(const new_session_evidence& evidence, double process_variance,
                           double session_variance) {
  return probability_above(-evidence.shift,
                           variance_of_shift(evidence, process_variance, session_variance));
}

double variance_by_processes(const baseline_evidence& evidence, double process_variance) {
  return process_variance * evidence.process_part;
}

}  // namespace bench_transfers::gate
