#include <nlohmann/json.hpp>

#include "src/common/message.hpp"
#include "src/topology/findings/findings.hpp"
#include "src/topology/map/reader.hpp"
#include "src/topology/report/report.hpp"

namespace bench_transfers::topology {
namespace {

using json = nlohmann::ordered_json;
using common::list_of;
using common::or_null;

json to_json(const statistics::estimate& shown) {
  return {{"value", shown.value}, {"low", shown.low}, {"high", shown.high}};
}

json to_json(const std::optional<machine::pcie_link>& link) {
  if (!link) return nullptr;
  return {{"generation", link->generation},
          {"width", link->width},
          {"generation_max", link->generation_max},
          {"width_max", link->width_max}};
}

json to_json(const pci_hop& hop) {
  return {{"address", hop.address},
          {"link", to_json(hop.link)},
          {"numa_node", or_null(hop.numa_node)},
          {"local_cpus", or_null(hop.local_cpus)}};
}

json to_json(const pci_path& path) {
  return {{"bus_id", or_null(path.bus_id)},
          {"root_complex", or_null(path.root_complex)},
          {"hops", list_of(path.hops, [](const auto& entry) { return to_json(entry); })}};
}

json to_json(const std::optional<direction_shares>& shares) {
  if (!shares) return nullptr;
  return {{"h2d", shares->h2d}, {"d2h", shares->d2h}};
}

json to_json(const alone_rates& alone) {
  return {{"h2d", to_json(alone.h2d)},
          {"d2h", to_json(alone.d2h)},
          {"both", to_json(alone.both)},
          {"shares", to_json(alone.shares)}};
}

json to_json(const std::optional<capacity>& shown, traffic kind) {
  if (!shown) return nullptr;
  json entry{{"bytes_per_second", to_json(shown->bytes_per_second)},
             {"effect", shown->effect},
             {"p", shown->p},
             {"sets", shown->sets}};
  if (kind == traffic::both) entry["shares"] = to_json(shown->shares);
  return entry;
}

json capacities_to_json(const shared_link& link) {
  json capacities = json::object();
  for (const auto kind : every_traffic) capacities[to_string(kind)] = to_json(link.of(kind), kind);
  return capacities;
}

json to_json(const std::optional<node_rate>& rate) {
  if (!rate) return nullptr;
  return {{"h2d", to_json(rate->h2d)}, {"d2h", to_json(rate->d2h)}};
}

json to_json(const node_rates& shown) {
  return {{"node", shown.node},
          {"rates", list_of(shown.rates, [](const auto& entry) { return to_json(entry); })},
          {"why_not", or_null(shown.why_not)}};
}

json to_json(const common_place& place) {
  return {{"kind", to_string(place.kind)}, {"name", place.name}, {"link", to_json(place.link)}};
}

json to_json(const flow_set& flows) {
  return {{"h2d", flows.h2d.members()}, {"d2h", flows.d2h.members()}};
}

json to_json(const compared_set& set) {
  auto entry = to_json(set.flows);
  entry["held_out"] = set.held_out;
  entry["measured"] = set.measured;
  entry["predicted"] = set.predicted;
  entry["samples"] = set.samples;
  entry["discarded"] = set.discarded;
  return entry;
}

json to_json(const skipped_set& set) {
  auto entry = to_json(set.flows);
  entry["why_not"] = set.why_not;
  return entry;
}

json to_json(const device_drift& drift) {
  return {{"device", drift.device}, {"traffic", to_string(drift.kind)}, {"rates", drift.rates}};
}

json devices_to_json(const host_map& map) {
  json list = json::array();
  for (std::size_t i = 0; i < map.devices.size(); ++i)
    list.push_back({{"name", map.devices[i]}, {"alone", to_json(map.alone[i])}});
  return list;
}

/// A list of entries that are objects by to_json().
constexpr auto listed = [](const auto& values) {
  return list_of(values, [](const auto& entry) { return to_json(entry); });
};

json links_to_json(const host_map& map) {
  return list_of(map.links, [&](const shared_link& link) -> json {
    return {{"devices", link.devices.members()},
            {"capacities", capacities_to_json(link)},
            {"places", listed(places_of(map.pci, link.devices))}};
  });
}

}  // namespace

json to_json(const host_map& map) {
  json errors = nullptr;
  if (map.errors)
    errors = {{"sets", map.errors->sets},
              {"flows", map.errors->flows},
              {"median", map.errors->median},
              {"p95", map.errors->p95}};
  return {{"format", newest_map_format},
          {"kind", kind_of_map},
          {"devices", devices_to_json(map)},
          {"pci",
           {{"visible", map.pci.visible},
            {"guest", map.pci.is_guest},
            {"paths", listed(map.pci.paths)}}},
          {"links", links_to_json(map)},
          {"nodes", map.nodes.empty() ? json(nullptr) : listed(map.nodes)},
          {"drifts", listed(map.drifts)},
          {"measured_again", map.measured_again},
          {"seconds", or_null(map.seconds)},
          {"findings", common::to_json(findings(map))},
          {"held_out_errors", std::move(errors)},
          {"sets", listed(map.sets)},
          {"skipped", listed(map.skipped)}};
}

std::string text_of_host_map(const host_map& map, const nlohmann::ordered_json& context) {
  auto document = to_json(map);
  document["context"] = context;
  return common::text_of(document);
}

}  // namespace bench_transfers::topology
