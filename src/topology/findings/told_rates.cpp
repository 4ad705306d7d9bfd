#include "src/topology/findings/told_rates.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "src/topology/findings/words.hpp"

namespace bench_transfers::topology {
namespace {

/// Devices that get about the same, the slowest first.
struct level {
  device_set devices;
  double least, total;
};

std::vector<level> levels_of(device_rates rates) {
  std::ranges::stable_sort(rates, {}, &device_rates::value_type::second);
  std::vector<level> levels;
  for (const auto& [device, rate] : rates) {
    if (levels.empty() || rate > (1 + told_as_one) * levels.back().least)
      levels.push_back({{}, rate, 0});
    levels.back().devices = levels.back().devices | device_set::of(device);
    levels.back().total += rate;
  }
  return levels;
}

}  // namespace

double alone_each(const host_map& map, device_set devices, traffic kind) {
  double total = 0;
  for (const auto device : devices.members()) total += rate_alone(map, device, kind);
  return total / static_cast<double>(devices.size());
}

double together_each(const host_map& map, device_set devices, traffic kind) {
  const auto flows = flows_of(devices, kind);
  return rates(map, flows).sum(flows) / static_cast<double>(devices.size());
}

device_rates rates_by_device(const per_flow& rates, device_set devices, traffic kind) {
  device_rates list;
  for (const auto device : devices.members())
    list.emplace_back(device, rates.sum(flows_of(device_set::of(device), kind)));
  return list;
}

device_rates alone_by_device(const host_map& map, device_set devices, traffic kind) {
  device_rates list;
  for (const auto device : devices.members())
    list.emplace_back(device, rate_alone(map, device, kind));
  return list;
}

device_rates together_by_device(const host_map& map, device_set devices, traffic kind) {
  return rates_by_device(rates(map, flows_of(devices, kind)), devices, kind);
}

nlohmann::ordered_json rates_json(const device_rates& rates) {
  return common::list_of(rates, [](const auto& rate) { return rate.second; });
}

std::string what_each_gets(const host_map& map, const device_rates& rates) {
  const auto levels = levels_of(rates);
  std::vector<std::string> parts;
  for (const auto& [devices, least, total] : levels) {
    const auto each = rate_text(total / static_cast<double>(devices.size()));
    if (levels.size() == 1) return fmt::format("each gets {}", each);
    parts.push_back(devices.size() == 1
                        ? fmt::format("{} gets {}", names_text(map, devices), each)
                        : fmt::format("{} get {} each", names_text(map, devices), each));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string share_of_each(const host_map& map, const device_rates& rates) {
  const auto levels = levels_of(rates);
  if (levels.size() > 1) return what_each_gets(map, rates);
  return rate_text(levels.front().total / static_cast<double>(rates.size())) + " each";
}

std::vector<shown_capacity> shown_capacities(const shared_link& link) {
  std::vector<shown_capacity> list;
  const bool as_one = link.h2d && link.d2h &&
                      std::abs(link.h2d->bytes_per_second.value / link.d2h->bytes_per_second.value -
                               1) < told_as_one;
  if (as_one) {
    list.push_back({"in each direction", traffic::h2d});
  } else {
    if (link.h2d) list.push_back({direction_text(traffic::h2d), traffic::h2d});
    if (link.d2h) list.push_back({direction_text(traffic::d2h), traffic::d2h});
  }
  if (link.both) list.push_back({direction_text(traffic::both), traffic::both});
  return list;
}

}  // namespace bench_transfers::topology
