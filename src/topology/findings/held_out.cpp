#include <fmt/format.h>

#include <algorithm>

#include "src/topology/findings/registration.hpp"

namespace bench_transfers::topology {
namespace {

using common::message;

/// Errors of sets held out above these make a map doubtful.
constexpr double poor_median = 0.05, poor_p95 = 0.15;

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
            {{"devices", device_names(map, devices)}},
            fmt::format("Whether {} slow each other down is not known: they were not measured all "
                        "at once in each direction.",
                        names_text(map, devices))};
  const auto* const against = map.errors ? nullptr : set_against(map);
  if (against)
    return {"sharing_unknown",
            {{"devices", device_names(map, devices)}},
            fmt::format("Whether {} slow each other down is not known: {} got less at once than "
                        "the map says, and no other set was measured to check it.",
                        names_text(map, devices), names_text(map, against->flows.devices()))};
  return {"nothing_shared",
          {{"devices", device_names(map, devices)}},
          fmt::format("{} do not slow each other down.", names_text(map, devices))};
}

void find_nothing_shared(const host_map& map, std::vector<message>& list) {
  if (map.links.empty() && measured_devices(map).size() > 1 && !is_poor(map))
    list.push_back(nothing_shared(map));
}

void find_poor_prediction(const host_map& map, std::vector<message>& list) {
  if (!is_poor(map)) return;
  list.push_back(
      {"poor_prediction",
       {{"median", map.errors->median}, {"p95", map.errors->p95}},
       fmt::format("The map does not explain this host: of the rates that it was not fitted to, "
                   "half are off by more than {:.1f} %, and one in twenty by more than {:.1f} %.",
                   100 * map.errors->median, 100 * map.errors->p95)});
}

const registration of_sharing(subject::sharing, find_nothing_shared);
const registration of_prediction(subject::prediction, find_poor_prediction);

}  // namespace
}  // namespace bench_transfers::topology
