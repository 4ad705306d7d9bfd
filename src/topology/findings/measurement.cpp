#include <fmt/format.h>

#include "src/topology/findings/registration.hpp"

namespace bench_transfers::topology {
namespace {

using common::message;

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

void add_not_visible(const host_map& map, std::vector<message>& list) {
  if (map.pci.visible) return;
  list.push_back({"not_visible",
                  {{"devices", device_names(map, device_set::up_to(map.devices.size()))}},
                  "The PCI tree is not visible here: links are known by measurement alone."});
}

void add_not_measured(const host_map& map, std::vector<message>& list) {
  if (map.skipped.empty()) return;
  const auto& first = map.skipped.front();
  list.push_back(
      {"not_measured",
       {{"count", map.skipped.size()},
        {"first",
         {{"h2d", device_names(map, first.flows.h2d)},
          {"d2h", device_names(map, first.flows.d2h)},
          {"why_not", first.why_not}}}},
       fmt::format("{} of the sets could not be measured, the first with {}: {}",
                   map.skipped.size(), names_text(map, first.flows.devices()), first.why_not)});
}

const registration of_samples(subject::samples, add_disturbed);
const registration of_pci(subject::pci, add_not_visible);
const registration of_skipped(subject::skipped, add_not_measured);

}  // namespace
}  // namespace bench_transfers::topology
