#include "src/machine/cgroups.hpp"

#include <algorithm>
#include <string>

#include "src/machine/files.hpp"

namespace bench_transfers::machine {
namespace {

namespace fs = std::filesystem;

fs::path top_of(cgroup_version version, std::string_view controller, const fs::path& root) {
  const auto top = root / "sys/fs/cgroup";
  return version == cgroup_version::v2 ? top : top / controller;
}

void add_with_ancestors(std::vector<cgroup>& groups, cgroup_version version, const fs::path& top,
                        std::string_view path) {
  auto level = fs::path(path).relative_path();
  if (std::find(level.begin(), level.end(), "..") != level.end())
    level.clear();  // The mount does not contain paths outside of the cgroup namespace.
  for (bool more = true; more; level = level.parent_path()) {
    more = !level.empty();
    groups.push_back({version, top / level});
  }
}

/// The text of cpu.max, "max 100000" or "200000 100000", of either version.
std::optional<double> quota_of(const cgroup& group) {
  std::optional<std::size_t> quota, period;
  if (group.version == cgroup_version::v2) {
    const auto line = read_line(group.directory / "cpu.max");
    const auto parts = words(line ? std::string_view(*line) : std::string_view());
    if (parts.size() == 2) quota = parse_count(parts[0]), period = parse_count(parts[1]);
  } else {
    quota = read_count(group.directory / "cpu.cfs_quota_us");  // -1: no limit
    period = read_count(group.directory / "cpu.cfs_period_us");
  }
  if (!quota || !period || *quota == 0 || *period == 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

std::optional<std::size_t> throttled_periods_of(const cgroup& group) {
  const auto count = read_field(group.directory / "cpu.stat", "nr_throttled", ' ');
  return count ? parse_count(*count) : std::nullopt;
}

}  // namespace

std::vector<cgroup> cgroups_of_this_process(std::string_view controller, const fs::path& root) {
  std::vector<cgroup> groups;
  const auto add = [&](cgroup_version version, std::string_view path) {
    add_with_ancestors(groups, version, top_of(version, controller, root), path);
  };
  for (const auto& line :
       read_lines(root / "proc/self/cgroup").value_or(std::vector<std::string>{})) {
    const std::string_view view = line;
    const auto first = view.find(':');
    const auto second = first == std::string_view::npos ? first : view.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const auto controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const auto path = view.substr(second + 1);
    if (controllers.find("," + std::string(controller) + ",") != std::string::npos)
      add(cgroup_version::v1, path);
    else if (view.substr(0, first) == "0")
      add(cgroup_version::v2, path);
  }
  if (groups.empty()) {
    // Without /proc, the top of the mount is still right inside most containers.
    add(cgroup_version::v2, "/");
    add(cgroup_version::v1, "/");
  }
  return groups;
}

std::optional<cpu_quota> cpu_quota_of_this_process(const fs::path& root) {
  std::optional<cpu_quota> tightest;
  for (const auto& group : cgroups_of_this_process("cpu", root))
    if (const auto cpus = quota_of(group); cpus && (!tightest || *cpus < tightest->cpus))
      tightest = cpu_quota{*cpus, throttled_periods_of(group)};
  return tightest;
}

}  // namespace bench_transfers::machine
