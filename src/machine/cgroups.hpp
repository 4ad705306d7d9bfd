#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace bench_transfers::machine {

enum class cgroup_version { v1, v2 };

/// A control group's folder.
struct cgroup {
  cgroup_version version;
  std::filesystem::path directory;
};

/// The control groups of this process that may limit what `controller` ("memory", "cpu") manages,
/// each followed by its ancestors, from the lines "id:controllers:path" of /proc/self/cgroup,
/// cgroups(7). Some of the folders may not exist: a container may show the host's path while only
/// the container's own part is mounted.
std::vector<cgroup> cgroups_of_this_process(std::string_view controller,
                                            const std::filesystem::path& root = "/");

/// How much of the CPUs a control group grants (cpu.max; version 1: cpu.cfs_quota_us).
struct cpu_quota {
  double cpus = 0;  ///< CPUs that run at a time on average
  /// Periods of the quota in which the group's threads had to wait (nr_throttled of cpu.stat).
  std::optional<std::size_t> throttled_periods;

  bool operator==(const cpu_quota&) const = default;
};

/// The tightest quota of this process; nullopt if none can be read.
std::optional<cpu_quota> cpu_quota_of_this_process(const std::filesystem::path& root = "/");

}  // namespace bench_transfers::machine
