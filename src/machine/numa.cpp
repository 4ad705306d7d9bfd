#include "src/machine/numa.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "src/machine/files.hpp"

namespace bench_transfers::machine {

namespace {

using numbers = std::vector<std::size_t>;

numbers read_numbers(const std::filesystem::path& path) {
  return read_list(path).value_or(numbers{});
}

numbers distances_of(const std::filesystem::path& directory) {
  const auto line = read_line(directory / "distance");
  numbers distances;
  for (const auto word : words(line ? std::string_view(*line) : std::string_view())) {
    const auto distance = parse_count(word);
    if (!distance) return {};
    distances.push_back(*distance);
  }
  return distances;
}

/// "0-3,8"
std::string list_of(const numbers& ascending) {
  std::string list;
  for (std::size_t i = 0; i < ascending.size();) {
    auto last = i;
    while (last + 1 < ascending.size() && ascending[last + 1] == ascending[last] + 1) ++last;
    list += fmt::format("{}{}", list.empty() ? "" : ",", ascending[i]);
    if (last > i) list += fmt::format("-{}", ascending[last]);
    i = last + 1;
  }
  return list;
}

numa_node only_node(const std::filesystem::path& root, const numbers& usable) {
  auto cpus = read_numbers(root / "sys/devices/system/cpu/online");
  if (cpus.empty()) cpus = usable;
  return {.number = 0,
          .memory_bytes = read_kib(root / "proc/meminfo", "MemTotal"),
          .memory_allowed = true,
          .cpus = cpus,
          .usable_cpus = usable,
          .distances = {}};
}

}  // namespace

std::vector<numa_node> numa_nodes(const std::filesystem::path& root, const numbers& usable) {
  const auto all = root / "sys/devices/system/node";
  const auto allowed = read_field(root / "proc/self/status", "Mems_allowed_list", ':');
  const auto allowed_nodes = allowed ? numbers_of_list(*allowed) : std::nullopt;
  std::vector<numa_node> nodes;
  for (const auto number : read_numbers(all / "online")) {
    const auto directory = all / fmt::format("node{}", number);
    numa_node node{
        .number = static_cast<int>(number),
        .memory_bytes = read_kib(directory / "meminfo", fmt::format("Node {} MemTotal", number)),
        .memory_allowed = !allowed_nodes || std::ranges::binary_search(*allowed_nodes, number),
        .cpus = read_numbers(directory / "cpulist"),
        .usable_cpus = {},
        .distances = distances_of(directory)};
    std::ranges::set_intersection(node.cpus, usable, std::back_inserter(node.usable_cpus));
    nodes.push_back(std::move(node));
  }
  if (nodes.empty()) nodes.push_back(only_node(root, usable));
  return nodes;
}

nlohmann::ordered_json describe_numa(const std::filesystem::path& root) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& node : numa_nodes(root))
    list.push_back({{"node", node.number},
                    {"memory_bytes", common::or_null(node.memory_bytes)},
                    {"memory_allowed", node.memory_allowed},
                    {"cpus", list_of(node.cpus)},
                    {"usable_cpus", list_of(node.usable_cpus)},
                    {"distances", node.distances}});
  return list;
}

std::optional<int> nearest_node::agreed() const {
  std::optional<int> node;
  const auto names = [&](std::optional<int> named) {
    const bool fits = !named || !node || named == node;
    if (named) node = named;
    return fits;
  };
  // Several nodes at once, as where all are equally near, name none.
  const bool one = nvml && nvml->size() == 1;
  const bool same = names(sysfs) && names(cuda) && (!one || names(nvml->front()));
  return same ? node : std::nullopt;
}

nlohmann::ordered_json to_json(const nearest_node& sources) {
  return {{"sysfs", common::or_null(sources.sysfs)},
          {"cuda", common::or_null(sources.cuda)},
          {"nvml", common::or_null(sources.nvml)}};
}

}  // namespace bench_transfers::machine
