#include "src/fleet/judge/spread.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <vector>

#include "src/statistics/distributions.hpp"
#include "src/statistics/quantile.hpp"
#include "src/statistics/square.hpp"

namespace bench_transfers::fleet {
namespace {

using statistics::square;

constexpr std::array possible_degrees{3.0, 4.0, 5.0, 6.0, 8.0, 12.0, 20.0, 40.0, 100.0};
constexpr double expected_degrees = 6;
constexpr int expected_values = 6;
/// Half of the 95 % quantile of chi-squared with one degree of freedom: the likelihoods of two
/// values of a parameter differ by less if the data can hardly tell them apart.
constexpr double alike = 1.92;

struct fitted {
  double deviation, likelihood;
};

/// The scale of Student's t at distances from its centre, by expectation maximisation (Lange,
/// Little and Taylor 1989), and the logarithm of the likelihood.
fitted fit(std::span<const double> distances, double degrees, double begin) {
  constexpr int most_steps = 200;
  constexpr double precision = 1e-6;
  const auto count = static_cast<double>(distances.size());
  double variance = square(begin);
  for (int step = 0; step < most_steps; ++step) {
    double sum = 0;
    for (const auto distance : distances)
      sum += (degrees + 1) * square(distance) / (degrees + square(distance) / variance);
    const auto next = sum / count;
    const bool done = std::abs(next - variance) < precision * variance;
    variance = next;
    if (done) break;
  }
  double likelihood = 0;
  const auto constant =
      std::lgamma((degrees + 1) / 2) - std::lgamma(degrees / 2) - std::log(degrees * variance) / 2;
  for (const auto distance : distances)
    likelihood +=
        constant - (degrees + 1) / 2 * std::log1p(square(distance) / (degrees * variance));
  return {std::sqrt(variance), likelihood};
}

/// Values at the centres of equally likely parts of the distribution that is expected.
void add_expected(std::vector<double>& distances, double expected) {
  const statistics::students_t student{expected_degrees};
  for (int i = 0; i < expected_values; ++i)
    distances.push_back(expected * student.quantile(0.5 + (i + 0.5) / (2 * expected_values)));
}

}  // namespace

double spread::p(double value) const {
  return statistics::students_t{degrees}.above(value / deviation);
}

double spread::exceeded_by(double p) const {
  return deviation * statistics::students_t{degrees}.exceeded_by(p);
}

spread spread_of(std::span<const double> values, double expected) {
  if (values.empty()) throw std::invalid_argument("the spread of no values");
  const auto median = statistics::median({values.begin(), values.end()});
  std::vector<double> distances;
  for (const auto value : values)
    if (value < median) distances.push_back(median - value);
  add_expected(distances, expected);
  std::array<fitted, possible_degrees.size()> fits{};
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < fits.size(); ++i) {
    fits[i] = fit(distances, possible_degrees[i], expected);
    most = std::max(most, fits[i].likelihood);
  }
  // Of those that are about as likely as the best ones, the degrees closest to what is expected.
  std::optional<std::size_t> chosen;
  for (std::size_t i = 0; i < fits.size(); ++i) {
    if (fits[i].likelihood < most - alike) continue;
    const auto distance = [](std::size_t k) {
      return std::abs(std::log(possible_degrees[k] / expected_degrees));
    };
    if (!chosen || distance(i) < distance(*chosen)) chosen = i;
  }
  return {fits[*chosen].deviation, possible_degrees[*chosen]};
}

}  // namespace bench_transfers::fleet
