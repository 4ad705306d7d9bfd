#include "src/topology/map/host_map.hpp"

#include <algorithm>

namespace bench_transfers::topology {
namespace {

/// The total of both directions is a limit of its own only if it is clearly less than their sum.
constexpr double clearly_less = 0.985;

}  // namespace

device_set measured_devices(const host_map& map) {
  device_set devices;
  for (std::size_t device = 0; device < map.alone.size(); ++device)
    if (map.alone[device].h2d.value > 0 && map.alone[device].d2h.value > 0)
      devices = devices | device_set::of(device);
  return devices;
}

std::vector<limit> limits_of(const host_map& map) {
  std::vector<limit> limits;
  for (std::size_t device = 0; device < map.alone.size(); ++device) {
    const auto& alone = map.alone[device];
    const auto devices = device_set::of(device);
    limits.push_back({devices, traffic::h2d, alone.h2d.value});
    limits.push_back({devices, traffic::d2h, alone.d2h.value});
    // Not measured: what it gets both ways is not known to be less.
    if (alone.both.value > 0 &&
        alone.both.value < clearly_less * (alone.h2d.value + alone.d2h.value))
      limits.push_back(
          {devices, traffic::both, alone.both.value, alone.shares.value_or(direction_shares{})});
  }
  for (const auto& link : map.links)
    for (const auto kind : every_traffic)
      if (const auto& capacity = link.of(kind))
        limits.push_back({link.devices, kind, capacity->bytes_per_second.value,
                          capacity->shares.value_or(direction_shares{})});
  return limits;
}

double rate_alone(const host_map& map, std::size_t device, traffic kind) {
  const auto measured = map.alone[device].of(kind).value;
  if (measured > 0) return measured;
  const auto flows = flows_of(device_set::of(device), kind);
  return rates(map, flows).sum(flows);
}

bool were_at_once(const host_map& map, device_set devices, traffic kind) {
  const auto wanted = flows_of(devices, kind);
  return std::ranges::any_of(map.sets, [&](const compared_set& set) {
    return set.flows.contains(wanted) &&
           std::ranges::all_of(set.measured, [](double rate) { return rate > 0; });
  });
}

per_flow rates(const host_map& map, const flow_set& flows) {
  return fill(limits_of(map), map.devices.size(), flows).rates;
}

double part_kept(const host_map& map, const per_flow& at_once, const flow_set& flows) {
  return at_once.sum(flows) / rates(map, flows).sum(flows);
}

bool is_undisturbed(double kept) {
  constexpr double rounding = 0.005;
  return kept >= undisturbed_rate - rounding;
}

const shared_link* parent_of(const host_map& map, const shared_link& link) {
  const shared_link* parent = nullptr;
  for (const auto& other : map.links)
    if (other.devices != link.devices && other.devices.contains(link.devices) &&
        (parent == nullptr || parent->devices.contains(other.devices)))
      parent = &other;
  return parent;
}

}  // namespace bench_transfers::topology
