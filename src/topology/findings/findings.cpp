#include "src/topology/findings/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "src/statistics/quantile.hpp"
#include "src/topology/findings/node_findings.hpp"
#include "src/topology/findings/unexplained.hpp"
#include "src/topology/findings/words.hpp"
#include "src/topology/pci/pci_links.hpp"

namespace bench_transfers::topology {
namespace {

using common::message;
using json = nlohmann::ordered_json;

/// Capacities of both directions within this part of each other are told in one number.
constexpr double told_as_one = 0.03;
/// A device alone is slow below this part of the median of all.
constexpr double slow_alone = 0.95;
/// Errors of sets held out above these make a map doubtful.
constexpr double poor_median = 0.05, poor_p95 = 0.15;

double alone_each(const host_map& map, device_set devices, traffic kind) {
  double total = 0;
  for (const auto device : devices.members()) total += rate_alone(map, device, kind);
  return total / static_cast<double>(devices.size());
}

/// While no others copy; of a device that copies in both directions their total.
double together_each(const host_map& map, device_set devices, traffic kind) {
  const auto flows = flows_of(devices, kind);
  return rates(map, flows).sum(flows) / static_cast<double>(devices.size());
}

bool is_poor(const host_map& map) {
  return map.errors && (map.errors->median > poor_median || map.errors->p95 > poor_p95);
}

/// The set whose slowest flow gets the least part of what the map says, among sets of several
/// devices; null if all keep what counts as undisturbed. A map that ended before any set was held
/// out has no other check.
const compared_set* set_against(const host_map& map) {
  const compared_set* worst = nullptr;
  double least = undisturbed_rate;
  for (const auto& set : map.sets) {
    if (set.flows.devices().size() < 2) continue;
    for (std::size_t i = 0; i < set.measured.size() && i < set.predicted.size(); ++i) {
      if (!(set.measured[i] < least * set.predicted[i])) continue;
      least = set.measured[i] / set.predicted[i];
      worst = &set;
    }
  }
  return worst;
}

message nothing_shared(const host_map& map) {
  const auto devices = measured_devices(map);
  const bool at_once = std::ranges::all_of(
      every_traffic, [&](traffic kind) { return were_at_once(map, devices, kind); });
  if (!at_once)
    return {"sharing_unknown",
            {{"devices", names_json(map, devices)}},
            fmt::format("Whether {} slow each other down is not known: they were not measured all "
                        "at once in each direction.",
                        names_text(map, devices))};
  const auto* const against = map.errors ? nullptr : set_against(map);
  if (against)
    return {"sharing_unknown",
            {{"devices", names_json(map, devices)}},
            fmt::format("Whether {} slow each other down is not known: {} got less at once than "
                        "the map says, and no other set was measured to check it.",
                        names_text(map, devices), names_text(map, against->flows.devices()))};
  return {"nothing_shared",
          {{"devices", names_json(map, devices)}},
          fmt::format("{} do not slow each other down.", names_text(map, devices))};
}

json to_json(const std::optional<common_place>& place) {
  if (!place) return nullptr;
  return {{"kind", to_string(place->kind)},
          {"name", place->name},
          {"generation", place->link ? json(place->link->generation) : json(nullptr)},
          {"width", place->link ? json(place->link->width) : json(nullptr)}};
}

struct shown_capacity {
  std::string words;
  traffic kind = traffic::h2d;
};

/// Capacities of a link, those of both directions as one if they are alike.
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

using device_rates = std::vector<std::pair<std::size_t, double>>;

/// While these flows run, what each of these devices gets in both of its directions.
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

/// While no others copy.
device_rates together_by_device(const host_map& map, device_set devices, traffic kind) {
  return rates_by_device(rates(map, flows_of(devices, kind)), devices, kind);
}

json rates_json(const device_rates& rates) {
  json list = json::array();
  for (const auto& [device, rate] : rates) list.push_back(rate);
  return list;
}

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

/// "each gets 44.6", or "cuda:0 gets 20.0, cuda:1 to cuda:3 get 50.0 each".
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

/// "44.6 each", or as above.
std::string share_of_each(const host_map& map, const device_rates& rates) {
  const auto levels = levels_of(rates);
  if (levels.size() > 1) return what_each_gets(map, rates);
  return rate_text(levels.front().total / static_cast<double>(rates.size())) + " each";
}

message shared_link_finding(const host_map& map, const shared_link& link) {
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
          {{"devices", names_json(map, link.devices)},
           {"capacities", std::move(capacities)},
           {"place", to_json(place)}},
          fmt::format("{} share {}{}.", names_text(map, link.devices), fmt::join(parts, "; and "),
                      place ? fmt::format(" ({})", place_text(*place)) : std::string())};
}

message unfair_shares(const host_map& map, device_set devices, bool alone, double h2d, double d2h) {
  const auto* const each = devices.size() > 1 ? "each" : "it";
  return {"unfair_shares",
          {{"devices", names_json(map, devices)}, {"alone", alone}, {"h2d", h2d}, {"d2h", d2h}},
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

/// A link that holds flows back when all devices copy.
struct group_at_once {
  limit bound;
  double total, each;
  device_rates rates;  ///< also of devices that their own links hold back
};

std::vector<group_at_once> groups_at_once(const host_map& map, traffic kind) {
  const auto flows = flows_of(measured_devices(map), kind);
  const auto limits = limits_of(map);
  const auto result = fill(limits, map.devices.size(), flows);
  std::vector<group_at_once> groups;
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const auto& held = result.flows[i];
    if (limits[i].devices.size() < 2 || held.size() == 0) continue;
    groups.push_back({limits[i], result.rates.sum(limits[i].of(flows)),
                      result.rates.sum(held) / static_cast<double>(held.devices().size()),
                      rates_by_device(result.rates, limits[i].devices & flows.devices(), kind)});
  }
  return groups;
}

bool are_alike(const std::vector<group_at_once>& lhs, const std::vector<group_at_once>& rhs) {
  return std::ranges::equal(lhs, rhs, [](const auto& left, const auto& right) {
    return left.bound.devices == right.bound.devices &&
           std::abs(left.total / right.total - 1) < told_as_one;
  });
}

/// `kinds` are told by the first of them.
message all_at_once(const host_map& map, const std::vector<group_at_once>& groups,
                    const std::vector<traffic>& kinds) {
  const auto devices = measured_devices(map);
  const auto count = static_cast<double>(devices.size());
  const auto kind = kinds.front();
  const auto total = together_each(map, devices, kind) * count;
  const auto alone = alone_each(map, devices, kind) * count;
  json names_of_kinds = json::array();
  for (const auto other : kinds) names_of_kinds.push_back(to_string(other));
  json list = json::array();
  std::vector<std::string> parts;
  for (const auto& group : groups) {
    list.push_back({{"devices", names_json(map, group.bound.devices)},
                    {"bytes_per_second", group.total},
                    {"each", group.each},
                    {"rates", rates_json(group.rates)}});
    parts.push_back(fmt::format("{} share {} GB/s ({})", names_text(map, group.bound.devices),
                                rate_text(group.total), share_of_each(map, group.rates)));
  }
  return {"all_at_once",
          {{"traffic", std::move(names_of_kinds)},
           {"total", total},
           {"alone_total", alone},
           {"groups", std::move(list)}},
          fmt::format("{} at once get {} GB/s {}, where alone they add up to {}: {}.",
                      names_text(map, devices), rate_text(total),
                      kinds.size() > 1 ? "in each direction" : direction_text(kind),
                      rate_text(alone), fmt::join(parts, ", "))};
}

/// Both directions at once are told only where a link limits their total.
void add_all_at_once(const host_map& map, std::vector<message>& list) {
  const auto h2d = groups_at_once(map, traffic::h2d);
  const auto d2h = groups_at_once(map, traffic::d2h);
  const auto both = groups_at_once(map, traffic::both);
  const bool as_one = are_alike(h2d, d2h);
  if (!h2d.empty())
    list.push_back(all_at_once(
        map, h2d, as_one ? std::vector{traffic::h2d, traffic::d2h} : std::vector{traffic::h2d}));
  if (!d2h.empty() && !as_one) list.push_back(all_at_once(map, d2h, {traffic::d2h}));
  if (std::ranges::any_of(both,
                          [](const auto& group) { return group.bound.kind == traffic::both; }))
    list.push_back(all_at_once(map, both, {traffic::both}));
}

/// The so many devices of a set that get most alone: they disturb each other most.
device_set fastest_of(const host_map& map, device_set devices, traffic kind, std::size_t count) {
  auto members = devices.members();
  std::ranges::stable_sort(members, std::greater{},
                           [&](std::size_t device) { return rate_alone(map, device, kind); });
  members.resize(count);
  return device_set::of(members);
}

/// The device that keeps the smallest part of its rate, with its rates.
struct slowest_device {
  double together, alone;

  [[nodiscard]] double kept() const { return together / alone; }
};

slowest_device slowest_of(const host_map& map, device_set devices, traffic kind) {
  const auto at_once = rates(map, flows_of(devices, kind));
  std::vector<slowest_device> all;
  for (const auto device : devices.members())
    all.push_back(
        {at_once.sum(flows_of(device_set::of(device), kind)), rate_alone(map, device, kind)});
  return std::ranges::min(all, {}, &slowest_device::kept);
}

/// How many devices keep their rates, whichever they are.
std::size_t undisturbed(const host_map& map, device_set devices, traffic kind) {
  std::size_t count = 1;
  while (count < devices.size() &&
         is_undisturbed(slowest_of(map, fastest_of(map, devices, kind, count + 1), kind).kept()))
    ++count;
  return count;
}

/// The direction in which fewest devices keep their rates counts.
void add_at_most(const host_map& map, const shared_link& link, std::vector<message>& list) {
  std::size_t fewest = link.devices.size();
  shown_capacity worst;
  for (const auto& shown : shown_capacities(link)) {
    const auto count = undisturbed(map, link.devices, shown.kind);
    if (count >= fewest) continue;
    fewest = count;
    worst = shown;
  }
  if (fewest == link.devices.size()) return;
  const auto slowest =
      slowest_of(map, fastest_of(map, link.devices, worst.kind, fewest), worst.kind);
  list.push_back(
      {"at_most",
       {{"devices", names_json(map, link.devices)},
        {"count", fewest},
        {"traffic", to_string(worst.kind)},
        {"each", slowest.together},
        {"alone_each", slowest.alone}},
       fmt::format(
           "To keep {:.0f} % of each rate, let at most {} of {} copy at once {}: the slowest "
           "then gets {} of {} GB/s.",
           100 * undisturbed_rate, fewest, names_text(map, link.devices), worst.words,
           rate_text(slowest.together), rate_text(slowest.alone))});
}

void add_slower_alone(const host_map& map, std::vector<message>& list) {
  const auto measured = measured_devices(map);
  if (measured.size() < 3) return;
  for (const auto kind : {traffic::h2d, traffic::d2h}) {
    std::vector<double> typical;
    for (const auto device : measured.members())
      typical.push_back(map.alone[device].of(kind).value);
    const auto median = statistics::median(typical);
    for (const auto device : measured.members()) {
      const auto value = map.alone[device].of(kind).value;
      if (value >= slow_alone * median) continue;
      list.push_back(
          {"slower_alone",
           {{"device", map.devices[device]},
            {"traffic", to_string(kind)},
            {"alone", value},
            {"typical", median}},
           fmt::format("{} gets only {} GB/s {} even alone; most get {}.", map.devices[device],
                       rate_text(value), direction_text(kind), rate_text(median))});
    }
  }
}

/// The most that a device's copies have reached alone, in GB/s.
double fastest_alone(const host_map& map, std::size_t device) {
  if (device >= map.alone.size()) return 0;
  return std::max(map.alone[device].h2d.value, map.alone[device].d2h.value) / 1e9;
}

void add_slow_hops(const host_map& map, std::vector<message>& list) {
  std::map<std::string, device_set> below;
  std::map<std::string, path_link> slow;
  for (std::size_t device = 0; device < map.pci.paths.size(); ++device)
    for (const auto& link : links_of(
             map.pci.paths[device],
             {.is_guest = map.pci.is_guest, .measured_gb_per_s = fastest_alone(map, device)})) {
      below[link.lower] = below[link.lower] | device_set::of(device);
      if (link.is_below_maximum()) slow.emplace(link.lower, link);
    }
  for (const auto& [address, link] : slow)
    list.push_back({"hop_below_maximum",
                    {{"address", address},
                     {"devices", names_json(map, below[address])},
                     {"generation", link.now.generation},
                     {"width", link.now.width},
                     {"generation_max", link.most.generation},
                     {"width_max", link.most.width}},
                    fmt::format("The link above {}, on the way to {}, runs at Gen{} x{}; both ends "
                                "can do Gen{} x{}.",
                                address, names_text(map, below[address]), link.now.generation,
                                link.now.width, link.most.generation, link.most.width)});
}

/// The part of the highest rate that the lowest lacks.
double part_of(const device_drift& drift) {
  const auto [least, most] = std::ranges::minmax(drift.rates);
  return 1 - least / most;
}

void add_drift(const host_map& map, std::vector<message>& list) {
  if (map.drifts.empty()) return;
  device_set devices;
  for (const auto& drift : map.drifts) devices = devices | device_set::of(drift.device);
  const auto largest = std::ranges::max(map.drifts, {}, part_of);
  const auto part = part_of(largest);
  std::vector<std::string> rates;
  for (const auto rate : largest.rates) rates.push_back(rate_text(rate));
  const bool several = devices.size() > 1;
  const auto subject =
      several ? fmt::format("{}, most of all,", map.devices[largest.device]) : std::string("it");
  const auto meaning =
      map.measured_again
          ? std::string("All sets were measured again after that.")
          : fmt::format("A link that takes less than {:.0f} % off {} may be missing.",
                        std::ceil(100 * part), several ? "them" : "it");
  list.push_back({"drift",
                  {{"devices", names_json(map, devices)},
                   {"largest",
                    {{"device", map.devices[largest.device]},
                     {"traffic", to_string(largest.kind)},
                     {"rates", largest.rates},
                     {"part", part}}},
                   {"measured_again", map.measured_again}},
                  fmt::format("{} changed during the measurement: {} got {} GB/s {} alone. {}",
                              names_text(map, devices), subject, fmt::join(rates, ", then "),
                              direction_text(largest.kind), meaning)});
}

std::string name_of(const host_map& map, flow flow) {
  return map.devices[flow.device] + (flow.direction == direction::h2d ? ":h2d" : ":d2h");
}

std::vector<std::string> names_of(const host_map& map, const flow_set& flows) {
  std::vector<std::string> names;
  for (const auto flow : list_of(flows)) names.push_back(name_of(map, flow));
  return names;
}

/// "alone", or "beside cuda:0:h2d, cuda:1:d2h".
std::string beside_text(const std::vector<std::string>& names) {
  return names.empty() ? "alone" : fmt::format("beside {}", fmt::join(names, ", "));
}

void add_unexplained(const host_map& map, std::vector<message>& list) {
  const auto found = most_unexplained(map);
  if (!found) return;
  const auto beside = names_of(map, found->beside);
  const auto fewer = names_of(map, found->beside_fewer);
  list.push_back(
      {"no_link_explains",
       {{"flow", name_of(map, found->flow)},
        {"rate", found->rate},
        {"beside", beside},
        {"rate_before", found->rate_before},
        {"beside_fewer", fewer},
        {"unused", found->unused}},
       fmt::format(
           "{} gets {} GB/s {}, and {} {}. No capacity of a shared link explains that: each "
           "link on its way has carried at least {:.0f} % more in another set.",
           name_of(map, found->flow), rate_text(found->rate_before), beside_text(fewer),
           rate_text(found->rate), beside_text(beside),
           std::floor(100 * found->unused / (1 - found->unused)))});
}

/// Said only where it matters: a busy host discards some now and then.
void add_disturbed(const host_map& map, std::vector<message>& list) {
  constexpr double many = 0.1;
  std::size_t kept = 0;
  std::size_t discarded = 0;
  for (const auto& set : map.sets) {
    kept += set.samples;
    discarded += set.discarded;
  }
  const auto all = kept + discarded;
  if (static_cast<double>(discarded) <= many * static_cast<double>(all)) return;
  list.push_back({"disturbed",
                  {{"samples", all}, {"discarded", discarded}},
                  fmt::format("{} of {} samples were discarded, because something else was busy.",
                              discarded, all)});
}

void add_doubts(const host_map& map, std::vector<message>& list) {
  if (!map.pci.visible)
    list.push_back({"not_visible",
                    {{"devices", names_json(map, device_set::up_to(map.devices.size()))}},
                    "The PCI tree is not visible here: links are known by measurement alone."});
  if (is_poor(map))
    list.push_back(
        {"poor_prediction",
         {{"median", map.errors->median}, {"p95", map.errors->p95}},
         fmt::format("The map does not explain this host: of the rates that it was not fitted to, "
                     "half are off by more than {:.1f} %, and one in twenty by more than {:.1f} %.",
                     100 * map.errors->median, 100 * map.errors->p95)});
  add_unexplained(map, list);
  if (!map.skipped.empty()) {
    const auto& first = map.skipped.front();
    list.push_back(
        {"not_measured",
         {{"count", map.skipped.size()},
          {"first",
           {{"h2d", names_json(map, first.flows.h2d)},
            {"d2h", names_json(map, first.flows.d2h)},
            {"why_not", first.why_not}}}},
         fmt::format("{} of the sets could not be measured, the first with {}: {}",
                     map.skipped.size(), names_text(map, first.flows.devices()), first.why_not)});
  }
}

}  // namespace

json names_json(const host_map& map, device_set devices) {
  json list = json::array();
  for (const auto device : devices.members()) list.push_back(map.devices[device]);
  return list;
}

std::string names_text(const host_map& map, device_set devices) {
  const auto members = devices.members();
  if (members.empty()) return "no device";
  const auto last = map.devices[members.back()];
  const auto first = map.devices[members.front()];
  if (members.size() == 1) return last;
  if (members.size() > 2 && members.back() - members.front() + 1 == members.size())
    return fmt::format("{} to {}", first, last);
  std::string text = first;
  for (std::size_t i = 1; i + 1 < members.size(); ++i) text += ", " + map.devices[members[i]];
  return text + " and " + last;
}

std::optional<common_place> best_place(const host_map& map, device_set devices) {
  const auto places = places_of(map.pci, devices);
  std::optional<common_place> best;
  for (const auto& place : places)
    if (!best || place.kind == place_kind::port) best = place;
  return best;
}

std::vector<message> findings(const host_map& map) {
  std::vector<message> list;
  if (map.links.empty() && measured_devices(map).size() > 1 && !is_poor(map))
    list.push_back(nothing_shared(map));
  add_all_at_once(map, list);
  for (const auto& link : map.links) list.push_back(shared_link_finding(map, link));
  add_unfair_shares(map, list);
  for (const auto& link : map.links) add_at_most(map, link, list);
  add_node_findings(map, list);
  add_slower_alone(map, list);
  add_drift(map, list);
  add_disturbed(map, list);
  add_slow_hops(map, list);
  add_doubts(map, list);
  return list;
}

}  // namespace bench_transfers::topology
