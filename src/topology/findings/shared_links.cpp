#include <fmt/format.h>
#include <fmt/ranges.h>

#include "src/topology/findings/registration.hpp"
#include "src/topology/findings/told_rates.hpp"

namespace bench_transfers::topology {
namespace {

using common::message;
using json = nlohmann::ordered_json;

json to_json(const std::optional<common_place>& place) {
  if (!place) return nullptr;
  return {{"kind", to_string(place->kind)},
          {"name", place->name},
          {"generation", place->link ? json(place->link->generation) : json(nullptr)},
          {"width", place->link ? json(place->link->width) : json(nullptr)}};
}

message told(const host_map& map, const shared_link& link) {
  json capacities = json::object();
  for (const auto kind : every_traffic) {
    const auto& found = link.of(kind);
    if (!found) continue;
    const auto& capacity = found->bytes_per_second;
    capacities[to_string(kind)] = {
        {"value", capacity.value},
        {"low", capacity.low},
        {"high", capacity.high},
        {"alone_each", alone_each(map, link.devices, kind)},
        {"together_each", together_each(map, link.devices, kind)},
        {"alone", rates_json(alone_by_device(map, link.devices, kind))},
        {"together", rates_json(together_by_device(map, link.devices, kind))},
        {"effect", found->effect}};
  }
  std::vector<std::string> parts;
  for (const auto& [words, kind] : shown_capacities(link))
    parts.push_back(fmt::format("{} GB/s {}: alone {}, together {}",
                                rate_text(link.of(kind)->bytes_per_second.value), words,
                                what_each_gets(map, alone_by_device(map, link.devices, kind)),
                                share_of_each(map, together_by_device(map, link.devices, kind))));
  const auto place = best_place(map, link.devices);
  return {"shared_link",
          {{"devices", device_names(map, link.devices)},
           {"capacities", std::move(capacities)},
           {"place", to_json(place)}},
          fmt::format("{} share {}{}.", names_text(map, link.devices), fmt::join(parts, "; and "),
                      place ? fmt::format(" ({})", place_text(*place)) : std::string())};
}

void add_shared_links(const host_map& map, std::vector<message>& list) {
  for (const auto& link : map.links) list.push_back(told(map, link));
}

message unfair_shares(const host_map& map, device_set devices, bool alone, double h2d, double d2h) {
  const auto* const each = devices.size() > 1 ? "each" : "it";
  return {"unfair_shares",
          {{"devices", device_names(map, devices)}, {"alone", alone}, {"h2d", h2d}, {"d2h", d2h}},
          fmt::format("When {} cop{} both ways{}, {} gets {} GB/s from the host and {} to it.",
                      names_text(map, devices), devices.size() > 1 ? "y" : "ies",
                      alone ? " alone" : " at once", each, rate_text(h2d), rate_text(d2h))};
}

/// What a device gets in one direction while these devices copy both ways at once, in the mean.
double each_in(const host_map& map, device_set devices, traffic kind) {
  const auto together = rates(map, flows_of(devices, traffic::both));
  return together.sum(flows_of(devices, kind)) / static_cast<double>(devices.size());
}

void add_unfair_shares(const host_map& map, std::vector<message>& list) {
  for (const auto& link : map.links)
    if (link.both && link.both->shares)
      list.push_back(unfair_shares(map, link.devices, false,
                                   each_in(map, link.devices, traffic::h2d),
                                   each_in(map, link.devices, traffic::d2h)));
  device_set unfair;
  double h2d = 0;
  double d2h = 0;
  for (const auto device : measured_devices(map).members()) {
    if (!map.alone[device].shares) continue;
    unfair = unfair | device_set::of(device);
    h2d += each_in(map, device_set::of(device), traffic::h2d);
    d2h += each_in(map, device_set::of(device), traffic::d2h);
  }
  const auto count = static_cast<double>(unfair.size());
  if (!unfair.empty()) list.push_back(unfair_shares(map, unfair, true, h2d / count, d2h / count));
}

const registration of_links(subject::links, add_shared_links);
const registration of_shares(subject::shares, add_unfair_shares);

}  // namespace
}  // namespace bench_transfers::topology
