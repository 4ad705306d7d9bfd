#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace transfers::detail {

/// Flows of bytes that share capacities, as a fluid: at every moment the rates are max-min fair, so
/// that no flow could go faster except at the expense of one that is no faster (Bertsekas and
/// Gallager, "Data Networks", section 6.5.2). Two flows through one capacity get half of it each,
/// whatever their sizes. Knows no clock: the caller says what time it is, in seconds.
class shared_flows {
 public:
  using flow_id = std::size_t;

  /// In bytes per second; 0: no limit.
  explicit shared_flows(std::vector<double> capacities) : capacities_(std::move(capacities)) {}

  /// Adds a flow through the capacities of these indices. It begins at `earliest`, which may lie
  /// before `now`, but not before the time until which other flows have used the capacities.
  flow_id add(double bytes, std::vector<std::size_t> used_capacities, double earliest, double now);

  /// Lets the flows go on until `now`.
  void advance(double now);

  /// When the flow ended; nullopt: it has not, by the time of the last call of advance().
  [[nodiscard]] std::optional<double> end_of(flow_id id) const { return flows_.at(id).end; }

  /// When the next flow ends if none is added; nullopt: none is under way.
  [[nodiscard]] std::optional<double> next_end() const;

  /// Forgets a flow, which need not have ended.
  void remove(flow_id id);

 private:
  struct flow_state {
    double bytes_left;
    std::vector<std::size_t> used_capacities;
    std::optional<double> end;
    double rate = 0;  ///< at present; infinity: nothing limits it
  };

  void share_capacities();
  /// Seconds until the next flow ends, from time_ on; infinity: never.
  [[nodiscard]] double until_next_end() const;
  void end_finished_flows();

  std::vector<double> capacities_;
  std::map<flow_id, flow_state> flows_;
  flow_id next_id_ = 0;
  double time_ = 0;  ///< until which the flows are known
};

}  // namespace transfers::detail
