#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

namespace bench_transfers::machine {

/// The CPUs that the calling thread may use, by their numbers, ascending (sched_getaffinity(2)).
/// Empty if the kernel does not tell.
std::vector<std::size_t> usable_cpus();

/// What some CPUs have done since the computer was started, summed over them. In the kernel's ticks
/// (10 ms as a rule), so a reading may lack one of each CPU.
struct cpu_times {
  std::chrono::nanoseconds busy{};   ///< for anyone, also time stolen by the hypervisor
  std::chrono::nanoseconds total{};  ///< busy or idle
  std::chrono::nanoseconds tick{};   ///< one tick of each of these CPUs
};

/// Of these CPUs, from proc/stat (proc_stat(5)); nullopt if it does not have all of them.
std::optional<cpu_times> cpu_times_of(const std::vector<std::size_t>& cpus,
                                      const std::filesystem::path& root = "/");

}  // namespace bench_transfers::machine
