#include "src/topology/infer/candidate_sets.hpp"

#include <algorithm>
#include <set>

namespace bench_transfers::topology {
namespace {

/// Rates of this ratio or less apart may be equal.
constexpr double equal_rates = 0.03;

using ordered_sets = std::set<device_set>;

ordered_sets every_set(std::size_t devices) {
  ordered_sets list{device_set{}};
  for (std::size_t device = 0; device < devices; ++device) {
    const auto smaller = list;
    for (const auto set : smaller) list.insert(set | device_set::of(device));
  }
  return list;
}

void add_ranges_and_pairs(ordered_sets& list, std::size_t devices) {
  for (std::size_t first = 0; first < devices; ++first) {
    for (std::size_t last = first + 1; last < devices; ++last) {
      list.insert(device_set::up_to(last + 1) - device_set::up_to(first));
      list.insert(device_set::of(first) | device_set::of(last));
    }
  }
}

/// Devices with rates up to this one, and those with about this one.
void add_levels(ordered_sets& list, const measured_set& measured) {
  const auto flows = list_of(measured.flows);
  for (const auto& flow : flows) {
    const auto level = measured.rates[flow];
    device_set below;
    device_set equal;
    for (const auto& other : flows) {
      if (other.direction != flow.direction || measured.rates[other] > level * (1 + equal_rates))
        continue;
      below = below | device_set::of(other.device);
      if (measured.rates[other] >= level * (1 - equal_rates))
        equal = equal | device_set::of(other.device);
    }
    list.insert(below);
    list.insert(equal);
  }
}

/// A device, and those that run faster without it.
void add_responders(ordered_sets& list, const measured_set& larger, const measured_set& smaller) {
  const auto left_out = larger.flows.devices() - smaller.flows.devices();
  if (left_out.size() != 1 || !larger.flows.devices().contains(smaller.flows.devices())) return;
  auto faster = left_out;
  for (const auto& flow : list_of(smaller.flows))
    if (larger.rates[flow] > 0 && smaller.rates[flow] > larger.rates[flow] * (1 + equal_rates))
      faster = faster | device_set::of(flow.device);
  list.insert(faster);
}

}  // namespace

std::vector<device_set> candidate_sets(const evidence& evidence,
                                       const std::vector<device_set>& hints) {
  ordered_sets list;
  if (evidence.devices() <= most_devices_for_all_sets) {
    list = every_set(evidence.devices());
  } else {
    list.insert(hints.begin(), hints.end());
    add_ranges_and_pairs(list, evidence.devices());
    for (const auto& larger : evidence.sets()) {
      add_levels(list, larger);
      for (const auto& smaller : evidence.sets()) add_responders(list, larger, smaller);
    }
  }
  std::erase_if(list,
                [&](device_set set) { return set.size() < 2 || !evidence.seen().contains(set); });
  return {list.begin(), list.end()};
}

}  // namespace bench_transfers::topology
