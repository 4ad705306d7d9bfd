#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace transfers::detail {

/// Flows of bytes that share capacities, as a fluid: at every moment the rates are max-min fair, so
/// that no flow could go faster except at the expense of one that is no faster (Bertsekas and
/// Gallager, "Data Networks", section 6.5.2). Two flows through one capacity get half of it each,
/// whatever their sizes. It has no clock: the caller passes the time, in seconds.
class shared_flows {
 public:
  using flow_id = std::size_t;

  /// Capacities in bytes per second; 0 means no limit. `most_late`: for how long, in seconds, what
  /// flows leave of a capacity is kept for flows that come late.
  explicit shared_flows(std::vector<double> capacities, double most_late = 1e-3)
      : capacities_(std::move(capacities)), most_late_(most_late), left_over_(capacities_) {
    kept_.resize(capacities_.size());
  }

  /// Adds a flow through the capacities of these indices. It begins at `earliest`, which may be
  /// before `current_time`, but not before the time until which other flows have used the
  /// capacities. If others are under way, it begins now, and of its bytes those have passed that
  /// all of its capacities had left since `earliest`.
  flow_id add(double bytes, std::vector<std::size_t> used_capacities, double earliest,
              double current_time);

  /// Advances the flows to `current_time`.
  void advance(double current_time);

  /// When the flow ended; nullopt if it has not at the time of the last call of advance().
  [[nodiscard]] std::optional<double> end_of(flow_id id) const { return flows_.at(id).end; }

  /// When the next flow ends if none is added; nullopt if none is under way.
  [[nodiscard]] std::optional<double> next_end() const;

  /// Forgets a flow, which need not have ended.
  void remove(flow_id id);

 private:
  struct flow_state {
    double bytes_left;
    std::vector<std::size_t> used_capacities;
    std::optional<double> end;
    double rate = 0;  ///< current rate; infinity if nothing limits it
  };

  void share_capacities();
  /// Seconds from time_ until the next flow ends; infinity if none ends.
  [[nodiscard]] double until_next_end() const;
  void end_finished_flows();
  void begin_anew(double time);
  void keep_left_over(double step);
  /// Takes up to `bytes` from what the capacities have left in the last `late` seconds, and returns
  /// how many it could take at most.
  double take_kept(const std::vector<std::size_t>& used_capacities, double bytes, double late);

  std::vector<double> capacities_;
  double most_late_;
  std::vector<double> left_over_;  ///< of each capacity, by the current flows; bytes per second
  std::vector<double> kept_;       ///< bytes that flows have left of each capacity
  std::map<flow_id, flow_state> flows_;
  flow_id next_id_ = 0;
  double time_ = 0;  ///< the flows have been advanced to this time
};

}  // namespace transfers::detail
