#pragma once

#include <cstddef>
#include <vector>

#include "src/topology/flows/flows.hpp"

namespace bench_transfers::topology {

/// How a full limit divides between the directions: what a flow of each gets, as a part of the sum
/// of both.
struct direction_shares {
  double h2d = 0.5, d2h = 0.5;

  [[nodiscard]] bool are_fair() const { return h2d == d2h; }
  [[nodiscard]] double of(direction direction) const {
    return direction == direction::h2d ? h2d : d2h;
  }
  bool operator==(const direction_shares&) const = default;
};

/// The flows of these devices in this direction, or in both, have no more than `capacity` together.
struct limit {
  device_set devices;
  traffic kind;
  double capacity;               ///< bytes per second
  direction_shares shares = {};  ///< of a limit for both directions

  /// Those of the flows that it holds for.
  [[nodiscard]] flow_set of(const flow_set& flows) const { return flows & flows_of(devices, kind); }
};

/// A number for each flow, of all devices of a host; 0 for flows that do not run.
class per_flow {
 public:
  explicit per_flow(std::size_t devices = 0) : values_(2 * devices) {}
  [[nodiscard]] double operator[](flow flow) const { return values_[index(flow)]; }
  double& operator[](flow flow) { return values_[index(flow)]; }
  [[nodiscard]] double sum(const flow_set& flows) const;

 private:
  static std::size_t index(flow flow) {
    return 2 * flow.device + (flow.direction == direction::d2h ? 1 : 0);
  }
  std::vector<double> values_;
};

/// The rates of flows that run at the same time, and the limit that each of them meets.
struct filled {
  per_flow rates;               ///< bytes per second
  std::vector<flow_set> flows;  ///< for each limit those that it holds back
};

/// Max-min fair rates by progressive filling: all flows grow alike; where a limit is reached, its
/// flows stay as they are and the others go on (Bertsekas and Gallager, "Data Networks", section
/// 6.5.2). What a limit with unequal shares gives its flows is in the ratio of these shares. A flow
/// without a limit gets 0.
filled fill(const std::vector<limit>& limits, std::size_t devices, const flow_set& flows);

}  // namespace bench_transfers::topology
