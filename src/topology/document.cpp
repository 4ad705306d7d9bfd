#include "src/topology/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "src/common/message.hpp"
#include "src/common/or_null.hpp"
#include "src/common/printable.hpp"
#include "src/common/read_text.hpp"
#include "src/common/whole_file.hpp"
#include "src/topology/findings.hpp"

namespace bench_transfers::topology {
namespace {

using json = nlohmann::ordered_json;
using common::or_null;

constexpr int format = 1;
constexpr const char* kind_of_file = "host_map";
constexpr std::size_t most_entries = 100'000;
constexpr std::size_t most_nodes = 1 << 20;

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

template <class Values, class Convert>
json list_of(const Values& values, Convert&& convert) {
  json list = json::array();
  for (const auto& value : values) list.push_back(convert(value));
  return list;
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
  return entry;
}

json to_json(const skipped_set& set) {
  auto entry = to_json(set.flows);
  entry["why_not"] = set.why_not;
  return entry;
}

json devices_to_json(const host_map& map) {
  json list = json::array();
  for (std::size_t i = 0; i < map.devices.size(); ++i)
    list.push_back({{"name", map.devices[i]}, {"alone", to_json(map.alone[i])}});
  return list;
}

json links_to_json(const host_map& map) {
  json list = json::array();
  for (const auto& link : map.links)
    list.push_back({{"devices", link.devices.members()},
                    {"capacities", capacities_to_json(link)},
                    {"places", list_of(places_of(map.pci, link.devices),
                                       [](const auto& entry) { return to_json(entry); })}});
  return list;
}

/// What is wrong with a file, without its name.
class bad_map : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

void require(bool holds, const std::string& reason) {
  if (!holds) throw bad_map(reason);
}

const json& member(const json& object, const char* key) {
  require(object.is_object() && object.contains(key), fmt::format("'{}' is missing", key));
  return object.at(key);
}

const json& list_in(const json& object, const char* key) {
  const auto& list = member(object, key);
  require(list.is_array() && list.size() <= most_entries, fmt::format("'{}' is no list", key));
  return list;
}

std::string text_in(const json& object, const char* key) {
  const auto& text = member(object, key);
  require(text.is_string(), fmt::format("'{}' is no text", key));
  // Names are shown on terminals.
  return common::printable(text.get_ref<const std::string&>());
}

double number(const json& value, const char* key) {
  require(value.is_number(), fmt::format("'{}' is no number", key));
  const auto number = value.get<double>();
  require(std::isfinite(number), fmt::format("'{}' is no finite number", key));
  return number;
}

double positive(const json& value, const char* key) {
  const auto result = number(value, key);
  require(result >= 0, fmt::format("'{}' is negative", key));
  return result;
}

std::size_t index(const json& value, const char* key, std::size_t most) {
  require(value.is_number_unsigned() && value.get<std::uint64_t>() <= most,
          fmt::format("'{}' is no whole number up to {}", key, most));
  return value.get<std::size_t>();
}

statistics::estimate estimate_in(const json& object, const char* key) {
  const auto& value = member(object, key);
  return {positive(member(value, "value"), "value"), number(member(value, "low"), "low"),
          number(member(value, "high"), "high")};
}

std::optional<machine::pcie_link> link_in(const json& object) {
  const auto& link = member(object, "link");
  if (link.is_null()) return std::nullopt;
  const auto whole = [&](const char* key) {
    return static_cast<int>(index(member(link, key), key, 255));
  };
  return machine::pcie_link{whole("generation"), whole("width"), whole("generation_max"),
                            whole("width_max")};
}

std::string text_or_empty(const json& object, const char* key) {
  return member(object, key).is_null() ? std::string() : text_in(object, key);
}

pci_hop hop_of(const json& entry) {
  pci_hop hop{text_in(entry, "address"), link_in(entry), std::nullopt, std::nullopt};
  if (const auto& node = member(entry, "numa_node"); !node.is_null())
    hop.numa_node = static_cast<int>(index(node, "numa_node", most_nodes));
  if (!member(entry, "local_cpus").is_null()) hop.local_cpus = text_in(entry, "local_cpus");
  return hop;
}

pci_view pci_of(const json& document, std::size_t devices) {
  const auto& pci = member(document, "pci");
  const auto& visible = member(pci, "visible");
  require(visible.is_boolean(), "'visible' is not true or false");
  pci_view view{visible.get<bool>(), {}};
  for (const auto& entry : list_in(pci, "paths")) {
    view.paths.push_back(
        {text_or_empty(entry, "bus_id"), text_or_empty(entry, "root_complex"), {}});
    for (const auto& hop : list_in(entry, "hops")) view.paths.back().hops.push_back(hop_of(hop));
  }
  require(view.paths.empty() || view.paths.size() == devices,
          "'paths' has not one path for each device");
  return view;
}

device_set devices_in(const json& object, const char* key, std::size_t devices) {
  device_set set;
  for (const auto& entry : list_in(object, key)) {
    const auto device = index(entry, key, devices - 1);
    require(!set.contains(device), fmt::format("'{}' names a device twice", key));
    set = set | device_set::of(device);
  }
  return set;
}

/// Older files do not have all members.
bool is_given(const json& object, const char* key) {
  return object.contains(key) && !object.at(key).is_null();
}

std::optional<direction_shares> shares_in(const json& object) {
  constexpr double least = 0.001;
  if (!is_given(object, "shares")) return std::nullopt;
  const auto& entry = object.at("shares");
  const auto share = [&](const char* key) {
    const auto part = number(member(entry, key), key);
    require(part >= least && part <= 1 - least, fmt::format("'{}' is no part of a whole", key));
    return part;
  };
  return direction_shares{share("h2d"), share("d2h")};
}

std::optional<capacity> capacity_in(const json& object, const char* key) {
  const auto& entry = member(object, key);
  if (entry.is_null()) return std::nullopt;
  return capacity{estimate_in(entry, "bytes_per_second"), number(member(entry, "effect"), "effect"),
                  positive(member(entry, "p"), "p"),
                  index(member(entry, "sets"), "sets", most_entries), shares_in(entry)};
}

std::vector<node_rates> nodes_in(const json& document, std::size_t devices) {
  std::vector<node_rates> nodes;
  if (!is_given(document, "nodes")) return nodes;
  for (const auto& entry : list_in(document, "nodes")) {
    node_rates node{static_cast<int>(index(member(entry, "node"), "node", most_nodes)), {}};
    for (const auto& rate : list_in(entry, "rates"))
      node.rates.push_back(rate.is_null() ? std::nullopt
                                          : std::optional(node_rate{estimate_in(rate, "h2d"),
                                                                    estimate_in(rate, "d2h")}));
    require(node.rates.size() == devices, "'rates' has not one entry for each device");
    if (is_given(entry, "why_not")) node.why_not = text_in(entry, "why_not");
    nodes.push_back(std::move(node));
  }
  return nodes;
}

std::optional<double> seconds_in(const json& document) {
  if (!is_given(document, "seconds")) return std::nullopt;
  return positive(document.at("seconds"), "seconds");
}

shared_link link_of(const json& entry, std::size_t devices) {
  const auto& capacities = member(entry, "capacities");
  shared_link link{devices_in(entry, "devices", devices), capacity_in(capacities, "h2d"),
                   capacity_in(capacities, "d2h"), capacity_in(capacities, "both")};
  require(link.devices.size() >= 2, "a link has fewer than two devices");
  require(link.h2d || link.d2h || link.both, "a link has no capacity");
  return link;
}

flow_set flows_of_entry(const json& entry, std::size_t devices) {
  return {devices_in(entry, "h2d", devices), devices_in(entry, "d2h", devices)};
}

std::vector<double> rates_in(const json& entry, const char* key, std::size_t count) {
  std::vector<double> rates;
  for (const auto& rate : list_in(entry, key)) rates.push_back(positive(rate, key));
  require(rates.size() == count, fmt::format("'{}' has not one rate for each flow", key));
  return rates;
}

compared_set set_of(const json& entry, std::size_t devices) {
  const auto& held_out = member(entry, "held_out");
  require(held_out.is_boolean(), "'held_out' is not true or false");
  const auto flows = flows_of_entry(entry, devices);
  return {flows, held_out.get<bool>(), rates_in(entry, "measured", flows.size()),
          rates_in(entry, "predicted", flows.size())};
}

std::optional<held_out_errors> errors_in(const json& document) {
  const auto& entry = member(document, "held_out_errors");
  if (entry.is_null()) return std::nullopt;
  return held_out_errors{index(member(entry, "sets"), "sets", most_entries),
                         index(member(entry, "flows"), "flows", most_entries),
                         positive(member(entry, "median"), "median"),
                         positive(member(entry, "p95"), "p95")};
}

void require_nested(const std::vector<shared_link>& links) {
  for (const auto& link : links)
    for (const auto& other : links)
      require(&link == &other ||
                  (link.devices != other.devices && nested_or_apart(link.devices, other.devices)),
              "links cross each other");
}

host_map map_of(const json& document) {
  require(document.is_object() && document.value("kind", json()) == kind_of_file,
          "it is no map of a host ('kind' is not 'host_map')");
  const auto& number_of_format = member(document, "format");
  require(number_of_format.is_number_integer() && number_of_format == format,
          fmt::format("its format is not {}", format));
  host_map map;
  for (const auto& entry : list_in(document, "devices")) {
    map.devices.push_back(text_in(entry, "name"));
    const auto& alone = member(entry, "alone");
    map.alone.push_back({estimate_in(alone, "h2d"), estimate_in(alone, "d2h"),
                         estimate_in(alone, "both"), shares_in(alone)});
  }
  const auto devices = map.devices.size();
  require(devices >= 1 && devices <= most_devices,
          fmt::format("it has not 1 to {} devices", most_devices));
  map.pci = pci_of(document, devices);
  for (const auto& entry : list_in(document, "links")) map.links.push_back(link_of(entry, devices));
  require_nested(map.links);
  for (const auto& entry : list_in(document, "sets")) map.sets.push_back(set_of(entry, devices));
  for (const auto& entry : list_in(document, "skipped"))
    map.skipped.push_back({flows_of_entry(entry, devices), text_in(entry, "why_not")});
  map.errors = errors_in(document);
  map.nodes = nodes_in(document, devices);
  map.seconds = seconds_in(document);
  return map;
}

}  // namespace

json to_json(const host_map& map) {
  json errors = nullptr;
  if (map.errors)
    errors = {{"sets", map.errors->sets},
              {"flows", map.errors->flows},
              {"median", map.errors->median},
              {"p95", map.errors->p95}};
  return {{"format", format},
          {"kind", kind_of_file},
          {"devices", devices_to_json(map)},
          {"pci",
           {{"visible", map.pci.visible},
            {"paths", list_of(map.pci.paths, [](const auto& entry) { return to_json(entry); })}}},
          {"links", links_to_json(map)},
          {"nodes", map.nodes.empty()
                        ? json(nullptr)
                        : list_of(map.nodes, [](const auto& entry) { return to_json(entry); })},
          {"seconds", or_null(map.seconds)},
          {"findings", common::to_json(findings(map))},
          {"held_out_errors", std::move(errors)},
          {"sets", list_of(map.sets, [](const auto& entry) { return to_json(entry); })},
          {"skipped", list_of(map.skipped, [](const auto& entry) { return to_json(entry); })}};
}

void write_host_map(const std::filesystem::path& file, const host_map& map,
                    const nlohmann::ordered_json& context) {
  auto document = to_json(map);
  document["context"] = context;
  // Names of devices and reasons come from elsewhere, and need not be UTF-8.
  common::write_whole(file, document.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
}

host_map host_map_from_text(const std::string& text, const std::filesystem::path& file) {
  const auto refuse = [&](const std::string& reason) {
    return unusable_map(fmt::format("{}: {}", file.string(), reason));
  };
  const auto document = json::parse(text, nullptr, false);
  if (document.is_discarded()) throw refuse("it is not JSON");
  try {
    return map_of(document);
  } catch (const bad_map& bad) {
    throw refuse(bad.what());
  }
}

host_map read_host_map(const std::filesystem::path& file) {
  try {
    return host_map_from_text(common::read_text(file), file);
  } catch (const common::read_error& error) {
    throw unusable_map(fmt::format("{}: {}", file.string(), error.what()));
  }
}

}  // namespace bench_transfers::topology
