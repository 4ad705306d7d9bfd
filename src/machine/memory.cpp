#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "src/common/number.hpp"
#include "src/machine/cgroups.hpp"
#include "src/machine/files.hpp"
#include "src/machine/machine.hpp"
#include "src/machine/sections.hpp"

namespace bench_transfers::machine {

namespace {

/// What a memory cgroup grants this process, in bytes; nullopt = no limit.
struct cgroup_memory {
  std::optional<std::size_t> limit_bytes;
  std::optional<std::size_t> left_bytes;
};

/// Names of the needed files in one version of the cgroup interface.
struct memory_files {
  std::string_view limit, usage, inactive_file;
};

/// Documentation/admin-guide/cgroup-v2.rst, cgroup-v1/memory.rst.
memory_files files_of(cgroup_version version) {
  return version == cgroup_version::v2
             ? memory_files{"memory.max", "memory.current", "inactive_file"}
             : memory_files{"memory.limit_in_bytes", "memory.usage_in_bytes",
                            "total_inactive_file"};
}

/// Lowers `least` to `bytes`.
void lower(std::optional<std::size_t>& least, std::size_t bytes) {
  least = std::min(least.value_or(bytes), bytes);
}

/// The tightest limit along the path of this process's cgroup, including those of all ancestors.
/// nullopt if no limit can be read.
std::optional<cgroup_memory> read_cgroup_memory(const std::filesystem::path& root) {
  // Version 1 expresses "no limit" as the largest multiple of the page size, just below 2^63.
  constexpr std::size_t no_limit = std::size_t{1} << 62;
  std::optional<cgroup_memory> memory;
  for (const auto& [version, directory] : cgroups_of_this_process("memory", root)) {
    const auto files = files_of(version);
    const std::optional<std::string> line = read_line(directory / files.limit);
    const std::optional<std::size_t> limit = line ? parse_count(*line) : std::nullopt;
    if (!limit && line != "max") {
      continue;
    }
    if (!memory) {
      memory.emplace();
    }
    if (!limit || *limit >= no_limit) {
      continue;
    }
    const std::size_t usage = read_count(directory / files.usage).value_or(0);
    const std::optional<std::string> inactive =
        read_field(directory / "memory.stat", files.inactive_file, ' ');
    const std::size_t droppable =
        std::min(usage, inactive ? parse_count(*inactive).value_or(0) : 0);
    lower(memory->limit_bytes, *limit);
    lower(memory->left_bytes, *limit - std::min(*limit, usage - droppable));
  }
  return memory;
}

std::optional<std::size_t> available_memory(const std::filesystem::path& root) {
  std::optional<std::size_t> available = read_kib(root / "proc/meminfo", "MemAvailable");
  const std::optional<cgroup_memory> cgroup = read_cgroup_memory(root);
  if (available && cgroup && cgroup->left_bytes) {
    lower(available, *cgroup->left_bytes);
  }
  return available;
}

/// False if this process may exceed RLIMIT_MEMLOCK: mlock(2) honours CAP_IPC_LOCK, but only if the
/// capability is held in the first user namespace, whose uid_map is the identity
/// (proc_pid_uid_map(5), user_namespaces(7)). nullopt when /proc does not tell.
std::optional<bool> memlock_limit_applies(const std::filesystem::path& root) {
  constexpr int cap_ipc_lock = 14;  // linux/capability.h
  const std::optional<std::string> mask = read_field(root / "proc/self/status", "CapEff", ':');
  const auto capabilities = mask ? common::number_from<std::uint64_t>(*mask, 16) : std::nullopt;
  const std::optional<std::string> uids = read_line(root / "proc/self/uid_map");
  if (!capabilities || !uids) {
    return std::nullopt;
  }
  const bool capable = ((*capabilities >> cap_ipc_lock) & 1U) != 0;
  const bool first_namespace =
      words(*uids) == std::vector<std::string_view>{"0", "0", "4294967295"};
  return !(capable && first_namespace);
}

std::optional<std::size_t> page_bytes() {
  const long bytes = sysconf(_SC_PAGESIZE);
  return bytes > 0 ? std::optional(static_cast<std::size_t>(bytes)) : std::nullopt;
}

/// RLIMIT_MEMLOCK; nullopt if there is none.
std::optional<std::size_t> memlock_limit_bytes() {
  rlimit limit{};
  // The call cannot fail for a valid resource and address (getrlimit(2)).
  if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(limit.rlim_cur);
}

/// A limit where nullopt means that there is none.
nlohmann::ordered_json limit_or_unlimited(const std::optional<std::size_t>& limit) {
  return limit ? nlohmann::ordered_json(*limit) : nlohmann::ordered_json("unlimited");
}

}  // namespace

std::size_t total_memory_bytes(const std::filesystem::path& root) {
  return read_kib(root / "proc/meminfo", "MemTotal").value_or(0);
}

std::size_t available_memory_bytes(const std::filesystem::path& root) {
  return available_memory(root).value_or(0);
}

nlohmann::ordered_json describe_memory(const std::filesystem::path& root) {
  const std::filesystem::path mm = root / "sys/kernel/mm";
  const std::optional<cgroup_memory> cgroup = read_cgroup_memory(root);
  return {
      {"total_bytes", or_null(read_kib(root / "proc/meminfo", "MemTotal"))},
      {"available_bytes", or_null(available_memory(root))},
      {"page_bytes", or_null(page_bytes())},
      {"transparent_hugepage_enabled", or_null(read_choice(mm / "transparent_hugepage/enabled"))},
      {"transparent_hugepage_defrag", or_null(read_choice(mm / "transparent_hugepage/defrag"))},
      {"hugepages_2mib_total", or_null(read_count(mm / "hugepages/hugepages-2048kB/nr_hugepages"))},
      {"memlock_limit_bytes", limit_or_unlimited(memlock_limit_bytes())},
      {"memlock_limit_applies", or_null(memlock_limit_applies(root))},
      {"swap_total_bytes", or_null(read_kib(root / "proc/meminfo", "SwapTotal"))},
      {"cgroup_limit_bytes",
       cgroup ? limit_or_unlimited(cgroup->limit_bytes) : nlohmann::ordered_json(nullptr)},
  };
}

}  // namespace bench_transfers::machine
