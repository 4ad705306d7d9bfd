#include <fmt/format.h>
#include <fmt/ranges.h>

#include "src/common/message.hpp"
#include "src/doctor/checks/registration.hpp"
#include "src/doctor/checks/remedies.hpp"

namespace bench_transfers::doctor::checks {
namespace {

/// nvidia-smi's option for a GPU.
std::string smi(const gpu_facts& gpu, const std::string& action) {
  return fmt::format("nvidia-smi -i {} {}", gpu.bus_id, action);
}

/// A remedy by nvidia-smi, which changes the driver's settings.
remedy set(const std::string& text, const gpu_facts& gpu, const std::string& action) {
  return {text, smi(gpu, action), place::driver};
}

/// How much a counter has risen while the GPU copied; 0 if it is not known.
template <class Count>
Count risen(const gpu_facts& gpu, std::optional<Count> gpu_counters::*counter) {
  if (!gpu.under_load || !gpu.counters_before) return 0;
  const auto before = (*gpu.counters_before).*counter, after = gpu.counters_after.*counter;
  return before && after && *after > *before ? *after - *before : 0;
}

template <class Look>
void for_each_setting(const facts& facts, Look&& look) {
  for (const auto& gpu : facts.gpus)
    if (gpu.settings) look(gpu, *gpu.settings);
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

/// How programs get the driver's management library.
remedy management_library(const host_facts& host) {
  if (host.platform.jetson)
    return {"Jetson has it from JetPack 6 on. Look at its clocks with its own tool", "tegrastats"};
  return give_container(host, access::management_library,
                        {"Load the driver, and install the library of its version. The command "
                         "shows which are installed",
                         "ldconfig -p | grep libnvidia-ml"});
}

bool has_lower_application_clock(const gpu_facts& gpu) {
  if (!gpu.settings) return false;
  const auto& settings = *gpu.settings;
  return settings.application_sm_mhz && settings.default_application_sm_mhz &&
         *settings.application_sm_mhz < *settings.default_application_sm_mhz;
}

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
         .fix = set("Switch it on, or run nvidia-persistenced", gpu, "-pm 1")});
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
         .fix = is_locked ? set("Unlock the clocks", gpu, "-rgc")
                          : set("Reset the application clocks", gpu, "-rac")});
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
         .fix = set("Raise the limit to the default", gpu, fmt::format("-pl {}", *usual / 1000))});
  });
}

void throttling(const facts& facts, diagnosis& diagnosis) {
  for (const auto& gpu : facts.gpus) {
    const auto clocks = gpu.clocks.value_or(machine::gpu_clocks{});
    if (!gpu.under_load || !clocks.throttled_by || clocks.throttled_by->empty()) continue;
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
         .fix = {"Look at its cooling, its power supply and its power limit",
                 smi(gpu, "-q -d PERFORMANCE,TEMPERATURE,POWER"), place::hardware}});
  }
}

void replays(const facts& facts, diagnosis& diagnosis) {
  for (const auto& gpu : facts.gpus) {
    const auto replays = risen(gpu, &gpu_counters::pcie_replays);
    if (replays == 0) continue;
    diagnosis.findings.push_back(
        {.code = "pcie_replays",
         .severity = severity::slows,
         .gpu = gpu.id,
         .what = fmt::format("Packets that the GPU has sent again on its link while it copied: {}. "
                             "Each is an error of transmission.",
                             replays),
         .evidence = {{"replays", replays}},
         .fix = {is_soldered(facts.host, gpu)
                     ? "Have the board repaired if the counter goes on rising"
                     : "Reseat the card, and change its slot, riser or cable",
                 smi(gpu, "-q | grep -i replay"), place::hardware}});
  }
}

