#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "src/topology/findings/registration.hpp"
#include "src/topology/findings/told_rates.hpp"

namespace bench_transfers::topology {
namespace {

using common::message;

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
void add_of(const host_map& map, const shared_link& link, std::vector<message>& list) {
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
       {{"devices", device_names(map, link.devices)},
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

void add_at_most(const host_map& map, std::vector<message>& list) {
  for (const auto& link : map.links) add_of(map, link, list);
}

const registration of_at_most(subject::at_most, add_at_most);

}  // namespace
}  // namespace bench_transfers::topology
