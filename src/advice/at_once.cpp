#include "src/advice/at_once.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>
#include <utility>

#include "src/common/quantities.hpp"
#include "src/topology/findings/findings.hpp"
#include "src/topology/flows/max_min.hpp"
#include "src/topology/infer/near_nodes.hpp"

namespace bench_transfers::advice {
namespace {

using common::message;
using json = nlohmann::ordered_json;
using topology::device_set;
using topology::flow_set;
using topology::host_map;
using topology::per_flow;
using topology::traffic;

/// Times within this part of each other are alike.
constexpr double alike_within = 0.03;
/// Copies that are larger or smaller by this factor are of another size.
constexpr double other_size = 2;
constexpr double ns_per_second = 1e9;

struct known_rates {
  per_flow rates;
  rate_source source;
};

/// The mean of what was measured, if this set was; otherwise the map's prediction. What devices get
/// alone is the map's, which has it from many sets.
known_rates rates_of(const host_map& map, const flow_set& flows) {
  if (flows.devices().size() < 2) return {topology::rates(map, flows), rate_source::predicted};
  per_flow total(map.devices.size());
  double times = 0;
  const auto list = list_of(flows);
  for (const auto& set : map.sets) {
    if (set.flows != flows ||
        std::ranges::any_of(set.measured, [](double rate) { return rate <= 0; }))
      continue;
    for (std::size_t i = 0; i < list.size(); ++i) total[list[i]] += set.measured[i];
    ++times;
  }
  if (times == 0) return {topology::rates(map, flows), rate_source::predicted};
  for (const auto& flow : list) total[flow] /= times;
  return {total, rate_source::measured};
}

/// Until the last copy has ended. When one has ended, the others get faster.
double ns_of(const host_map& map, flow_set flows, double bytes) {
  // What is left after the last step but rounding.
  const double nothing = 1e-9 * bytes;
  per_flow left(map.devices.size());
  for (const auto& flow : list_of(flows)) left[flow] = bytes;
  double seconds = 0;
  while (flows.size() > 0) {
    const auto rates = rates_of(map, flows).rates;
    double step = std::numeric_limits<double>::infinity();
    for (const auto& flow : list_of(flows)) step = std::min(step, left[flow] / rates[flow]);
    seconds += step;
    if (!std::isfinite(seconds)) break;
    for (const auto& flow : list_of(flows)) {
      left[flow] -= step * rates[flow];
      if (left[flow] > nothing) continue;
      auto& devices = flow.direction == topology::direction::h2d ? flows.h2d : flows.d2h;
      devices = devices - device_set::of(flow.device);
    }
  }
  return seconds * ns_per_second;
}

group_at_once group_of(const host_map& map, device_set devices, const copies_at_once& question) {
  const auto flows = flows_of(devices, question.kind);
  const auto known = rates_of(map, flows);
  group_at_once group{devices, known.source,           {}, known.rates.sum(flows),
                      1,       list_of(flows).front(), 0};
  for (const auto device : devices.members()) {
    const auto own = flows_of(device_set::of(device), question.kind);
    const auto alone = topology::rates(map, own);
    group.rates.push_back({device, alone.sum(own), known.rates.sum(own)});
    for (const auto& flow : list_of(own)) {
      const auto kept = known.rates[flow] / alone[flow];
      if (kept >= group.kept) continue;
      group.kept = kept;
      group.slowest = flow;
    }
  }
  group.ns = ns_of(map, flows, question.bytes);
  return group;
}

/// Each device goes to the first group that it does not disturb.
std::vector<group_at_once> undisturbed_groups(const host_map& map, const copies_at_once& question) {
  std::vector<device_set> groups;
  for (const auto device : question.devices.members()) {
    const auto fits = [&](device_set group) {
      return topology::is_undisturbed(group_of(map, group | device_set::of(device), question).kept);
    };
    const auto group = std::ranges::find_if(groups, fits);
    if (group == groups.end())
      groups.push_back(device_set::of(device));
    else
      *group = *group | device_set::of(device);
  }
  std::vector<group_at_once> list;
  for (const auto group : groups) list.push_back(group_of(map, group, question));
  return list;
}

std::vector<kept_beside> kept_in_pairs(const host_map& map, const copies_at_once& question) {
  std::vector<kept_beside> pairs;
  for (const auto device : question.devices.members())
    for (const auto other : (question.devices - device_set::of(device)).members()) {
      const auto own = flows_of(device_set::of(device), question.kind);
      const auto both = flows_of(device_set::of({device, other}), question.kind);
      const auto known = rates_of(map, both);
      pairs.push_back({device, other, part_kept(map, known.rates, own), known.source});
    }
  return pairs;
}

order fastest_of(const advice_at_once& answer) {
  auto best = std::pair{order::at_once, answer.all.ns};
  // Groups of one device are one by one.
  if (answer.groups.size() < answer.all.rates.size() &&
      answer.groups_ns < (1 - alike_within) * best.second)
    best = {order::groups, answer.groups_ns};
  return answer.one_by_one_ns < (1 - alike_within) * best.second ? order::one_by_one : best.first;
}

std::optional<int> node_by_pci(const host_map& map, std::size_t device) {
  if (device >= map.pci.paths.size() || map.pci.paths[device].hops.empty()) return std::nullopt;
  return map.pci.paths[device].hops.back().numa_node;
}

/// Whether the PCI tree has every device on one and the same node: then there is nothing to choose.
bool has_one_node(const host_map& map) {
  std::set<std::optional<int>> nodes;
  for (std::size_t device = 0; device < map.devices.size(); ++device)
    nodes.insert(node_by_pci(map, device));
  return nodes.size() == 1 && nodes.begin()->has_value();
}

double rate_of(const topology::node_rate& rate, traffic kind) {
  switch (kind) {
    case traffic::h2d: return rate.h2d.value;
    case traffic::d2h: return rate.d2h.value;
    case traffic::both: return std::min(rate.h2d.value, rate.d2h.value);
  }
  return 0;
}

/// Nothing unless the device was measured with memory on two nodes.
std::optional<best_node> measured_node(const host_map& map, std::size_t device, traffic kind) {
  const auto compared = topology::compare_nodes(map, device);
  if (!compared || effect_of(*compared) != topology::node_effect::matters) return std::nullopt;
  std::vector<std::pair<double, int>> rates;
  for (const auto& node : map.nodes)
    if (const auto& rate = node.rates.at(device))
      rates.emplace_back(rate_of(*rate, kind), node.node);
  if (rates.size() < 2) return std::nullopt;
  const auto [lowest, highest] = std::ranges::minmax(rates, {}, &std::pair<double, int>::first);
  return best_node{device, highest.second, node_source::measured, highest.first, lowest.first};
}

std::optional<best_node> node_of(const host_map& map, std::size_t device, traffic kind) {
  if (const auto measured = measured_node(map, device, kind)) return measured;
  if (const auto node = node_by_pci(map, device)) return best_node{device, *node, node_source::pci};
  return std::nullopt;
}

void add_nodes(const host_map& map, advice_at_once& answer) {
  if (map.nodes.empty() && has_one_node(map)) return;
  device_set unknown;
  for (const auto device : answer.question.devices.members()) {
    if (const auto node = node_of(map, device, answer.question.kind))
      answer.nodes.push_back(*node);
    else
      unknown = unknown | device_set::of(device);
  }
  if (!unknown.empty())
    answer.doubts.push_back(
        {"node_unknown",
         {{"devices", device_names(map, unknown)}},
         fmt::format("Which NUMA node is near {} is not known: it was not measured, and the PCI "
                     "tree does not say.",
                     names_text(map, unknown))});
}

void add_set_doubts(const host_map& map, advice_at_once& answer) {
  const auto flows = flows_of(answer.question.devices, answer.question.kind);
  const auto skipped = std::ranges::find(map.skipped, flows, &topology::skipped_set::flows);
  if (skipped != map.skipped.end())
    answer.doubts.push_back(
        {"set_skipped",
         {{"why_not", skipped->why_not}},
         fmt::format("These copies could not be measured at once: {}", skipped->why_not)});
  if (answer.all.source == rate_source::measured || answer.question.devices.size() < 2) return;
  json data = nullptr;
  std::string how_well = "it was compared with no set held out";
  if (map.errors) {
    data = {{"median", map.errors->median}, {"p95", map.errors->p95}};
    how_well = fmt::format("in sets that it was not fitted to it errs by {:.1f} % in the median",
                           100 * map.errors->median);
  }
  answer.doubts.push_back(
      {"set_not_measured", std::move(data),
       fmt::format("Not all rates at once were measured. Of those that the map predicts: {}.",
                   how_well)});
}

/// The finding of the map, if it has it.
void add_doubts_of_map(const host_map& map, advice_at_once& answer) {
  for (auto& finding : findings(map))
    if (finding.code == "poor_prediction" || finding.code == "no_link_explains")
      answer.doubts.push_back(std::move(finding));
}

void add_other_size(advice_at_once& answer, std::optional<std::size_t> measured_bytes) {
  if (!measured_bytes) return;
  const auto factor = answer.question.bytes / static_cast<double>(*measured_bytes);
  if (factor < other_size && factor > 1 / other_size) return;
  answer.doubts.push_back(
      {"other_size",
       {{"measured_bytes", *measured_bytes}},
       fmt::format("The map was made of copies of {}: others may get other rates.",
                   common::format_size(*measured_bytes))});
}

void require_possible(const host_map& map, const copies_at_once& question) {
  if (question.devices.empty() || !device_set::up_to(map.devices.size()).contains(question.devices))
    throw std::invalid_argument("no devices, or devices that the map does not have");
  if (!std::isfinite(question.bytes) || question.bytes <= 0)
    throw std::invalid_argument("bytes are no positive number");
}

}  // namespace

std::optional<advice_at_once> advise_at_once(const host_map& map, const copies_at_once& question,
                                             std::optional<std::size_t> measured_bytes) {
  require_possible(map, question);
  const auto measured = measured_devices(map) & question.devices;
  if (measured.empty()) return std::nullopt;
  const copies_at_once answered{measured, question.kind, question.bytes};
  advice_at_once answer{answered,
                        group_of(map, measured, answered),
                        undisturbed_groups(map, answered),
                        0,
                        0,
                        kept_in_pairs(map, answered),
                        order::at_once,
                        {},
                        {}};
  for (const auto& group : answer.groups) answer.groups_ns += group.ns;
  for (const auto device : measured.members())
    answer.one_by_one_ns += group_of(map, device_set::of(device), answered).ns;
  answer.fastest = fastest_of(answer);
  if (const auto others = question.devices - measured; !others.empty())
    answer.doubts.push_back({"devices_not_measured",
                             {{"devices", device_names(map, others)}},
                             fmt::format("The map has no rates of {}.", names_text(map, others))});
  add_set_doubts(map, answer);
  add_doubts_of_map(map, answer);
  add_other_size(answer, measured_bytes);
  add_nodes(map, answer);
  return answer;
}

}  // namespace bench_transfers::advice
