#include "src/topology/map/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "src/common/files.hpp"
#include "src/common/text.hpp"
#include "src/result_file/checked_value.hpp"
#include "src/result_file/entries.hpp"
#include "src/result_file/json_text.hpp"

namespace bench_transfers::topology {
namespace {

using result_file::bad_entry;
using result_file::checked_value;

/// A map of 64 devices and all of its sets has 5 MiB.
constexpr std::size_t most_bytes = std::size_t{32} << 20;
constexpr std::size_t most_entries = 100'000;
constexpr std::size_t most_name = 100;
constexpr std::size_t most_nodes = 1 << 20;
constexpr std::size_t most_copy = std::size_t{1} << 50;
constexpr double least_share = 0.001;
/// How far an interval may end on the wrong side of its value: what rounding does.
constexpr double interval_rounding = 1e-9;
/// Beside others a device gets at most what it gets alone; noise and drift add a tenth in the files
/// that were recorded.
constexpr double most_gain = 2;

statistics::estimate estimate_of(const checked_value& entry) {
  const statistics::estimate read{entry.at("value").not_negative(), entry.at("low").number(),
                                  entry.at("high").number()};
  const auto slack = interval_rounding * read.value;
  entry.require(read.low <= read.value + slack && read.value <= read.high + slack,
                "has a value outside of its interval");
  return read;
}

std::optional<machine::pcie_link> link_of(const std::optional<checked_value>& entry) {
  if (!entry) return std::nullopt;
  const auto small = [&](const char* key) { return static_cast<int>(entry->at(key).whole(255)); };
  return machine::pcie_link{small("generation"), small("width"), small("generation_max"),
                            small("width_max")};
}

std::string text_or_empty(const std::optional<checked_value>& entry) {
  return entry ? entry->text() : std::string();
}

pci_hop hop_of(const checked_value& entry) {
  pci_hop hop{entry.at("address").text(), link_of(entry.at_or_null("link")), std::nullopt,
              std::nullopt};
  if (const auto node = entry.at_or_null("numa_node"))
    hop.numa_node = static_cast<int>(node->whole(most_nodes));
  if (const auto cpus = entry.at_or_null("local_cpus")) hop.local_cpus = cpus->text();
  return hop;
}

pci_view pci_of(const checked_value& entry, std::size_t devices) {
  pci_view view{.visible = entry.at("visible").truth()};
  if (const auto guest = entry.find("guest")) view.is_guest = guest->truth();
  const auto paths = entry.at("paths");
  for (const auto& path : paths.list(most_devices)) {
    view.paths.push_back({text_or_empty(path.at_or_null("bus_id")),
                          text_or_empty(path.at_or_null("root_complex")),
                          {}});
    for (const auto& hop : path.at("hops").list(most_entries))
      view.paths.back().hops.push_back(hop_of(hop));
  }
  paths.require(view.paths.empty() || view.paths.size() == devices,
                fmt::format("has {} paths for {} devices", view.paths.size(), devices));
  return view;
}

device_set devices_of(const checked_value& entry, std::size_t devices) {
  device_set set;
  for (const auto& index : entry.list(most_devices)) {
    const auto device = index.whole(devices - 1);
    index.require(!set.contains(device), "is in the list twice");
    set = set | device_set::of(device);
  }
  return set;
}

/// Older files do not have them.
std::optional<direction_shares> shares_of(const std::optional<checked_value>& entry) {
  if (!entry) return std::nullopt;
  const auto share = [&](const char* key) { return entry->at(key).number(least_share, 1); };
  const direction_shares shares{share("h2d"), share("d2h")};
  entry->require(std::abs(shares.h2d + shares.d2h - 1) < least_share,
                 "has parts that do not make a whole");
  return shares;
}

alone_rates alone_of(const checked_value& entry) {
  return {estimate_of(entry.at("h2d")), estimate_of(entry.at("d2h")), estimate_of(entry.at("both")),
          shares_of(entry.find("shares"))};
}

std::optional<capacity> capacity_of(const std::optional<checked_value>& entry) {
  if (!entry) return std::nullopt;
  const auto rate = entry->at("bytes_per_second");
  const auto value = estimate_of(rate);
  rate.require(value.value > 0, "is not positive");
  return capacity{value, entry->at("effect").number(-1, 1), entry->at("p").number(0, 1),
                  entry->at("sets").whole(most_entries), shares_of(entry->find("shares"))};
}

/// Nothing if there are none; older files do not have them.
std::vector<node_rates> nodes_of(const std::optional<checked_value>& entry, std::size_t devices) {
  std::vector<node_rates> nodes;
  if (!entry) return nodes;
  std::set<int> numbers;
  for (const auto& node : entry->list(most_entries)) {
    const auto number = node.at("node");
    nodes.push_back(
        {static_cast<int>(number.whole(most_nodes)), {}, text_or_empty(node.find("why_not"))});
    number.require(numbers.insert(nodes.back().node).second, "is that of another entry, too");
    const auto rates = node.at("rates");
    for (const auto& rate : rates.list_with_nulls(most_devices))
      nodes.back().rates.push_back(rate ? std::optional(node_rate{estimate_of(rate->at("h2d")),
                                                                  estimate_of(rate->at("d2h"))})
                                        : std::nullopt);
    rates.require(nodes.back().rates.size() == devices,
                  fmt::format("has {} entries for {} devices", nodes.back().rates.size(), devices));
  }
  return nodes;
}

shared_link shared_link_of(const checked_value& entry, std::size_t devices) {
  const auto capacities = entry.at("capacities");
  const auto below = entry.at("devices");
  shared_link link{devices_of(below, devices), capacity_of(capacities.at_or_null("h2d")),
                   capacity_of(capacities.at_or_null("d2h")),
                   capacity_of(capacities.at_or_null("both"))};
  below.require(link.devices.size() >= 2, "has fewer than two devices");
  capacities.require(link.h2d || link.d2h || link.both, "has none");
  return link;
}

std::vector<shared_link> links_of(const checked_value& entry, std::size_t devices) {
  std::vector<shared_link> links;
  for (const auto& added : entry.list(2 * most_devices)) {
    links.push_back(shared_link_of(added, devices));
    const auto set = links.back().devices;
    for (std::size_t i = 0; i + 1 < links.size(); ++i) {
      added.require(links[i].devices != set, fmt::format("has the devices of links[{}]", i));
      added.require(nested_or_apart(links[i].devices, set), fmt::format("crosses links[{}]", i));
      added.require(!set.contains(links[i].devices),
                    fmt::format("stands behind links[{}], which lies inside of it", i));
    }
  }
  return links;
}

flow_set flows_of_set(const checked_value& entry, std::size_t devices) {
  const flow_set flows{devices_of(entry.at("h2d"), devices), devices_of(entry.at("d2h"), devices)};
  entry.require(flows.size() > 0, "has no copies");
  return flows;
}

std::vector<double> rates_of(const checked_value& entry, const flow_set& flows,
                             const std::vector<alone_rates>& alone) {
  std::vector<double> rates;
  const auto list = entry.list(2 * most_devices);
  const auto copies = list_of(flows);
  entry.require(list.size() == copies.size(),
                fmt::format("has {} rates for {} copies", list.size(), copies.size()));
  for (const auto& rate : list) {
    const auto& [device, way] = copies[rates.size()];
    const auto& own = way == direction::h2d ? alone[device].h2d : alone[device].d2h;
    rates.push_back(rate.not_negative());
    rate.require(own.value == 0 || rates.back() <= most_gain * own.value,
                 "is more than twice what the device gets alone");
  }
  return rates;
}

/// Older files do not have them.
std::size_t count_of(const std::optional<checked_value>& entry) {
  return entry ? entry->whole(most_entries) : 0;
}

compared_set set_of(const checked_value& entry, const std::vector<alone_rates>& alone) {
  const auto flows = flows_of_set(entry, alone.size());
  return {flows,
          entry.at("held_out").truth(),
          rates_of(entry.at("measured"), flows, alone),
          rates_of(entry.at("predicted"), flows, alone),
          count_of(entry.find("samples")),
          count_of(entry.find("discarded"))};
}

traffic traffic_of(const checked_value& entry) {
  const auto word = entry.text();
  const auto* const kind =
      std::ranges::find_if(every_traffic, [&](traffic known) { return word == to_string(known); });
  entry.require(kind != std::end(every_traffic), "is not h2d, d2h or both");
  return *kind;
}

/// Older files do not have them.
std::vector<device_drift> drifts_of(const std::optional<checked_value>& entry,
                                    std::size_t devices) {
  std::vector<device_drift> drifts;
  if (!entry) return drifts;
  for (const auto& drift : entry->list(most_entries)) {
    drifts.push_back({drift.at("device").whole(devices - 1), traffic_of(drift.at("traffic")), {}});
    const auto rates = drift.at("rates");
    for (const auto& rate : rates.list(most_entries)) {
      drifts.back().rates.push_back(rate.not_negative());
      rate.require(drifts.back().rates.back() > 0, "is not positive");
    }
    rates.require(drifts.back().rates.size() >= 2, "has fewer than two rates");
  }
  return drifts;
}

std::optional<held_out_errors> errors_of(const std::optional<checked_value>& entry) {
  if (!entry) return std::nullopt;
  return held_out_errors{entry->at("sets").whole(most_entries),
                         entry->at("flows").whole(most_entries * most_devices),
                         entry->at("median").not_negative(), entry->at("p95").not_negative()};
}

void require_map(const checked_value& document) {
  const auto kind = document.find("kind");
  document.require(kind && kind->text() == kind_of_map,
                   fmt::format("is no map of a host: its kind is not '{}'", kind_of_map));
  const auto format = document.at("format");
  const auto number = format.whole_from_1(most_entries);
  format.require(
      number <= newest_map_format,
      fmt::format("is {}: this program reads maps up to format {}", number, newest_map_format));
}

void read_devices(const checked_value& list, host_map& map) {
  for (const auto& device : list.list(most_devices)) {
    const auto name = device.at("name");
    map.devices.push_back(name.text());
    name.require(!map.devices.back().empty() && map.devices.back().size() <= most_name,
                 fmt::format("has not 1 to {} characters", most_name));
    name.require(std::ranges::count(map.devices, map.devices.back()) == 1,
                 "is that of another device, too");
    map.alone.push_back(alone_of(device.at("alone")));
  }
  list.require(!map.devices.empty(), "is empty");
}

host_map map_of(const checked_value& document) {
  host_map map;
  read_devices(document.at("devices"), map);
  const auto devices = map.devices.size();
  map.pci = pci_of(document.at("pci"), devices);
  map.links = links_of(document.at("links"), devices);
  for (const auto& set : document.at("sets").list(most_entries))
    map.sets.push_back(set_of(set, map.alone));
  for (const auto& set : document.at("skipped").list(most_entries))
    map.skipped.push_back({flows_of_set(set, devices), set.at("why_not").text()});
  map.drifts = drifts_of(document.find("drifts"), devices);
  if (const auto again = document.find("measured_again")) map.measured_again = again->truth();
  map.errors = errors_of(document.at_or_null("held_out_errors"));
  map.nodes = nodes_of(document.find("nodes"), devices);
  if (const auto seconds = document.find("seconds")) map.seconds = seconds->not_negative();
  return map;
}

map_origin origin_of(const std::optional<checked_value>& context) {
  map_origin origin;
  if (!context) return origin;
  if (const auto host = context->find("without_gpu")) origin.without_gpu = host->truth();
  if (const auto size = context->find("size_bytes"))
    origin.size_bytes = size->whole_from_1(most_copy);
  origin.date = text_or_empty(context->find("date"));
  origin.commit = text_or_empty(context->find("git_commit"));
  origin.host_name = text_or_empty(context->find("host_name"));
  return origin;
}

unusable_map refusal(const std::filesystem::path& file, const std::string& reason) {
  return unusable_map(fmt::format("cannot use {}: {}", common::printable(file.string()), reason));
}

}  // namespace

map_file map_file_from_text(const std::string& text, const std::filesystem::path& file) {
  try {
    simdjson::dom::parser parser;
    const checked_value document(result_file::parsed(parser, text), "");
    require_map(document);
    return {map_of(document), origin_of(document.find("context"))};
  } catch (const bad_entry& bad) {
    throw refusal(file, bad.what());
  }
}

map_file read_map_file(const std::filesystem::path& file) {
  try {
    return map_file_from_text(common::read_text(file, most_bytes), file);
  } catch (const common::read_error& error) {
    throw refusal(file, error.what());
  }
}

}  // namespace bench_transfers::topology
