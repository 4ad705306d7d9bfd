#include "src/topology/max_min.hpp"

#include <algorithm>
#include <limits>

namespace bench_transfers::topology {
namespace {

/// What is left of a limit while its flows grow.
struct filling {
  double left;
  direction_shares weights;  ///< of one flow
  std::size_t h2d, d2h;      ///< flows that grow

  [[nodiscard]] double level() const {
    const auto weight =
        weights.h2d * static_cast<double>(h2d) + weights.d2h * static_cast<double>(d2h);
    return weight > 0 ? std::max(left, 0.0) / weight : std::numeric_limits<double>::infinity();
  }
  [[nodiscard]] double offer(direction direction) const { return weights.of(direction) * level(); }
};

direction_shares weights_of(const limit& limit) {
  if (limit.kind != traffic::both || limit.shares.are_fair()) return {1, 1};
  return limit.shares;
}

flow_set in_direction(const flow_set& flows, direction direction) {
  return flows_of(direction == direction::h2d ? flows.h2d : flows.d2h,
                  direction == direction::h2d ? traffic::h2d : traffic::d2h);
}

flow_set without(const flow_set& flows, const flow_set& removed) {
  return {flows.h2d - removed.h2d, flows.d2h - removed.d2h};
}

class progressive_filling {
 public:
  progressive_filling(const std::vector<limit>& limits, std::size_t devices, const flow_set& flows)
      : limits_(limits),
        growing_(flows),
        result_{per_flow(devices), std::vector<flow_set>(limits.size())} {
    fillings_.reserve(limits.size());
    for (const auto& limit : limits) {
      const auto held = limit.of(flows);
      fillings_.push_back({limit.capacity, weights_of(limit), held.h2d.size(), held.d2h.size()});
      fair_ = fair_ && fillings_.back().weights.are_fair();
    }
  }

  filled run() {
    while (growing_.size() > 0 && (fair_ ? stop_at_lowest_level() : stop_at_next_level())) {
    }
    return std::move(result_);
  }

 private:
  bool stop_at_lowest_level() {
    const auto lowest = std::ranges::min_element(fillings_, {}, &filling::level);
    if (lowest == fillings_.end() || lowest->h2d + lowest->d2h == 0) return false;
    stop(static_cast<std::size_t>(lowest - fillings_.begin()), growing_);
    return true;
  }

  /// Of the limits that no other prevents from dividing what they have left, the one with the
  /// lowest level. If there is none, only the flows that are offered least stop.
  bool stop_at_next_level() {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < fillings_.size(); ++i)
      if (fillings_[i].h2d + fillings_[i].d2h > 0) order.push_back(i);
    if (order.empty()) return false;
    std::ranges::sort(order, {}, [&](std::size_t i) { return fillings_[i].level(); });
    const auto next = std::ranges::find_if(order, [&](std::size_t i) { return can_divide(i); });
    if (next != order.end()) {
      stop(*next, growing_);
    } else {
      stop_least_offered();
    }
    return true;
  }

  /// No other limit offers one of its flows less.
  [[nodiscard]] bool can_divide(std::size_t index) const {
    constexpr double rounding = 1e-9;
    const auto own = limits_[index].of(growing_);
    for (std::size_t i = 0; i < limits_.size(); ++i) {
      const auto common = limits_[i].of(own);
      for (const auto way : {direction::h2d, direction::d2h})
        if (in_direction(common, way).size() > 0 &&
            fillings_[i].offer(way) < (1 - rounding) * fillings_[index].offer(way))
          return false;
    }
    return true;
  }

  void stop_least_offered() {
    auto least = std::numeric_limits<double>::infinity();
    std::size_t index = 0;
    flow_set stopped;
    for (std::size_t i = 0; i < limits_.size(); ++i)
      for (const auto way : {direction::h2d, direction::d2h}) {
        const auto flows = in_direction(limits_[i].of(growing_), way);
        if (flows.size() == 0 || fillings_[i].offer(way) > least) continue;
        least = fillings_[i].offer(way);
        index = i;
        stopped = flows;
      }
    stop(index, stopped);
  }

  /// Leaves those of the flows that the limit holds for as they are now.
  void stop(std::size_t index, const flow_set& flows) {
    const auto stopped = limits_[index].of(flows);
    const direction_shares rates{fillings_[index].offer(direction::h2d),
                                 fillings_[index].offer(direction::d2h)};
    for (const auto device : stopped.h2d.members())
      result_.rates[{device, direction::h2d}] = rates.h2d;
    for (const auto device : stopped.d2h.members())
      result_.rates[{device, direction::d2h}] = rates.d2h;
    auto& held = result_.flows[index];
    held = {held.h2d | stopped.h2d, held.d2h | stopped.d2h};
    growing_ = without(growing_, stopped);
    for (std::size_t i = 0; i < limits_.size(); ++i) {
      const auto less = limits_[i].of(stopped);
      fillings_[i].h2d -= less.h2d.size();
      fillings_[i].d2h -= less.d2h.size();
      fillings_[i].left -= rates.h2d * static_cast<double>(less.h2d.size()) +
                           rates.d2h * static_cast<double>(less.d2h.size());
    }
  }

  const std::vector<limit>& limits_;
  flow_set growing_;
  std::vector<filling> fillings_;
  bool fair_ = true;
  filled result_;
};

}  // namespace

double per_flow::sum(const flow_set& flows) const {
  double total = 0;
  for (auto rest = flows.h2d; !rest.empty(); rest = rest - device_set::of(rest.front()))
    total += values_[2 * rest.front()];
  for (auto rest = flows.d2h; !rest.empty(); rest = rest - device_set::of(rest.front()))
    total += values_[2 * rest.front() + 1];
  return total;
}

filled fill(const std::vector<limit>& limits, std::size_t devices, const flow_set& flows) {
  return progressive_filling(limits, devices, flows).run();
}

}  // namespace bench_transfers::topology
