#include "src/statistics/process_intervals.hpp"

#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>

#include "src/statistics/clipped_variance.hpp"
#include "src/statistics/distributions.hpp"
#include "src/statistics/variance_prior.hpp"

namespace bench_transfers::statistics {
namespace {

/// The logarithms of a benchmark's medians.
struct logarithms {
  double mean = 0;
  variance_estimate variance{0, 0};
  std::size_t count = 0;
};

logarithms logarithms_of(const std::vector<double>& medians) {
  logarithms found;
  found.count = medians.size();
  std::vector<double> logs;
  for (const double median : medians) logs.push_back(std::log(median));
  found.mean = std::reduce(logs.begin(), logs.end()) / static_cast<double>(logs.size());
  found.variance = unclipped_variance({&logs, 1});
  return found;
}

/// Benchmarks of a class resemble each other less than the spread of few variances shows: with more
/// degrees, intervals are narrower and hold less often.
constexpr double most_degrees = 4;

/// Student's t of one degree, 12.7, tells nothing.
constexpr double least_degrees = 2;

std::optional<interval> interval_of(const logarithms& one, const variance_prior& prior,
                                    double drift) {
  if (one.count < 2) return std::nullopt;
  const auto [variance, degrees] = prior.moderated(one.variance);
  if (variance <= 0 || degrees < least_degrees) return std::nullopt;
  constexpr double outside_at_an_end = 0.025;
  const double t = students_t{degrees}.exceeded_by(outside_at_an_end);
  // Of the mean, and of the median of those to come.
  constexpr double variance_of_median = std::numbers::pi / 2 / processes_to_come;
  const double reach =
      t * std::sqrt(variance * (1 / static_cast<double>(one.count) + variance_of_median + drift));
  return interval{std::exp(one.mean - reach), std::exp(one.mean + reach)};
}

}  // namespace

std::vector<std::optional<interval>> intervals_of_processes(
    std::span<const std::vector<double>> medians, double drift) {
  std::vector<logarithms> all;
  std::vector<variance_estimate> estimates;
  for (const auto& each : medians) {
    all.push_back(logarithms_of(each));
    if (all.back().variance.variance > 0) estimates.push_back(all.back().variance);
  }
  const variance_prior prior(estimates, most_degrees);
  std::vector<std::optional<interval>> intervals;
  for (const auto& one : all) intervals.push_back(interval_of(one, prior, drift));
  return intervals;
}

}  // namespace bench_transfers::statistics
