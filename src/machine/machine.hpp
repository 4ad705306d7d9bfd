#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace bench_transfers::machine {

/// Everything about this computer that can change a transfer's speed. `root` is the folder that
/// contains /proc and /sys (tests pass a fake tree).
///
/// A value that cannot be read is JSON null. Keys carry their unit. memory.memlock_limit_applies is
/// false if this process may exceed the limit beside it (CAP_IPC_LOCK, which root normally has).
/// Two limits are the string "unlimited" if the kernel sets none: memory.memlock_limit_bytes and
/// memory.cgroup_limit_bytes. Values that come from a system call or the CPU itself describe the
/// running computer for any `root`: cpu.architecture, cpu.cpus_allowed, numa.usable_cpus,
/// memory.page_bytes, memory.memlock_limit_bytes, process.numa_node, virtualisation.hypervisor
/// (x86-64) and kernel, except kernel.boot_id.
///
/// Nothing that names a person or a host is included: no host name, no serial number, and of the
/// kernel's command line only the words about the IOMMU and bounce buffers. kernel.boot_id is a
/// random number for each start of the computer: it distinguishes runs before and after a restart.
nlohmann::ordered_json describe(const std::filesystem::path& root = "/");

/// What the computer calls itself in its network (uname(2)); empty if not known.
std::string host_name();

/// Name of the hypervisor whose guest this computer is; nullopt on bare metal. On x86-64 the CPU
/// tells it, for any `root`.
std::optional<std::string> hypervisor(const std::filesystem::path& root = "/");

/// Physical memory that the kernel manages, in bytes (MemTotal of /proc/meminfo); 0 when not known.
std::size_t total_memory_bytes(const std::filesystem::path& root = "/");

/// Memory that can be allocated without swapping, in bytes: MemAvailable of /proc/meminfo, limited
/// by the memory cgroups of this process (version 2 and 1). Files that a cgroup has cached but not
/// used lately (inactive_file) count as free, since the kernel drops them first. 0 if not known.
std::size_t available_memory_bytes(const std::filesystem::path& root = "/");

/// Version of NVIDIA's kernel driver such as "570.86.15", from /sys/module/nvidia/version, else
/// /proc/driver/nvidia/version; nullopt when the module is not loaded.
std::optional<std::string> nvidia_driver_version(const std::filesystem::path& root = "/");

}  // namespace bench_transfers::machine
