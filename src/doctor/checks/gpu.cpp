#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "src/common/or_null.hpp"
#include "src/doctor/checks/checks.hpp"

namespace bench_transfers::doctor::checks {
namespace {

using json = nlohmann::ordered_json;

/// nvidia-smi's option for a GPU.
std::string smi(const gpu_facts& gpu, const std::string& action) {
  return fmt::format("nvidia-smi -i {} {}", gpu.bus_id, action);
}

template <class Look>
void for_each_setting(const facts& facts, Look&& look) {
  for (const auto& gpu : facts.gpus)
    if (gpu.settings) look(gpu, *gpu.settings);
}

template <class Look>
void for_each_clock(const facts& facts, Look&& look) {
  for (const auto& gpu : facts.gpus)
    if (gpu.clocks) look(gpu, *gpu.clocks);
}

/// A busy GPU runs below its highest clock, and nothing slows it: someone has locked its clocks.
/// Clocks differ by some steps with the temperature.
bool seems_locked(const gpu_facts& gpu) {
  constexpr double tolerated_part = 0.9;
  if (!gpu.under_load || !gpu.clocks) return false;
  const auto& clocks = *gpu.clocks;
  return clocks.sm_mhz && clocks.sm_max_mhz && clocks.throttled_by &&
         clocks.throttled_by->empty() && *clocks.sm_mhz < tolerated_part * *clocks.sm_max_mhz;
}

bool has_lower_application_clock(const gpu_facts& gpu) {
  if (!gpu.settings) return false;
  const auto& settings = *gpu.settings;
  return settings.application_sm_mhz && settings.default_application_sm_mhz &&
         *settings.application_sm_mhz < *settings.default_application_sm_mhz;
}

}  // namespace

void persistence(const facts& facts, diagnosis& diagnosis) {
  for_each_setting(facts, [&](const gpu_facts& gpu, const machine::gpu_settings& settings) {
    if (settings.persistence.value_or(true)) return;
    diagnosis.findings.push_back(
        {.code = "persistence_off",
         .severity = severity::may_slow,
         .gpu = gpu.id,
         .what = "Persistence mode is off: the first program to use the GPU waits until the driver "
                 "has set it up, and settings are lost after the last.",
         .evidence = {{"persistence", false}},
         .cost = std::nullopt,
         .fix = {"Switch it on, or run nvidia-persistenced", smi(gpu, "-pm 1")}});
  });
}

void gpu_clocks(const facts& facts, diagnosis& diagnosis) {
  for (const auto& gpu : facts.gpus) {
    const bool is_locked = seems_locked(gpu);
    if (!is_locked && !has_lower_application_clock(gpu)) continue;
    const auto settings = gpu.settings.value_or(machine::gpu_settings{});
    const auto clocks = gpu.clocks.value_or(machine::gpu_clocks{});
    diagnosis.findings.push_back(
        {.code = "clocks_limited",
         .severity = severity::may_slow,
         .gpu = gpu.id,
         .what =
             "The GPU's clocks are set lower than they can be: kernels that access host memory, "
             "and small transfers, take longer.",
         .evidence = {{"sm_mhz", common::or_null(clocks.sm_mhz)},
                      {"sm_max_mhz", common::or_null(clocks.sm_max_mhz)},
                      {"application_sm_mhz", common::or_null(settings.application_sm_mhz)},
                      {"default_application_sm_mhz",
                       common::or_null(settings.default_application_sm_mhz)}},
         .cost = std::nullopt,
         .fix = is_locked ? remedy{"Unlock the clocks", smi(gpu, "-rgc")}
                          : remedy{"Reset the application clocks", smi(gpu, "-rac")}});
  }
}

void power_limit(const facts& facts, diagnosis& diagnosis) {
  for_each_setting(facts, [&](const gpu_facts& gpu, const machine::gpu_settings& settings) {
    const auto limit = settings.power_limit_mw, usual = settings.default_power_limit_mw;
    if (!limit || !usual || *limit >= *usual) return;
    diagnosis.findings.push_back(
        {.code = "power_limit",
         .severity = severity::may_slow,
         .gpu = gpu.id,
         .what = fmt::format("The GPU's power is limited to {} of {} W: its clocks may fall under "
                             "load.",
                             *limit / 1000, *usual / 1000),
         .evidence = {{"limit_mw", *limit}, {"default_limit_mw", *usual}},
         .cost = std::nullopt,
         .fix = {"Raise the limit to the default",
                 smi(gpu, fmt::format("-pl {}", *usual / 1000))}});
  });
}

void throttling(const facts& facts, diagnosis& diagnosis) {
  for_each_clock(facts, [&](const gpu_facts& gpu, const machine::gpu_clocks& clocks) {
    if (!clocks.throttled_by || clocks.throttled_by->empty()) return;
    diagnosis.findings.push_back(
        {.code = "gpu_throttled",
         .severity = severity::slows,
         .gpu = gpu.id,
         .what = fmt::format("The GPU lowers its clocks now: {}.",
                             fmt::join(*clocks.throttled_by, ", ")),
         .evidence = {{"reasons", *clocks.throttled_by},
                      {"sm_mhz", common::or_null(clocks.sm_mhz)},
                      {"sm_max_mhz", common::or_null(clocks.sm_max_mhz)},
                      {"temperature_c", common::or_null(clocks.temperature_c)}},
         .cost = std::nullopt,
         .fix = {"Look at its cooling, its power supply and its power limit",
                 smi(gpu, "-q -d PERFORMANCE,TEMPERATURE,POWER")}});
  });
}

void replays(const facts& facts, diagnosis& diagnosis) {
  for_each_clock(facts, [&](const gpu_facts& gpu, const machine::gpu_clocks& clocks) {
    if (clocks.pcie_replays.value_or(0) == 0) return;
    diagnosis.findings.push_back(
        {.code = "pcie_replays",
         .severity = severity::may_slow,
         .gpu = gpu.id,
         .what = fmt::format("The GPU has sent packets again on its link {} times since its driver "
                             "was loaded: each is an error of transmission.",
                             *clocks.pcie_replays),
         .evidence = {{"replays", *clocks.pcie_replays}},
         .cost = std::nullopt,
         .fix = {"If the counter rises while the GPU copies, reseat the card, and change its slot, "
                 "riser or cable",
                 smi(gpu, "-q | grep -i replay")}});
  });
}

void memory_errors(const facts& facts, diagnosis& diagnosis) {
  for_each_setting(facts, [&](const gpu_facts& gpu, const machine::gpu_settings& settings) {
    const auto errors = settings.uncorrected_errors.value_or(0);
    if (settings.ecc == false)
      diagnosis.unknowns.push_back(
          {.code = "ecc_off",
           .gpu = gpu.id,
           .what = "ECC of the GPU's memory is off: whether its memory errs is not known.",
           .evidence = {{"ecc", false}},
           .decides = false,
           .fix = {"Switch it on, and reset the GPU", smi(gpu, "-e 1")}});
    if (errors == 0 && !settings.rows_to_remap.value_or(false)) return;
    diagnosis.findings.push_back(
        {.code = "ecc_errors",
         .severity = severity::may_slow,
         .gpu = gpu.id,
         .what = fmt::format("The GPU's memory had {} errors that ECC could not correct since the "
                             "driver was loaded{}.",
                             errors,
                             settings.rows_to_remap.value_or(false)
                                 ? ", and rows wait for a reset to be replaced"
                                 : ""),
         .evidence = {{"uncorrected_errors", common::or_null(settings.uncorrected_errors)},
                      {"rows_to_remap", common::or_null(settings.rows_to_remap)}},
         .cost = std::nullopt,
         .fix = {"Reset the GPU; if errors come back, take it out of use",
                 smi(gpu, "--gpu-reset")}});
  });
}

void instances(const facts& facts, diagnosis& diagnosis) {
  for (const auto& gpu : facts.gpus) {
    if (!gpu.divided.value_or(false)) continue;
    diagnosis.findings.push_back(
        {.code = "mig_instance",
         .severity = severity::may_slow,
         .gpu = gpu.id,
         .what = "The GPU is divided into instances (MIG): they share its link.",
         .evidence = {{"mig", true}},
         .cost = std::nullopt,
         .fix = {"Use the whole GPU, after its instances are destroyed", smi(gpu, "-mig 0")}});
  }
}

void hidden_settings(const facts& facts, diagnosis& diagnosis) {
  for (const auto& gpu : facts.gpus) {
    if (gpu.settings) continue;
    diagnosis.unknowns.push_back(
        {.code = "nvml_missing",
         .gpu = gpu.id,
         .what = "The driver's management library does not answer: clocks, throttling, persistence "
                 "mode, replays, memory errors and MIG are not known.",
         .evidence = {{"library", "libnvidia-ml.so.1"}},
         .decides = false,
         .fix = {"Load the driver, and show its library to the container (utility)",
                 "docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility IMAGE"}});
  }
}

}  // namespace bench_transfers::doctor::checks
