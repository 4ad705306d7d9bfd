#pragma once

#include "src/doctor/facts.hpp"
#include "src/doctor/finding.hpp"

// One function for each question. It adds its own codes to the diagnosis, and no others. The table
// in diagnose.cpp lists them; docs/DOCTOR.md explains each code.

namespace bench_transfers::doctor::checks {

// link.cpp
void link_width(const facts& facts, diagnosis& diagnosis);
void link_generation(const facts& facts, diagnosis& diagnosis);
void sleeping_link(const facts& facts, diagnosis& diagnosis);
void tunnelled_link(const facts& facts, diagnosis& diagnosis);
void power_saving(const facts& facts, diagnosis& diagnosis);
void slot_limit(const facts& facts, diagnosis& diagnosis);
void upstream_limit(const facts& facts, diagnosis& diagnosis);
void hidden_link(const facts& facts, diagnosis& diagnosis);
void acs_redirect(const facts& facts, diagnosis& diagnosis);
void iommu_translation(const facts& facts, diagnosis& diagnosis);

// placement.cpp
void numa_binding(const facts& facts, diagnosis& diagnosis);
void nodes_per_socket(const facts& facts, diagnosis& diagnosis);
void numa_balancing(const facts& facts, diagnosis& diagnosis);
void few_cpus(const facts& facts, diagnosis& diagnosis);
void cpu_quota(const facts& facts, diagnosis& diagnosis);

// host.cpp
void cpu_governor(const facts& facts, diagnosis& diagnosis);
void cpu_clock_limit(const facts& facts, diagnosis& diagnosis);
void cpu_boost(const facts& facts, diagnosis& diagnosis);
void other_load(const facts& facts, diagnosis& diagnosis);
void huge_pages(const facts& facts, diagnosis& diagnosis);
void memlock_limit(const facts& facts, diagnosis& diagnosis);
void memory_limit(const facts& facts, diagnosis& diagnosis);

// gpu.cpp
void persistence(const facts& facts, diagnosis& diagnosis);
void gpu_clocks(const facts& facts, diagnosis& diagnosis);
void power_limit(const facts& facts, diagnosis& diagnosis);
void throttling(const facts& facts, diagnosis& diagnosis);
void replays(const facts& facts, diagnosis& diagnosis);
void past_errors(const facts& facts, diagnosis& diagnosis);
void memory_errors(const facts& facts, diagnosis& diagnosis);
void instances(const facts& facts, diagnosis& diagnosis);
void hidden_settings(const facts& facts, diagnosis& diagnosis);

// platform.cpp
void gpus(const facts& facts, diagnosis& diagnosis);
void driver_version(const facts& facts, diagnosis& diagnosis);
void confidential_computing(const facts& facts, diagnosis& diagnosis);
void virtual_machine(const facts& facts, diagnosis& diagnosis);
void hidden_files(const facts& facts, diagnosis& diagnosis);

// measured.cpp
void slow_copies(const facts& facts, diagnosis& diagnosis);

}  // namespace bench_transfers::doctor::checks
