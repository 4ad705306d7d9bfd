#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "src/topology/findings/registration.hpp"
#include "src/topology/findings/told_rates.hpp"

namespace bench_transfers::topology {
namespace {

using common::message;
using json = nlohmann::ordered_json;

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
  json list = json::array();
  std::vector<std::string> parts;
  for (const auto& group : groups) {
    list.push_back({{"devices", device_names(map, group.bound.devices)},
                    {"bytes_per_second", group.total},
                    {"each", group.each},
                    {"rates", rates_json(group.rates)}});
    parts.push_back(fmt::format("{} share {} GB/s ({})", names_text(map, group.bound.devices),
                                rate_text(group.total), share_of_each(map, group.rates)));
  }
  return {"all_at_once",
          {{"traffic", common::list_of(kinds, [](traffic other) { return to_string(other); })},
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

const registration of_all_at_once(subject::all_at_once, add_all_at_once);

}  // namespace
}  // namespace bench_transfers::topology
