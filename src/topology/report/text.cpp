#include "src/common/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <vector>

#include "src/exports/text.hpp"
#include "src/topology/findings/findings.hpp"
#include "src/topology/findings/words.hpp"
#include "src/topology/report/report.hpp"

namespace bench_transfers::topology {
namespace {

using exports::cells;

constexpr double noticeable = 0.02;

std::string with_interval(const statistics::estimate& shown) {
  return fmt::format("{} [{}, {}]", rate_text(shown.value), rate_text(shown.low),
                     rate_text(shown.high));
}

std::string capacities_text(const shared_link& link) {
  std::vector<std::string> parts;
  for (const auto kind : every_traffic)
    if (const auto& capacity = link.of(kind))
      parts.push_back(
          fmt::format("{} {}", to_string(kind), with_interval(capacity->bytes_per_second)));
  return fmt::format("{} GB/s", fmt::join(parts, ", "));
}

std::string alone_text(const alone_rates& alone) {
  std::vector<std::string> parts;
  for (const auto kind : every_traffic)
    parts.push_back(fmt::format("{} {}", to_string(kind),
                                alone.of(kind).value > 0 ? rate_text(alone.of(kind).value) : "-"));
  return fmt::format("{} GB/s alone", fmt::join(parts, ", "));
}

std::string hop_text(const common_place& place) {
  return place.link ? fmt::format("port {}: {}", place.name, nominal_text(*place.link))
                    : place_text(place);
}

class tree {
 public:
  explicit tree(const host_map& map) : map_(map) {}

  std::string text() {
    lines_ = "host\n";
    add_below(nullptr, "");
    return std::move(lines_);
  }

 private:
  /// What hangs directly below a link, or below the host.
  void add_below(const shared_link* parent, const std::string& indent) {
    std::map<std::size_t, const shared_link*> below;  // by the first device; null: the device alone
    auto devices = parent == nullptr ? device_set::up_to(map_.devices.size()) : parent->devices;
    for (const auto& link : map_.links) {
      if (parent_of(map_, link) != parent) continue;
      below.emplace(link.devices.front(), &link);
      devices = devices - link.devices;
    }
    for (const auto device : devices.members()) below.emplace(device, nullptr);
    for (const auto& [first, link] : below) {
      const bool is_last = first == below.rbegin()->first;
      if (link != nullptr)
        add_link(*link, indent, is_last);
      else
        add_device(first, indent, is_last);
    }
  }

  void add_link(const shared_link& link, const std::string& indent, bool is_last) {
    lines_ += fmt::format("{}{} {} share {}\n", indent, is_last ? "└─" : "├─",
                          names_text(map_, link.devices), capacities_text(link));
    const auto inner = indent + (is_last ? "   " : "│  ");
    for (const auto& place : places_of(map_.pci, link.devices))
      lines_ += fmt::format("{}│  {}\n", inner, hop_text(place));
    add_below(&link, inner);
  }

  void add_device(std::size_t device, const std::string& indent, bool is_last) {
    lines_ += fmt::format(
        "{}{} {}: {}\n", indent, is_last ? "└─" : "├─", map_.devices[device],
        measured_devices(map_).contains(device) ? alone_text(map_.alone[device]) : "not measured");
    if (device >= map_.pci.paths.size()) return;
    const auto& hops = map_.pci.paths[device].hops;
    if (hops.empty() || !hops.back().link) return;
    lines_ += fmt::format("{}   {}: {}\n", indent + (is_last ? " " : "│"), hops.back().address,
                          nominal_text(*hops.back().link));
  }

