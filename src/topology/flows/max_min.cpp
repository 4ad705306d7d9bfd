#include "src/topology/flows/max_min.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bench_transfers::topology {
namespace {

/// What is left of a limit while its flows grow.
struct filling {
  double left;
  std::size_t growing;

  [[nodiscard]] double level() const {
    return growing == 0 ? std::numeric_limits<double>::infinity()
                        : std::max(left, 0.0) / static_cast<double>(growing);
  }
};

filled fill_fairly(const std::vector<limit>& limits, std::size_t devices, const flow_set& flows) {
  filled result{per_flow(devices), std::vector<flow_set>(limits.size())};
  std::vector<filling> fillings;
  fillings.reserve(limits.size());
  for (const auto& limit : limits) fillings.push_back({limit.capacity, limit.of(flows).size()});
  for (auto growing = flows; growing.size() > 0;) {
    const auto tightest = std::ranges::min_element(fillings, {}, &filling::level);
    if (tightest == fillings.end() || tightest->growing == 0) break;
    const auto level = tightest->level();
    const auto index = static_cast<std::size_t>(tightest - fillings.begin());
    const auto stopped = limits[index].of(growing);
    for (const auto& flow : list_of(stopped)) result.rates[flow] = level;
    result.flows[index] = stopped;
    growing = growing - stopped;
    for (std::size_t i = 0; i < limits.size(); ++i) {
      const auto count = limits[i].of(stopped).size();
      fillings[i].growing -= count;
      fillings[i].left -= level * static_cast<double>(count);
    }
  }
  return result;
}

/// Limits that divide by their shares. Each has a level, and offers each of its flows the level
/// times the flow's weight. A flow has the least of what its limits offer, and a limit divides
/// what such flows leave among the others. The levels that satisfy this are found by going round
/// (Charny, Clark and Jain, "Congestion control with explicit rate indication", 1995).
class balancing {
 public:
  balancing(const std::vector<limit>& limits, const flow_set& flows)
      : limits_(limits),
        flows_(list_of(flows)),
        limits_of_(flows_.size()),
        members_(limits.size()),
        levels_(limits.size(), unlimited) {
    for (std::size_t i = 0; i < limits.size(); ++i) {
      const auto held = limits[i].of(flows);
      for (std::size_t f = 0; f < flows_.size(); ++f) {
        if (!held.contains(set_of(flows_[f]))) continue;
        limits_of_[f].push_back(i);
        members_[i].push_back({f, 0});
      }
    }
  }

  filled run(std::size_t devices) {
    constexpr int most_rounds = 50;
    for (int round = 0; round < most_rounds && change_levels(); ++round) {
    }
    filled result{per_flow(devices), std::vector<flow_set>(limits_.size())};
    for (std::size_t f = 0; f < flows_.size(); ++f) {
      if (limits_of_[f].empty()) continue;
      const auto holding = std::ranges::min(limits_of_[f], {}, [&](auto i) { return offer(i, f); });
      result.rates[flows_[f]] = offer(holding, f);
      result.flows[holding] = result.flows[holding] | set_of(flows_[f]);
    }
    keep_within_limits(result);
    return result;
  }

 private:
  static constexpr double unlimited = std::numeric_limits<double>::infinity();

  struct member {
    std::size_t flow;
    double reached;  ///< the level at which others stop it
  };

  [[nodiscard]] double weight(std::size_t index, std::size_t flow) const {
    const auto& limit = limits_[index];
    return limit.kind == traffic::both ? 2 * limit.shares.of(flows_[flow].direction) : 1;
  }

  [[nodiscard]] double offer(std::size_t index, std::size_t flow) const {
    return weight(index, flow) * levels_[index];
  }

  [[nodiscard]] double offer_of_others(std::size_t index, std::size_t flow) const {
    double least = unlimited;
    for (const auto other : limits_of_[flow])
      if (other != index) least = std::min(least, offer(other, flow));
    return least;
  }

  /// Returns whether a level has changed.
  bool change_levels() {
    constexpr double rounding = 1e-9;
    bool changed = false;
    for (std::size_t i = 0; i < limits_.size(); ++i) {
      if (members_[i].empty()) continue;
      const auto before = levels_[i];
      levels_[i] = level_of(i);
      const bool alike =
          std::isfinite(before) && std::abs(levels_[i] - before) <= rounding * before;
      if (levels_[i] != before && !alike) changed = true;
    }
    return changed;
  }

  /// The level at which the limit is full, if others stop some of its flows earlier.
  double level_of(std::size_t index) {
    auto left = limits_[index].capacity;
    double weights = 0;
    for (auto& [flow, reached] : members_[index]) {
      reached = offer_of_others(index, flow) / weight(index, flow);
      weights += weight(index, flow);
    }
    std::ranges::sort(members_[index], {}, &member::reached);
    for (const auto& [flow, reached] : members_[index]) {
      if (reached * weights > left) return std::max(left, 0.0) / weights;
      left -= reached * weight(index, flow);
      weights -= weight(index, flow);
    }
    return unlimited;
  }

  /// Levels that never settle must not give more than there is.
  void keep_within_limits(filled& result) const {
    double factor = 1;
    for (std::size_t i = 0; i < limits_.size(); ++i) {
      double total = 0;
      for (const auto& [flow, reached] : members_[i]) total += result.rates[flows_[flow]];
      if (total > limits_[i].capacity) factor = std::min(factor, limits_[i].capacity / total);
    }
    if (factor < 1)
      for (const auto& flow : flows_) result.rates[flow] *= factor;
  }

  const std::vector<limit>& limits_;
  std::vector<flow> flows_;
  std::vector<std::vector<std::size_t>> limits_of_;  ///< of each flow
  std::vector<std::vector<member>> members_;         ///< of each limit
  std::vector<double> levels_;
};

bool is_fair(const limit& limit) { return limit.kind != traffic::both || limit.shares.are_fair(); }

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
  return std::ranges::all_of(limits, is_fair) ? fill_fairly(limits, devices, flows)
                                              : balancing(limits, flows).run(devices);
}

}  // namespace bench_transfers::topology
