#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "src/topology/flows/flows.hpp"

namespace bench_transfers::topology {

/// The rates of copies that ran at the same time.
struct observation {
  flow_set flows;
  /// In bytes per second: for each flow, in the order of list_of(flows), a rate for each
  /// repetition. Only the time counts in which all of them ran. Empty if the set was not measured.
  std::vector<std::vector<double>> rates;
  std::string why_not;        ///< one line, if it was not measured
  std::size_t discarded = 0;  ///< repetitions that something else disturbed
  /// Devices that can no longer be measured, of all of the host.
  device_set unusable = {};
};

/// Measures one set, in about 60 ms: five or more repetitions serve better than one long one.
using measure_function = std::function<observation(const flow_set&)>;

/// A set is measured: how many are done, and how many there will be at most.
using progress_function = std::function<void(std::size_t done, std::size_t most)>;

}  // namespace bench_transfers::topology
