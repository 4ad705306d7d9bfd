#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "src/doctor/facts.hpp"

namespace bench_transfers::doctor {

/// `described`: machine::describe() of this computer.
process_facts read_process(const nlohmann::ordered_json& described);

/// `described`: machine::describe(root). Never throws for what cannot be read.
host_facts read_host(const nlohmann::ordered_json& described, const process_facts& process,
                     const std::filesystem::path& root = "/");

/// What the driver has counted until now.
gpu_counters read_counters(const machine::gpu_monitor& monitor);

/// Adds what sysfs and NVML tell of a GPU to its id and bus ID. `monitor` may be null. A sleeping
/// link and idle clocks read lower: call it while copies keep the GPU busy, and say so in
/// `under_load`.
void read_gpu(gpu_facts& gpu, const machine::gpu_monitor* monitor,
              const std::filesystem::path& root = "/");

}  // namespace bench_transfers::doctor
