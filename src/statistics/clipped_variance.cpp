#include "src/statistics/clipped_variance.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>
#include <random>

#include "src/statistics/distributions.hpp"
#include "src/statistics/quantile.hpp"
#include "src/statistics/square.hpp"

namespace bench_transfers::statistics {
namespace {

using groups_of_values = std::span<const std::vector<double>>;

struct sizes_of_groups {
  std::size_t values = 0;
  std::vector<std::size_t> per_group;  // ascending

  [[nodiscard]] double degrees() const { return static_cast<double>(values - per_group.size()); }
};

sizes_of_groups sizes_of(groups_of_values groups) {
  sizes_of_groups sizes;
  for (const auto& group : groups)
    if (group.size() >= 2) {
      sizes.values += group.size();
      sizes.per_group.push_back(group.size());
    }
  std::ranges::sort(sizes.per_group);
  return sizes;
}

/// The variance without the correcting factor.
double raw_variance(groups_of_values groups, const sizes_of_groups& sizes) {
  std::vector<double> distances;
  distances.reserve(sizes.values);
  for (const auto& group : groups) {
    if (group.size() < 2) continue;
    const double centre = median(group);
    for (const double value : group) distances.push_back(std::abs(value - centre));
  }
  constexpr double normal_consistency = 1.4826;  // 1 / quantile of the normal at 3/4
  constexpr double clipped_at = 2.5;
  const double lost = std::sqrt(static_cast<double>(sizes.values) / sizes.degrees());
  const double limit = clipped_at * normal_consistency * lost * median(distances);
  double squares = 0;
  for (const double distance : distances) squares += square(std::min(distance, limit));
  return squares / sizes.degrees();
}

/// The same on every platform, unlike std::normal_distribution.
double next_normal(std::mt19937_64& random) {
  constexpr double steps = 0x1p53;
  const auto uniform = (static_cast<double>(random() >> 11) + 0.5) / steps;
  return normal_quantile(uniform);
}

double simulated_factor(const std::vector<std::size_t>& sizes) {
  constexpr std::size_t values_drawn = 100'000;
  std::mt19937_64 random(1);
  std::vector<std::vector<double>> groups(sizes.size());
  std::size_t values = 0;
  for (const auto size : sizes) values += size;
  const auto rounds = std::max<std::size_t>(200, values_drawn / values);
  double mean = 0;
  for (std::size_t i = 0; i < rounds; ++i) {
    for (std::size_t g = 0; g < sizes.size(); ++g) {
      groups[g].resize(sizes[g]);
      for (auto& value : groups[g]) value = next_normal(random);
    }
    mean += raw_variance(groups, {values, sizes}) / static_cast<double>(rounds);
  }
  return 1 / mean;
}

/// The same for the same sizes, and the simulation takes milliseconds: done once in a program.
double factor_for(const std::vector<std::size_t>& sizes) {
  static std::mutex mutex;
  static std::map<std::vector<std::size_t>, double> known;
  const std::scoped_lock lock(mutex);
  const auto [place, is_new] = known.try_emplace(sizes, 1.0);
  if (is_new) place->second = simulated_factor(sizes);
  return place->second;
}

}  // namespace

variance_estimate clipped_variance(groups_of_values groups) {
  const auto sizes = sizes_of(groups);
  if (sizes.per_group.empty()) return {0, 0};
  // Clipping costs a fifth of the information (simulated; the precise value matters little).
  constexpr double information_kept = 0.8;
  return {factor_for(sizes.per_group) * raw_variance(groups, sizes),
          std::max(1.0, information_kept * sizes.degrees())};
}

variance_estimate unclipped_variance(groups_of_values groups) {
  double squares = 0, degrees = 0;
  for (const auto& group : groups) {
    if (group.size() < 2) continue;
    const auto count = static_cast<double>(group.size());
    const double mean = std::reduce(group.begin(), group.end()) / count;
    for (const double value : group) squares += square(value - mean);
    degrees += count - 1;
  }
  return degrees > 0 ? variance_estimate{squares / degrees, degrees} : variance_estimate{0, 0};
}

}  // namespace bench_transfers::statistics
