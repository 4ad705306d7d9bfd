#pragma once

#include <cstddef>
#include <vector>

#include "src/topology/flows/max_min.hpp"
#include "src/topology/flows/measured_set.hpp"
#include "src/topology/flows/observation.hpp"
#include "src/topology/infer/alone_history.hpp"

namespace bench_transfers::topology {

/// All sets that were measured, and what their repetitions say about noise.
class evidence {
 public:
  /// Leaves out observations without rates, or with a rate that is not positive. They are in the
  /// order of their measurement.
  evidence(std::size_t devices, const std::vector<observation>& observations);

  [[nodiscard]] std::size_t devices() const { return devices_; }
  [[nodiscard]] const std::vector<measured_set>& sets() const { return sets_; }
  /// The devices that were measured in any set.
  [[nodiscard]] device_set seen() const { return seen_; }
  [[nodiscard]] const topology::noise& noise() const { return noise_; }
  [[nodiscard]] const alone_history& alone() const { return alone_; }
  /// The mean of what the device gave alone, the last if that drifted; 0 if it was not measured.
  [[nodiscard]] double rate_alone(std::size_t device, traffic kind) const;
  /// The devices whose rates alone changed during the measurement.
  [[nodiscard]] device_set drifting() const { return drifting_; }
  /// The part of their rates by which devices differ at most while most of them drift: the host
  /// itself may have changed, and links with it. 0 if few drift.
  [[nodiscard]] double common_drift() const;
  /// The limits as they were when this set was measured: what a drifting device gives alone lies
  /// between what it gave before and after.
  [[nodiscard]] std::vector<limit> limits_in(std::size_t set, std::vector<limit> limits) const;
  /// The largest total that the flows of the limit ever had; 0 if none of them ran.
  [[nodiscard]] double most(const limit& limit) const;

 private:
  std::size_t devices_;
  std::vector<measured_set> sets_;
  device_set seen_;
  alone_history alone_;
  device_set drifting_;
  topology::noise noise_;
};

}  // namespace bench_transfers::topology