void memory_errors(const facts& facts, diagnosis& diagnosis) {
  for_each_setting(facts, [&](const gpu_facts& gpu, const machine::gpu_settings& settings) {
    const auto errors = risen(gpu, &gpu_counters::uncorrected_errors);
    const bool is_known = gpu.under_load && gpu.counters_after.uncorrected_errors;
    const bool rows_wait = settings.rows_to_remap.value_or(false);
    if (settings.ecc == false)
      diagnosis.unknowns.push_back(
          {.code = "ecc_off",
           .gpu = gpu.id,
           .what = "ECC of the GPU's memory is off: whether its memory errs is not known.",
           .evidence = {{"ecc", false}},
           .fix = set("Switch it on, and reset the GPU", gpu, "-e 1")});
    if (errors == 0 && !rows_wait) return;
    diagnosis.findings.push_back(
        {.code = "ecc_errors",
         .severity = severity::may_slow,
         .gpu = gpu.id,
         .what = errors == 0
                     ? "Rows of the GPU's memory had errors, and wait for a reset to be replaced."
                     : fmt::format(
                           "Errors of the GPU's memory that ECC could not correct while it copied: "
                           "{}{}.",
                           errors, rows_wait ? "; rows wait for a reset to be replaced" : ""),
         .evidence = {{"uncorrected_errors", is_known ? nlohmann::ordered_json(errors) : nullptr},
                      {"rows_to_remap", common::or_null(settings.rows_to_remap)}},
         .fix = set("Reset the GPU; if errors come back, take it out of use", gpu, "--gpu-reset")});
  });
}

void past_errors(const facts& facts, diagnosis& diagnosis) {
  for (const auto& gpu : facts.gpus) {
    const auto replays = gpu.counters_after.pcie_replays.value_or(0);
    const auto errors = gpu.counters_after.uncorrected_errors.value_or(0);
    const bool rise = risen(gpu, &gpu_counters::pcie_replays) != 0 ||
                      risen(gpu, &gpu_counters::uncorrected_errors) != 0;
    if (rise || (replays == 0 && errors == 0)) continue;
    std::vector<std::string> events;  // what is not known is not said
    if (replays != 0) events.push_back(fmt::format("packets sent again on its link: {}", replays));
    if (errors != 0) events.push_back(fmt::format("errors that ECC could not correct: {}", errors));
    const bool has_copied = gpu.under_load && gpu.counters_before.has_value();
    diagnosis.unknowns.push_back(
        {.code = "past_errors",
         .gpu = gpu.id,
         .what = fmt::format(
             "Since the GPU's driver was loaded: {}. {}hen they happened is not known.",
             fmt::join(events, ", "), has_copied ? "None was added while it copied: w" : "W"),
         .evidence = {{"replays", common::or_null(gpu.counters_after.pcie_replays)},
                      {"uncorrected_errors",
                       common::or_null(gpu.counters_after.uncorrected_errors)}},
         .fix = {"Look whether the counters rise while programs copy",
                 smi(gpu, "-q | grep -iE 'replay|uncorrectable'")}});
  }
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
         .fix = set("Use the whole GPU, after its instances are destroyed", gpu, "-mig 0")});
  }
}

void hidden_settings(const facts& facts, diagnosis& diagnosis) {
  const bool asks = facts.host.process.built_with_nvml;
  for (const auto& gpu : facts.gpus) {
    if (gpu.settings) continue;
    diagnosis.unknowns.push_back(
        {.code = "nvml_missing",
         .gpu = gpu.id,
         .what = fmt::format(
             "{}: clocks, throttling, persistence mode, replays, memory errors and MIG are not "
             "known.",
             asks ? "The driver's management library does not answer"
                  : "This program was built without nvml.h, so it does not ask the driver's "
                    "management library"),
         .evidence = {{"library", "libnvidia-ml.so.1"}, {"built_with_nvml", asks}},
         .fix = asks ? management_library(facts.host)
                     : remedy{"Build it with nvml.h, of CUDA's toolkit or of scripts/setup.sh; "
                              "until then ask the driver",
                              smi(gpu, "-q")}});
  }
}

const registration of_gpu{topic::gpu,
                          {replays, throttling, memory_errors, past_errors, gpu_clocks, power_limit,
                           persistence, instances, hidden_settings}};

}  // namespace
}  // namespace bench_transfers::doctor::checks
