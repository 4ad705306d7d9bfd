#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "src/topology/infer/fit.hpp"
#include "src/topology/infer/planner.hpp"

namespace bench_transfers::topology {

std::map<flow_set, std::size_t> times_measured(const std::vector<observation>& observations);

/// Without the devices that could not even copy alone, and those that no longer can.
device_set usable_devices(std::size_t devices, const std::vector<observation>& observations);

/// The sets to measure next, as far as they are chosen, and what they are chosen by. The host
/// outlives it. No set is chosen twice, with a device that cannot be used, or beyond the most.
class plan {
 public:
  plan(const host_outline& host, const std::vector<observation>& observations, std::size_t most);

  [[nodiscard]] std::size_t devices() const { return host_.devices; }
  [[nodiscard]] const std::vector<device_set>& hints() const { return host_.hints; }
  [[nodiscard]] device_set usable() const { return usable_; }
  [[nodiscard]] const topology::evidence& evidence() const { return evidence_; }
  /// What explains the evidence so far.
  [[nodiscard]] const topology::fit& fit() const { return fit_; }
  /// All of its limits: the devices' own, then the shared ones.
  [[nodiscard]] const std::vector<limit>& limits() const { return limits_; }
  /// The rates that it predicts.
  [[nodiscard]] per_flow predicted(const flow_set& flows) const;

  [[nodiscard]] const std::vector<flow_set>& chosen() const { return chosen_; }
  [[nodiscard]] bool is_complete() const { return chosen_.size() >= most_; }
  [[nodiscard]] bool is_chosen(const flow_set& flows) const;
  [[nodiscard]] std::size_t times_measured(const flow_set& flows) const;
  /// Neither measured nor chosen, and it can be measured.
  [[nodiscard]] bool is_new(const flow_set& flows) const;
  /// Unless that cannot be, also one that was measured before.
  void choose(const flow_set& flows);

 private:
  const host_outline& host_;
  device_set usable_;
  std::map<flow_set, std::size_t> times_;
  topology::evidence evidence_;
  topology::fit fit_;
  std::vector<limit> limits_;
  std::size_t most_;
  std::vector<flow_set> chosen_;
};

}  // namespace bench_transfers::topology
