#include "src/topology/findings/unexplained.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

namespace bench_transfers::topology {
namespace {

constexpr std::size_t most_devices_of_set = 8;
constexpr double clearly = 0.05;

struct rated_set {
  flow_set flows;
  per_flow rates;

  /// What a link with this kind of capacity above these devices carries.
  [[nodiscard]] double carried(device_set devices, traffic kind) const {
    return rates.sum(flows & flows_of(devices, kind));
  }
};

/// Each set once, with the means of its rates; and how much these vary, as a part of them.
struct rated_sets {
  std::vector<rated_set> sets;
  double deviation = 0;
};

rated_sets means_of(const host_map& map) {
  std::map<flow_set, std::vector<const compared_set*>> measured;
  for (const auto& set : map.sets) measured[set.flows].push_back(&set);
  rated_sets all;
  double squares = 0;
  double degrees = 0;
  for (const auto& [flows, repeated] : measured) {
    rated_set rated{flows, per_flow(map.devices.size())};
    const auto list = list_of(flows);
    const auto count = static_cast<double>(repeated.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
      double mean = 0;
      for (const auto* const set : repeated) mean += set->measured[i] / count;
      for (const auto* const set : repeated)
        squares += mean > 0 ? std::pow(set->measured[i] / mean - 1, 2) : 0;
      degrees += count - 1;
      rated.rates[list[i]] = mean;
    }
    all.sets.push_back(std::move(rated));
  }
  if (degrees > 0) all.deviation = std::sqrt(squares / degrees);
  return all;
}

/// The most that any set has carried over a link with a kind of capacity above some devices.
class most_carried {
 public:
  explicit most_carried(const std::vector<rated_set>& sets) : sets_(sets) {}

  double operator()(device_set devices, traffic kind) {
    const auto [entry, is_new] = known_.try_emplace({devices, kind}, 0);
    if (is_new)
      for (const auto& set : sets_)
        entry->second = std::max(entry->second, set.carried(devices, kind));
    return entry->second;
  }

 private:
  const std::vector<rated_set>& sets_;
  std::map<std::pair<device_set, traffic>, double> known_;
};

/// The least part of what it has once carried that a link on the way of the flow has left in this
/// set. A link above more devices has at least as much left as one above those of them that copy
/// here.
double least_unused(most_carried& most, const rated_set& set, flow flow) {
  const auto others = (set.flows.devices() - device_set::of(flow.device)).members();
  const auto own = flow.direction == direction::h2d ? traffic::h2d : traffic::d2h;
  double least = 1;
  for (std::size_t chosen = 0; chosen < std::size_t{1} << others.size(); ++chosen) {
    auto devices = device_set::of(flow.device);
    for (std::size_t i = 0; i < others.size(); ++i)
      if ((chosen >> i & 1) != 0) devices = devices | device_set::of(others[i]);
    for (const auto kind : {own, traffic::both})
      least = std::min(least, 1 - set.carried(devices, kind) / most(devices, kind));
  }
  return least;
}

double lost_part(const rated_set& set, const rated_set& fewer, flow flow) {
  return 1 - set.rates[flow] / fewer.rates[flow];
}

/// The sets of each flow, those first in which it gets most.
std::map<flow, std::vector<const rated_set*>> sets_of_flows(const std::vector<rated_set>& sets) {
  std::map<flow, std::vector<const rated_set*>> all;
  for (const auto& set : sets)
    for (const auto flow : list_of(set.flows)) all[flow].push_back(&set);
  for (auto& [key, list] : all)
    std::ranges::stable_sort(list, std::ranges::greater{},
                             [flow = key](const auto* set) { return set->rates[flow]; });
  return all;
}

/// The set with fewer flows in which the flow gets most; null if it loses no more than a part of
/// that in the set.
const rated_set* best_of_fewer(const std::vector<const rated_set*>& sets_of_flow,
                               const rated_set& set, flow flow, double part) {
  for (const auto* const other : sets_of_flow) {
    if (!(lost_part(set, *other, flow) > part)) break;
    if (other->flows != set.flows && set.flows.contains(other->flows)) return other;
  }
  return nullptr;
}

/// What devices lost while the map was made.
double drifted_part(const host_map& map) {
  double part = 0;
  if (map.measured_again) return part;
  for (const auto& drift : map.drifts) {
    const auto [least, most] = std::ranges::minmax(drift.rates);
    part = std::max(part, 1 - least / most);
  }
  return part;
}

}  // namespace

std::optional<unexplained_flow> most_unexplained(const host_map& map) {
  constexpr double deviations = 3;
  const auto [sets, deviation] = means_of(map);
  const auto margin = clearly + deviations * deviation + drifted_part(map);
  const auto of_flows = sets_of_flows(sets);
  most_carried most(sets);
  std::optional<unexplained_flow> worst;
  double most_lost = margin;
  for (const auto& set : sets) {
    if (set.flows.devices().size() > most_devices_of_set) continue;
    for (const auto flow : list_of(set.flows)) {
      const auto* const fewer = best_of_fewer(of_flows.at(flow), set, flow, most_lost);
      if (fewer == nullptr) continue;
      const auto unused = least_unused(most, set, flow);
      if (!(unused > margin && unused < 1)) continue;
      most_lost = lost_part(set, *fewer, flow);
      worst = {flow,
               set.flows - set_of(flow),
               fewer->flows - set_of(flow),
               set.rates[flow],
               fewer->rates[flow],
               unused};
    }
  }
  return worst;
}

}  // namespace bench_transfers::topology
