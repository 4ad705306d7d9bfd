#include "src/statistics/variance_prior.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "src/statistics/distributions.hpp"
#include "src/statistics/quantile.hpp"
#include "src/statistics/square.hpp"

namespace bench_transfers::statistics {
namespace {

/// A prior of this many degrees is as good as a known variance.
constexpr double many_degrees = 1e4;

/// The x > 0 whose trigamma is y. Newton's method on 1 / trigamma, which is nearly a line and
/// convex, so that it converges from below (Smyth 2004, appendix).
double inverse_trigamma(double y) {
  double x = 0.5 + 1 / y;
  for (int i = 0; i < 50; ++i) {
    const double value = trigamma(x);
    const double step = value * (1 - value / y) / tetragamma(x);
    x += step;
    if (std::abs(step) < 1e-9 * x) break;
  }
  return x;
}

}  // namespace

variance_prior::variance_prior(std::span<const variance_estimate> estimates, double most_degrees) {
  if (estimates.size() < 3) return;
  // ln s² minus its expectation has the variance of ln chi² plus that of the prior.
  std::vector<double> logs;
  double expected_variance = 0;
  for (const auto& estimate : estimates) {
    const double half = estimate.degrees / 2;
    logs.push_back(std::log(estimate.variance) - digamma(half) + std::log(half));
    expected_variance += trigamma(half) / static_cast<double>(estimates.size());
  }
  auto ascending = logs;
  std::ranges::sort(ascending);
  const double low = quantile(ascending, 0.02);
  const double high = quantile(ascending, 0.98);
  for (auto& logarithm : logs) logarithm = std::clamp(logarithm, low, high);
  const auto count = static_cast<double>(logs.size());
  const double mean = std::reduce(logs.begin(), logs.end()) / count;
  double squares = 0;
  for (const double logarithm : logs) squares += square(logarithm - mean);
  // The part of the variance of normal values that clipping leaves.
  constexpr double left_by_clipping = 0.93;
  const double excess = squares / (count - 1) / left_by_clipping - expected_variance;
  if (excess <= trigamma(many_degrees / 2)) {
    typical_ = {std::exp(mean), std::min(many_degrees, most_degrees)};
    return;
  }
  const double half = inverse_trigamma(excess);
  typical_ = {std::exp(mean + digamma(half) - std::log(half)), std::min(2 * half, most_degrees)};
}

variance_estimate variance_prior::moderated(const variance_estimate& estimate) const {
  if (typical_.degrees <= 0) return estimate;
  constexpr double one_of_a_thousand = 1e-3;
  if (f_above(estimate.degrees, typical_.degrees, estimate.variance / typical_.variance) <
      one_of_a_thousand)
    return estimate;
  const double degrees = estimate.degrees + typical_.degrees;
  return {(estimate.degrees * estimate.variance + typical_.degrees * typical_.variance) / degrees,
          degrees};
}

}  // namespace bench_transfers::statistics
