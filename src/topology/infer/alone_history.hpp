#pragma once

#include <cstddef>
#include <vector>

#include "src/topology/flows/measured_set.hpp"

namespace bench_transfers::topology {

/// What a device gave alone, each time that it was measured so.
struct alone_rate {
  std::size_t index;  ///< into the list of sets
  double rate;        ///< bytes per second
};

/// The rates of devices alone over the time of a measurement, and the devices that changed in it.
class alone_history {
 public:
  alone_history() = default;
  /// `sets` are in the order of their measurement.
  alone_history(std::size_t devices, const std::vector<measured_set>& sets);

  /// In the order of time.
  [[nodiscard]] const std::vector<alone_rate>& of(std::size_t device, traffic kind) const;
  /// The devices of which a rate changed by more than the noise explains, and enough to look like a
  /// link.
  [[nodiscard]] device_set drifting(const noise& noise) const;
  /// The part of the highest rate that the lowest lacks.
  [[nodiscard]] double change(std::size_t device, traffic kind) const;
  /// `total`, or the nearest rate that the device may have given at the time of this set: between
  /// what it gave alone before and after. 0 if it was never alone.
  [[nodiscard]] double nearest(std::size_t device, traffic kind, std::size_t index,
                               double total) const;

 private:
  std::vector<std::vector<alone_rate>> rates_;  ///< for each device and traffic
  std::vector<double> repetitions_;             ///< of each device, at the least
};

}  // namespace bench_transfers::topology
