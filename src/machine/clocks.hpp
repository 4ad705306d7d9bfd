#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

namespace bench_transfers::machine {

/// Why a GPU runs below its maximum clocks, as nvidia-smi names it (clocks_event_reasons.*):
/// sw_power_cap, hw_slowdown, sync_boost, sw_thermal_slowdown, hw_thermal_slowdown,
/// hw_power_brake_slowdown. An idle GPU and application clocks do not count.
using throttle_reasons = std::set<std::string>;

/// Adds `more`, if known, to `reasons`.
void add(std::optional<throttle_reasons>& reasons, const std::optional<throttle_reasons>& more);

/// Readings of a GPU at one moment; nullopt for a value that it does not report.
struct gpu_clocks {
  std::optional<unsigned> sm_mhz = {};
  std::optional<unsigned> sm_max_mhz = {};
  std::optional<unsigned> memory_mhz = {};
  std::optional<unsigned> memory_max_mhz = {};
  std::optional<unsigned> temperature_c = {};
  std::optional<throttle_reasons> throttled_by = {};
  std::optional<unsigned> pcie_replays = {};  ///< a counter of packets sent again
};

/// GPU and CPU at one moment.
struct clocks {
  std::optional<gpu_clocks> gpu = {};
  std::optional<std::size_t> cpu_throttle_events = {};  ///< a counter, see cpu_throttle_events()
};

/// How often the CPUs have been throttled for heat since the computer was started: the sum of
/// core_throttle_count and package_throttle_count in sys/devices/system/cpu/cpu*/thermal_throttle
/// (arch/x86/kernel/cpu/mce/therm_throt.c). Each CPU has counters of its own, so that an event of a
/// whole package counts once for each of its CPUs. nullopt without these counters: other processors
/// than Intel's, most virtual machines.
std::optional<std::size_t> cpu_throttle_events(const std::filesystem::path& root = "/");

/// GPU and CPU at both ends of a run, the GPU under load each time.
struct clocks_of_run {
  clocks start = {};
  clocks end = {};  ///< empty while the run goes on and after the device was lost
  std::optional<throttle_reasons> seen_between = {};

  /// Reasons at both ends and between them; nullopt if no GPU reports any.
  [[nodiscard]] std::optional<throttle_reasons> gpu_throttled_by() const;
  /// How far the counters have risen; nullopt if either end is not known or a counter fell.
  [[nodiscard]] std::optional<std::size_t> pcie_replays() const;
  [[nodiscard]] std::optional<std::size_t> cpu_throttle_events() const;
};

/// The form in result files (docs/RESULT_FILE.md); unknown values are null.
nlohmann::ordered_json to_json(const clocks_of_run& run);

}  // namespace bench_transfers::machine
