#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

namespace bench_transfers::machine {

/// What is set of the CPUs' clocks. Nullopt: the kernel does not tell, the rule in virtual
/// machines.
struct cpu_speed {
  /// Of the CPU whose limit is the smallest part of what it can do (scaling_max_freq and
  /// cpuinfo_max_freq; Documentation/admin-guide/pm/cpufreq.rst).
  struct clock_limit {
    std::size_t limit_khz = 0, most_khz = 0;

    bool operator==(const clock_limit&) const = default;
  };
  std::optional<clock_limit> limit = {};
  /// Whether CPUs may exceed their nominal clock (cpufreq/boost, intel_pstate/no_turbo).
  std::optional<bool> boost = {};
  bool boost_by_intel_pstate = false;  ///< then only no_turbo sets it
};

cpu_speed read_cpu_speed(const std::filesystem::path& root = "/");

}  // namespace bench_transfers::machine
