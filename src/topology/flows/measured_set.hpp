#pragma once

#include <cstddef>

#include "src/statistics/estimate.hpp"
#include "src/topology/flows/max_min.hpp"

namespace bench_transfers::topology {

/// What is less likely by chance than this counts as proved.
inline constexpr double significance = 0.01;

/// The mean rates of a set that was measured.
struct measured_set {
  flow_set flows;
  per_flow rates;          ///< bytes per second
  double repetitions = 0;  ///< of each flow
  std::size_t discarded = 0;
};

/// How much rates vary, as a part of them.
struct noise {
  double repetitions = 0;  ///< standard deviation within a set
  double sets = 0;         ///< of the means of sets measured twice, beyond what repetitions explain
  double degrees = 0;      ///< degrees of freedom

  /// Squared standard error of the mean rate of one flow.
  [[nodiscard]] double variance(double repeated) const;
  /// The same of the sum of `flows` flows. What differs between sets may be common to all of them.
  [[nodiscard]] double variance_of_sum(double repeated, double flows) const;
  /// Student's 95 % interval of a rate with this squared standard error, as a part of the rate.
  [[nodiscard]] statistics::estimate interval(double value, double variance) const;
};

}  // namespace bench_transfers::topology
