#include "bench/cli/neighbours.hpp"

#include <map>
#include <utility>

namespace bench_transfers::bench {
namespace {

using result_file::set_kind;
using topology::place_kind;

set_kind kind_of(const topology::common_place& place) {
  return place.kind == place_kind::numa_node ? set_kind::node : set_kind::port;
}

/// Whether a place tells more than another of the same kind.
bool is_better(const topology::common_place& place, const topology::common_place& known) {
  return place.kind == place_kind::port || known.kind != place_kind::port;
}

std::vector<neighbours> neighbours_in(const topology::pci_view& view,
                                      topology::device_set devices) {
  std::map<set_kind, topology::common_place> best;
  for (const auto& place : places_of(view, devices)) {
    const auto [known, is_new] = best.try_emplace(kind_of(place), place);
    if (!is_new && is_better(place, known->second)) known->second = place;
  }
  std::vector<neighbours> list;
  for (const auto& [kind, place] : best) list.push_back({{kind, place.name}, devices.members()});
  return list;
}

}  // namespace

std::vector<neighbours> neighbours_of(const topology::pci_view& view) {
  std::vector<neighbours> list;
  for (const auto devices : sets_below_places(view)) {
    if (devices.size() == view.paths.size()) continue;
    for (auto& common : neighbours_in(view, devices)) list.push_back(std::move(common));
  }
  return list;
}

host_layout layout_of(const devices_choice& devices, std::vector<machine::numa_node> nodes) {
  return {devices.ids, neighbours_of(pci_view_of(devices)), std::move(nodes)};
}

}  // namespace bench_transfers::bench