  const host_map& map_;
  std::string lines_;
};

using parts = std::vector<std::vector<double>>;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// For each device (row) what it keeps while another (column) copies.
parts parts_kept(const host_map& map, traffic kind) {
  const auto devices = map.devices.size();
  parts kept(devices, std::vector<double>(devices, unknown));
  const auto measured = measured_devices(map).members();
  for (const auto first : measured)
    for (const auto second : measured) {
      if (first == second) continue;
      const auto pair = rates(map, flows_of(device_set::of({first, second}), kind));
      kept[first][second] = part_kept(map, pair, flows_of(device_set::of(first), kind));
    }
  return kept;
}

double largest_difference(const parts& lhs, const parts& rhs) {
  double largest = 0;
  for (std::size_t row = 0; row < lhs.size(); ++row)
    for (std::size_t column = 0; column < lhs.size(); ++column)
      if (!std::isnan(lhs[row][column]))
        largest = std::max(largest, std::abs(lhs[row][column] - rhs[row][column]));
  return largest;
}

exports::table table_of(const host_map& map, const parts& kept, const std::string& title) {
  exports::table table{.title = title, .columns = {{"", cells::numbers, 6}}, .between = 1};
  for (const auto& name : map.devices) table.columns.push_back({name, cells::numbers, 5});
  for (std::size_t i = 0; i < kept.size(); ++i) {
    auto& line = table.rows.emplace_back(exports::row{{" " + map.devices[i]}}).cells;
    for (const auto part : kept[i])
      line.push_back(std::isnan(part) ? "-" : fmt::format("{:.0f}", 100 * part));
  }
  return table;
}

/// What each device gets alone from the memory of each node.
exports::table table_of_nodes(const host_map& map) {
  exports::table table{"Alone, with memory on each NUMA node, GB/s from the host and to it:",
                       {{"", cells::numbers, 6}}};
  for (const auto& name : map.devices) table.rows.push_back({{" " + name}});
  for (const auto& entry : map.nodes) {
    if (std::ranges::none_of(entry.rates, [](const auto& rate) { return rate.has_value(); }))
      continue;
    table.columns.push_back({fmt::format("node {}", entry.node), cells::numbers, 12});
    for (std::size_t i = 0; i < map.devices.size(); ++i) {
      const auto& rate = entry.rates[i];
      table.rows[i].cells.push_back(
          rate ? fmt::format("{} {}", rate_text(rate->h2d.value), rate_text(rate->d2h.value))
               : "-");
    }
  }
  return table;
}

std::string check_text(const host_map& map) {
  if (!map.errors) return "No sets were held out: the map is not checked.";
  return fmt::format(
      "Checked on {} that the map was not fitted to: rates of flows differ by {:.1f} % (median) "
      "and {:.1f} % (95th percentile).",
      common::counted(map.errors->sets, "set"), 100 * map.errors->median, 100 * map.errors->p95);
}

}  // namespace

std::string tree_text(const host_map& map) { return tree(map).text(); }

std::vector<exports::table> tables_of_pairs(const host_map& map) {
  const parts undisturbed(map.devices.size(), std::vector<double>(map.devices.size(), 1));
  std::vector<std::pair<parts, std::string>> shown;
  for (const auto kind : every_traffic) {
    const auto kept = parts_kept(map, kind);
    if (largest_difference(kept, undisturbed) < noticeable) continue;
    const auto same = std::ranges::find_if(shown, [&](const auto& other) {
      return largest_difference(kept, other.first) < noticeable;
    });
    if (same == shown.end())
      shown.emplace_back(kept, to_string(kind));
    else
      same->second += fmt::format(", {}", to_string(kind));
  }
  std::vector<exports::table> tables;
  for (const auto& [kept, title] : shown) tables.push_back(table_of(map, kept, title));
  return tables;
}

std::string text_of(const host_map& map) {
  exports::answer out;
  out.say("");
  if (auto tables = tables_of_pairs(map); !tables.empty()) {
    out.say(
        "What each (row) keeps of its rate beside another (column), in percent, by the links "
        "above:");
    std::ranges::move(tables, std::back_inserter(out.parts));
    out.say("");
  }
  if (!map.nodes.empty()) {
    out.parts.emplace_back(table_of_nodes(map));
    out.say("");
  }
  for (const auto& finding : findings(map)) out.say(finding.text);
  out.say(check_text(map));
  if (map.seconds)
    out.say(fmt::format("{} measured in {:.1f} s.",
                        common::counted(map.sets.size(), "set was", "sets were"), *map.seconds));
  return tree_text(map) + exports::text_of(out);
}

}  // namespace bench_transfers::topology
