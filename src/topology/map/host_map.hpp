#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "src/statistics/estimate.hpp"
#include "src/topology/flows/max_min.hpp"
#include "src/topology/pci/pci_view.hpp"

namespace bench_transfers::topology {

/// What a link gives to all of its flows together.
struct capacity {
  statistics::estimate bytes_per_second;
  double effect = 0;     ///< the largest part that it takes off its flows
  double p = 1;          ///< that the rates are so without it, adjusted for all candidates
  std::size_t sets = 0;  ///< of those measured, in which it holds flows back
  std::optional<direction_shares> shares = {};  ///< of both directions; empty: they are alike

  bool operator==(const capacity&) const = default;
};

/// A link that devices share. At least one of its capacities is known; one that never holds a flow
/// back remains unknown.
struct shared_link {
  device_set devices;
  std::optional<capacity> h2d, d2h, both;

  [[nodiscard]] const std::optional<capacity>& of(traffic kind) const {
    return kind == traffic::h2d ? h2d : kind == traffic::d2h ? d2h : both;
  }
  std::optional<capacity>& of(traffic kind) {
    return kind == traffic::h2d ? h2d : kind == traffic::d2h ? d2h : both;
  }
  bool operator==(const shared_link&) const = default;
};

/// The rates of a device that copies alone, in bytes per second; "both" is the total of both
/// directions.
struct alone_rates {
  statistics::estimate h2d, d2h, both;
  std::optional<direction_shares> shares = {};  ///< of both; empty: the directions are alike

  [[nodiscard]] const statistics::estimate& of(traffic kind) const {
    return kind == traffic::h2d ? h2d : kind == traffic::d2h ? d2h : both;
  }
  bool operator==(const alone_rates&) const = default;
};

/// The rates of a device that copies alone, with host memory on one NUMA node.
struct node_rate {
  statistics::estimate h2d, d2h;

  [[nodiscard]] const statistics::estimate& of(direction direction) const {
    return direction == direction::h2d ? h2d : d2h;
  }
  bool operator==(const node_rate&) const = default;
};

/// What each device gets from memory on this node; empty where it could not be measured.
struct node_rates {
  int node = 0;
  std::vector<std::optional<node_rate>> rates;
  std::string why_not = {};  ///< one line, if something could not be measured

  bool operator==(const node_rates&) const = default;
};

/// A device whose rate alone changed during the measurement by more than it varies.
struct device_drift {
  std::size_t device = 0;
  traffic kind = traffic::h2d;
  std::vector<double> rates;  ///< two or more in the order of time, in bytes per second

  bool operator==(const device_drift&) const = default;
};

/// A set that was measured: rates in the order of list_of(flows), in bytes per second.
struct compared_set {
  flow_set flows;
  bool held_out = false;  ///< the map was not fitted to it
  std::vector<double> measured, predicted;
  std::size_t samples = 0;    ///< that the rates are the mean of; 0: not known
  std::size_t discarded = 0;  ///< samples that something else disturbed

  bool operator==(const compared_set&) const = default;
};

/// A set that could not be measured.
struct skipped_set {
  flow_set flows;
  std::string why_not;

  bool operator==(const skipped_set&) const = default;
};

/// How far predicted rates of single flows lie off the measured ones, as a part of those, in sets
/// that the map was not fitted to.
struct held_out_errors {
  std::size_t sets = 0, flows = 0;
  double median = 0, p95 = 0;

  bool operator==(const held_out_errors&) const = default;
};

/// Which links the devices of a host share, and what they give.
struct host_map {
  std::vector<std::string> devices;  ///< their names, "cuda:0"
  pci_view pci;
  std::vector<alone_rates> alone;  ///< of each device
  /// Nested or apart; a link comes before those inside of it, otherwise by the first device.
  std::vector<shared_link> links;
  std::vector<compared_set> sets;
  std::vector<skipped_set> skipped;
  std::vector<device_drift> drifts;
  bool measured_again = false;  ///< all of it after these drifts: they do not matter
  std::optional<held_out_errors> errors;
  std::vector<node_rates> nodes;  ///< empty: the host has one, or they were not measured
  std::optional<double> seconds;  ///< that the measurement took

  bool operator==(const host_map&) const = default;
};

/// The devices that could be measured: the others have no rates.
device_set measured_devices(const host_map& map);

/// All limits that the map states.
std::vector<limit> limits_of(const host_map& map);

/// What a device gets alone, in bytes per second: the map's prediction if it was not measured.
double rate_alone(const host_map& map, std::size_t device, traffic kind);

/// Whether these devices, and perhaps others with them, were measured at the same time.
bool were_at_once(const host_map& map, device_set devices, traffic kind);

/// The rates of these flows at the same time, as the map predicts them.
per_flow rates(const host_map& map, const flow_set& flows);

/// The part of what these flows get without others that they have at these rates.
double part_kept(const host_map& map, const per_flow& at_once, const flow_set& flows);

/// Copies that keep this part of their rates alone count as undisturbed.
inline constexpr double undisturbed_rate = 0.9;

/// Whether this part, in whole percent, is undisturbed_rate or more.
bool is_undisturbed(double kept);

/// The smallest link around `link`; nullptr if there is none.
const shared_link* parent_of(const host_map& map, const shared_link& link);

}  // namespace bench_transfers::topology
