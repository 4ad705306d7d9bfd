#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "src/common/text.hpp"
#include "src/result_file/summary/tables.hpp"

namespace bench_transfers::result_file {
namespace {

/// The kind of memory without its node: "pinned".
std::string memory_without_node(const benchmark& described) {
  auto memory = described.memory.value_or("");
  const auto node = fmt::format("@node{}", described.node.value_or(0));
  if (memory.ends_with(node)) memory.resize(memory.size() - node.size());
  return memory;
}

/// The copies of one size between memory on nodes and devices.
class node_copies {
 public:
  node_copies(const std::vector<figure>& sized, const figures& measured) : file_(measured.file()) {
    for (const auto& candidate : sized)
      if (is_on_node(candidate)) size_ = std::max(size_, candidate.benchmark->size_bytes);
    for (const auto& candidate : sized)
      if (is_on_node(candidate) && candidate.benchmark->size_bytes == size_) add(candidate);
  }

  [[nodiscard]] bool compare_nodes() const { return nodes_.size() > 1; }

  [[nodiscard]] exports::table table() const {
    exports::table table{
        "", {{"memory on a node", cells::codes, 22, fmt::format("{}, GB/s", shown_size_)}}};
    for (const auto device : devices_)
      for (const auto* direction : {"h2d", "d2h"}) {
        table.columns.push_back({direction, cells::numbers, 5, title_of(device)});
        table.columns.push_back({"", cells::numbers, 4, title_of(device)});
      }
    for (const auto& [strategy, row] : rows_) {
      auto& shown = table.rows.emplace_back(exports::row{{strategy}}).cells;
      for (const auto device : devices_)
        for (const auto towards : {direction::h2d, direction::d2h})
          for (auto& cell : cells_of(*row, device, towards)) shown.push_back(std::move(cell));
    }
    return table;
  }

  [[nodiscard]] bool know_near_nodes() const {
    return std::ranges::any_of(devices_, [&](auto device) { return near(device).has_value(); });
  }

 private:
  using place = std::tuple<std::string, std::string, std::string, unsigned, std::size_t, direction>;

  static bool is_on_node(const figure& candidate) {
    return candidate.benchmark->node && candidate.benchmark->devices.size() == 1;
  }

  static place place_of(const benchmark& described, unsigned node, std::size_t device,
                        direction towards) {
    return {described.family,
            described.method.value_or(""),
            memory_without_node(described),
            node,
            device,
            towards};
  }

  void add(const figure& copy) {
    const auto& described = *copy.benchmark;
    const auto device = described.devices.front();
    nodes_.insert(*described.node);
    devices_.insert(device);
    rows_.emplace(described.strategy, &described);
    rates_[place_of(described, *described.node, device, described.direction)] = copy.gb_per_s;
    if (shown_size_.empty()) shown_size_ = copy.size();
  }

  /// The node next to the device; nullopt if it is not known.
  [[nodiscard]] std::optional<unsigned> near(std::size_t device) const {
    const auto& node = member(device_of(file_, device), {"numa_node"});
    return node.is_number_unsigned() ? std::optional(node.get<unsigned>()) : std::nullopt;
  }

  [[nodiscard]] std::optional<double> rate(const place& wanted) const {
    const auto entry = rates_.find(wanted);
    return entry == rates_.end() ? std::nullopt : std::optional(entry->second);
  }

  /// "43.11", "-22%"; without the percentage on the near node.
  [[nodiscard]] std::array<std::string, 2> cells_of(const benchmark& row, std::size_t device,
                                                    direction towards) const {
    const auto here = rate(place_of(row, *row.node, device, towards));
    const auto node = near(device);
    const auto there =
        node && node != row.node ? rate(place_of(row, *node, device, towards)) : std::nullopt;
    return {number_or_dash(here, 2),
            here && there ? fmt::format("{:+.0f}%", 100 * (*here / *there - 1)) : ""};
  }

  [[nodiscard]] std::string title_of(std::size_t device) const {
    const auto node = near(device);
    return id_of_device(file_, device) + (node ? fmt::format(" (node {})", *node) : "");
  }

  const contents& file_;
  std::optional<std::size_t> size_;
  std::string shown_size_;
  std::set<unsigned> nodes_;
  std::set<std::size_t> devices_;
  std::map<std::string, const benchmark*, common::natural_order> rows_;  ///< by strategy
  std::map<place, double> rates_;
};

}  // namespace

void add_nodes(exports::answer& out, const std::vector<figure>& sized, const figures& measured) {
  const node_copies copies(sized, measured);
  if (!copies.compare_nodes()) return;
  out.add(copies.table());
  if (copies.know_near_nodes())
    out.say("Percentages: far memory against that on the device's node.");
}

}  // namespace bench_transfers::result_file
