#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "src/machine/clocks.hpp"
#include "src/machine/cpu_times.hpp"
#include "src/machine/files.hpp"
#include "src/machine/sections.hpp"

namespace bench_transfers::machine {

namespace {

/// Directories cpu0, cpu1, … of sysfs, including those of present CPUs that are offline.
std::vector<std::filesystem::path> cpu_directories(const std::filesystem::path& root) {
  const std::filesystem::path base = root / "sys/devices/system/cpu";
  std::vector<std::filesystem::path> directories;
  for (const std::string& name : names_in(base).value_or(std::vector<std::string>{})) {
    if (name.starts_with("cpu") && parse_count(std::string_view(name).substr(3))) {
      directories.push_back(base / name);
    }
  }
  return directories;
}

/// Marketing name, from /proc/cpuinfo: "model name" on x86, "cpu" on POWER. 64-bit ARM prints only
/// the codes of its MIDR register there, so these are returned.
std::optional<std::string> model(const std::filesystem::path& root) {
  const std::filesystem::path cpuinfo = root / "proc/cpuinfo";
  for (const std::string_view key : {"model name", "cpu"}) {
    if (std::optional<std::string> name = read_field(cpuinfo, key, ':')) {
      return name;
    }
  }
  const std::optional<std::string> implementer = read_field(cpuinfo, "CPU implementer", ':');
  const std::optional<std::string> part = read_field(cpuinfo, "CPU part", ':');
  if (implementer && part) {
    return "implementer " + *implementer + ", part " + *part;
  }
  return std::nullopt;
}

std::optional<std::size_t> count_of_usable_cpus() {
  const std::size_t count = usable_cpus().size();
  return count > 0 ? std::optional(count) : std::nullopt;
}

/// Distinct physical packages, Documentation/ABI/stable/sysfs-devices-system-cpu.
std::optional<std::size_t> sockets(const std::filesystem::path& root) {
  std::set<std::size_t> packages;
  for (const std::filesystem::path& cpu : cpu_directories(root)) {
    // Some ARM firmware leads to -1, which means "not known".
    if (const auto package = read_count(cpu / "topology/physical_package_id")) {
      packages.insert(*package);
    }
  }
  return packages.empty() ? std::nullopt : std::optional(packages.size());
}

std::optional<bool> smt_active(const std::filesystem::path& root) {
  const std::optional<std::size_t> active = read_count(root / "sys/devices/system/cpu/smt/active");
  return active && *active <= 1 ? std::optional(*active == 1) : std::nullopt;
}

/// Governors in use, "performance, powersave" where the CPUs differ (Documentation/admin-guide/pm/
/// cpufreq.rst); nullopt without cpufreq, the rule in virtual machines.
std::optional<std::string> governor(const std::filesystem::path& root) {
  std::set<std::string> governors;
  for (const std::filesystem::path& cpu : cpu_directories(root)) {
    if (std::optional<std::string> name = read_line(cpu / "cpufreq/scaling_governor")) {
      governors.insert(*std::move(name));
    }
  }
  return governors.empty() ? std::nullopt
                           : std::optional(fmt::format("{}", fmt::join(governors, ", ")));
}

/// "48K", "2048K" or "32M" in bytes.
std::optional<std::size_t> cache_bytes(std::string_view text) {
  std::size_t unit = 1;
  if (text.ends_with('K')) {
    unit = 1024;
  } else if (text.ends_with('M')) {
    unit = std::size_t{1024} * 1024;
  }
  const std::optional<std::size_t> count =
      parse_count(unit == 1 ? text : text.substr(0, text.size() - 1));
  if (!count || *count > std::numeric_limits<std::size_t>::max() / unit) {
    return std::nullopt;
  }
  return *count * unit;
}

std::optional<std::size_t> read_count_of_list(const std::filesystem::path& path) {
  const auto numbers = read_list(path);
  return numbers ? std::optional(numbers->size()) : std::nullopt;
}

/// Caches that serve CPU 0, ascending; null when sysfs lists none.
nlohmann::ordered_json caches(const std::filesystem::path& root) {
  const std::filesystem::path base = root / "sys/devices/system/cpu/cpu0/cache";
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const std::string& name : names_in(base).value_or(std::vector<std::string>{})) {
    if (!name.starts_with("index")) {
      continue;
    }
    const std::filesystem::path cache = base / name;
    const std::optional<std::string> size = read_line(cache / "size");
    list.push_back({{"level", or_null(read_count(cache / "level"))},
                    {"type", or_null(read_line(cache / "type"))},
                    {"bytes", or_null(size ? cache_bytes(*size) : std::nullopt)},
                    {"shared_by_cpus", or_null(read_count_of_list(cache / "shared_cpu_list"))}});
  }
  return list.empty() ? nlohmann::ordered_json(nullptr) : list;
}

}  // namespace

std::optional<std::size_t> cpu_throttle_events(const std::filesystem::path& root) {
  std::optional<std::size_t> sum;
  for (const std::filesystem::path& cpu : cpu_directories(root)) {
    for (const char* counter : {"core_throttle_count", "package_throttle_count"}) {
      if (const auto count = read_count(cpu / "thermal_throttle" / counter)) {
        sum = sum.value_or(0) + *count;
      }
    }
  }
  return sum;
}

nlohmann::ordered_json describe_cpu(const std::filesystem::path& root) {
  return {
      {"model", or_null(model(root))},
      {"architecture", or_null(machine_architecture())},
      {"logical_cpus_online", or_null(read_count_of_list(root / "sys/devices/system/cpu/online"))},
      {"cpus_allowed", or_null(count_of_usable_cpus())},
      {"sockets", or_null(sockets(root))},
      {"numa_nodes", or_null(read_count_of_list(root / "sys/devices/system/node/online"))},
      {"smt_active", or_null(smt_active(root))},
      {"governor", or_null(governor(root))},
      {"caches", caches(root)},
  };
}

}  // namespace bench_transfers::machine
