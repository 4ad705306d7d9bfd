#include "src/topology/infer/likely_sets.hpp"

#include <algorithm>
#include <set>

#include "src/topology/infer/candidate_sets.hpp"

namespace bench_transfers::topology {
namespace {

/// Links of hosts are nested, and devices below one have numbers in a row.
namespace likely {
constexpr double any_set = 0.5;
constexpr double with_one_more_or_less = 1.5;  // than a link that was found
constexpr double pair = 2;
constexpr double around_or_inside = 3;  // of two links that were found
constexpr double in_a_row = 4;
constexpr double place_or_link = 8;  // a place that the kernel shows, or a link that was found
constexpr double part_if_crossing = 0.25;
}  // namespace likely

void add(likely_sets& sets, device_set devices, double likely) {
  if (devices.size() < 2) return;
  auto& known = sets[devices];
  known = std::max(known, likely);
}

/// Where devices are in no order, the links that were found tell of others: around two of them,
/// inside of one beside another, and with a device more or less.
void add_relatives(likely_sets& sets, const plan& next) {
  std::set<device_set> found;
  for (const auto& fitted : next.fit().shared) found.insert(fitted.limit.devices);
  for (const auto set : found) {
    for (const auto other : found) {
      if ((set & other).empty()) add(sets, set | other, likely::around_or_inside);
      if (set.contains(other)) add(sets, set - other, likely::around_or_inside);
    }
    for (const auto device : next.usable().members()) {
      const auto one = device_set::of(device);
      add(sets, set.contains(device) ? set - one : set | one, likely::with_one_more_or_less);
    }
  }
}

bool crosses_nothing(const plan& next, device_set devices) {
  return std::ranges::all_of(next.fit().shared, [&](const fitted_limit& fitted) {
    return nested_or_apart(fitted.limit.devices, devices) || fitted.sets < 2;
  });
}

}  // namespace

likely_sets likely_sets_of(const plan& next) {
  likely_sets sets;
  const auto devices = next.devices();
  const bool tries_all = devices <= most_devices_for_all_sets;
  if (tries_all)
    for (const auto set : candidate_sets(next.evidence(), {})) sets[set] = likely::any_set;
  for (std::size_t first = 0; first < devices; ++first)
    for (std::size_t last = first + 1; last < devices; ++last) {
      add(sets, device_set::up_to(last + 1) - device_set::up_to(first), likely::in_a_row);
      add(sets, device_set::of(first) | device_set::of(last), likely::pair);
    }
  if (!tries_all) add_relatives(sets, next);
  for (const auto& fitted : next.fit().shared)
    add(sets, fitted.limit.devices, likely::place_or_link);
  for (const auto hint : next.hints()) add(sets, hint, likely::place_or_link);
  for (auto& [set, likely] : sets)
    if (!crosses_nothing(next, set)) likely *= likely::part_if_crossing;
  return sets;
}

}  // namespace bench_transfers::topology
