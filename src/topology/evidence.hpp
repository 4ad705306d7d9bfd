#pragma once

#include <cstddef>
#include <vector>

#include "src/statistics/estimate.hpp"
#include "src/topology/max_min.hpp"
#include "src/topology/observation.hpp"

namespace bench_transfers::topology {

/// The mean rates of a set that was measured.
struct measured_set {
  flow_set flows;
  per_flow rates;          ///< bytes per second
  double repetitions = 0;  ///< of each flow
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

/// All sets that were measured, and what their repetitions say about noise.
class evidence {
 public:
  /// Leaves out observations without rates, or with a rate that is not positive.
  evidence(std::size_t devices, const std::vector<observation>& observations);

  [[nodiscard]] std::size_t devices() const { return devices_; }
  [[nodiscard]] const std::vector<measured_set>& sets() const { return sets_; }
  /// The devices that were measured in any set.
  [[nodiscard]] device_set seen() const { return seen_; }
  [[nodiscard]] const topology::noise& noise() const { return noise_; }
  /// The largest total that the flows of the limit ever had; 0 if none of them ran.
  [[nodiscard]] double most(const limit& limit) const;

 private:
  std::size_t devices_;
  std::vector<measured_set> sets_;
  device_set seen_;
  topology::noise noise_;
};

}  // namespace bench_transfers::topology
