#include "src/topology/report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "src/common/text.hpp"
#include "src/topology/findings/findings.hpp"
#include "src/topology/findings/words.hpp"

namespace bench_transfers::topology {
namespace {

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
    std::vector<const shared_link*> links;
    auto devices = parent == nullptr ? device_set::up_to(map_.devices.size()) : parent->devices;
    for (const auto& link : map_.links) {
      if (parent_of(map_, link) != parent) continue;
      links.push_back(&link);
      devices = devices - link.devices;
    }
    auto rest = devices.size() + links.size();
    while (rest > 0) {
      const bool is_last = --rest == 0;
      const auto link = std::ranges::min_element(
          links, {}, [](const shared_link* child) { return child->devices.front(); });
      if (link != links.end() && (devices.empty() || (*link)->devices.front() < devices.front())) {
        const auto* child = *link;
        links.erase(link);
        add_link(*child, indent, is_last);
      } else {
        add_device(devices.front(), indent, is_last);
        devices = devices - device_set::of(devices.front());
      }
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

using table = std::vector<std::vector<double>>;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// For each device (row) what it keeps while another (column) copies.
table parts_kept(const host_map& map, traffic kind) {
  const auto devices = map.devices.size();
  table parts(devices, std::vector<double>(devices, unknown));
  const auto measured = measured_devices(map).members();
  for (const auto first : measured)
    for (const auto second : measured) {
      if (first == second) continue;
      const auto pair = rates(map, flows_of(device_set::of({first, second}), kind));
      parts[first][second] = part_kept(map, pair, flows_of(device_set::of(first), kind));
    }
  return parts;
}

double largest_difference(const table& lhs, const table& rhs) {
  double largest = 0;
  for (std::size_t row = 0; row < lhs.size(); ++row)
    for (std::size_t column = 0; column < lhs.size(); ++column)
      if (!std::isnan(lhs[row][column]))
        largest = std::max(largest, std::abs(lhs[row][column] - rhs[row][column]));
  return largest;
}

std::string table_text(const host_map& map, const table& parts, const std::string& title) {
  std::size_t width = 6;
  for (const auto& name : map.devices) width = std::max(width, name.size() + 1);
  std::string text = title + "\n" + std::string(width, ' ');
  for (const auto& name : map.devices) text += fmt::format("{:>{}}", name, width);
  for (std::size_t row = 0; row < parts.size(); ++row) {
    text += fmt::format("\n{:>{}}", map.devices[row], width);
    for (std::size_t column = 0; column < parts.size(); ++column)
      text += std::isnan(parts[row][column])
                  ? fmt::format("{:>{}}", "-", width)
                  : fmt::format("{:>{}.0f}", 100 * parts[row][column], width);
  }
  return text + "\n";
}

/// What each device gets alone from the memory of each node.
std::string nodes_text(const host_map& map) {
  constexpr std::size_t width = 14;
  std::size_t first = 6;
  for (const auto& name : map.devices) first = std::max(first, name.size() + 1);
  std::string text = "Alone, with memory on each NUMA node, GB/s from the host and to it:\n" +
                     std::string(first, ' ');
  std::vector<const node_rates*> shown;
  for (const auto& entry : map.nodes)
    if (std::ranges::any_of(entry.rates, [](const auto& rate) { return rate.has_value(); }))
      shown.push_back(&entry);
  for (const auto* entry : shown)
    text += fmt::format("{:>{}}", fmt::format("node {}", entry->node), width);
  for (std::size_t device = 0; device < map.devices.size(); ++device) {
    text += fmt::format("\n{:>{}}", map.devices[device], first);
    for (const auto* entry : shown) {
      const auto& rate = entry->rates[device];
      text += fmt::format(
          "{:>{}}",
          rate ? fmt::format("{} {}", rate_text(rate->h2d.value), rate_text(rate->d2h.value)) : "-",
          width);
    }
  }
  return text + "\n";
}

std::string check_text(const host_map& map) {
  if (!map.errors) return "No sets were held out: the map is not checked.\n";
  return fmt::format(
      "Checked on {} that the map was not fitted to: rates of flows differ by {:.1f} % "
      "(median) "
      "and {:.1f} % (95th percentile).\n",
      common::counted(map.errors->sets, "set"), 100 * map.errors->median, 100 * map.errors->p95);
}

}  // namespace

std::string tree_text(const host_map& map) { return tree(map).text(); }

std::string pairs_text(const host_map& map) {
  const table undisturbed(map.devices.size(), std::vector<double>(map.devices.size(), 1));
  std::vector<std::pair<table, std::string>> shown;
  for (const auto kind : every_traffic) {
    const auto parts = parts_kept(map, kind);
    if (largest_difference(parts, undisturbed) < noticeable) continue;
    const auto same = std::ranges::find_if(shown, [&](const auto& other) {
      return largest_difference(parts, other.first) < noticeable;
    });
    if (same == shown.end()) {
      shown.emplace_back(parts, to_string(kind));
    } else {
      same->second += fmt::format(", {}", to_string(kind));
    }
  }
  std::string text;
  for (const auto& [parts, title] : shown) text += table_text(map, parts, title);
  return text;
}

std::string text_of(const host_map& map) {
  auto text = tree_text(map) + "\n";
  if (const auto pairs = pairs_text(map); !pairs.empty())
    text +=
        "What each (row) keeps of its rate beside another (column), in percent, by the links "
        "above:\n" +
        pairs + "\n";
  if (!map.nodes.empty()) text += nodes_text(map) + "\n";
  for (const auto& finding : findings(map)) text += common::wrapped(finding.text);
  text += common::wrapped(check_text(map));
  if (map.seconds)
    text += fmt::format("{} measured in {:.1f} s.\n",
                        common::counted(map.sets.size(), "set was", "sets were"), *map.seconds);
  return text;
}

}  // namespace bench_transfers::topology
