#include <fmt/format.h>

#include <algorithm>

#include "src/common/quantities.hpp"
#include "src/doctor/checks/registration.hpp"
#include "src/machine/trust.hpp"

namespace bench_transfers::doctor::checks {
namespace {

std::string gib_text(std::size_t bytes) {
  return fmt::format("{:.3g} GiB", static_cast<double>(bytes) / (1 << 30));
}

void cpu_governor(const facts& facts, diagnosis& diagnosis) {
  const auto& governor = facts.host.governor;
  if (!governor || *governor == "performance") return;
  diagnosis.findings.push_back(
      {.code = "cpu_governor",
       .severity = severity::may_slow,
       .what =
           fmt::format("The CPUs' governor is {}: their clock may rise only after a while under "
                       "load, so small transfers and copies by the CPU can be slow.",
                       *governor),
       .evidence = {{"governor", *governor}},
       .fix = {"Choose the governor performance",
               "echo performance | tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor",
               place::system}});
}

void cpu_clock_limit(const facts& facts, diagnosis& diagnosis) {
  const auto& limit = facts.host.cpu_speed.limit;
  if (!limit || limit->limit_khz >= limit->most_khz) return;
  diagnosis.findings.push_back(
      {.code = "cpu_clock_limit",
       .severity = severity::may_slow,
       .what = fmt::format("The CPUs' clock is limited to {} of {} MHz: small transfers and copies "
                           "by the CPU take longer.",
                           limit->limit_khz / 1000, limit->most_khz / 1000),
       .evidence = {{"limit_khz", limit->limit_khz}, {"most_khz", limit->most_khz}},
       // CPUs of one host may differ in what they can do.
       .fix = {"Raise the limit to what the CPUs can do",
               "for cpu in /sys/devices/system/cpu/cpu*/cpufreq; do "
               "cat $cpu/cpuinfo_max_freq > $cpu/scaling_max_freq; done",
               place::system}});
}

void cpu_boost(const facts& facts, diagnosis& diagnosis) {
  if (facts.host.cpu_speed.boost.value_or(true)) return;
  diagnosis.findings.push_back(
      {.code = "cpu_boost_off",
       .severity = severity::may_slow,
       .what = "The CPUs may not exceed their nominal clock: small transfers and copies by the CPU "
               "take longer.",
       .evidence = {{"boost", false}},
       .fix = {"Switch boost on; the firmware may forbid it",
               facts.host.cpu_speed.boost_by_intel_pstate
                   ? "echo 0 > /sys/devices/system/cpu/intel_pstate/no_turbo"
                   : "echo 1 > /sys/devices/system/cpu/cpufreq/boost",
               place::system}});
}

void other_load(const facts& facts, diagnosis& diagnosis) {
  const auto& host = facts.host;
  if (!host.load_average || !host.cpus_online ||
      !machine::is_much_load(*host.load_average, *host.cpus_online))
    return;
  diagnosis.findings.push_back(
      {.code = "other_load",
       .severity = severity::may_slow,
       .what =
           fmt::format("Something else runs or has just ended: the load average is {:.1f} on {} "
                       "CPUs. It competes for memory bandwidth and CPU time.",
                       *host.load_average, *host.cpus_online),
       .evidence = {{"load_average", *host.load_average}, {"cpus", *host.cpus_online}},
       .cost = cost{.least_lost = 0,
                    .most_lost = 0.47,
                    .rate = "copies from the host while 31 threads write to memory",
                    .origin = cost::source::recorded_run,
                    .reference = "results/nvidia-h200/2026-11-22-loaded"},
       .fix = {"Find and end it, or transfer at another time", "top"}});
}

void huge_pages(const facts& facts, diagnosis& diagnosis) {
  if (facts.host.huge_pages != "never") return;
  diagnosis.findings.push_back(
      {.code = "huge_pages_off",
       .severity = severity::may_slow,
       .what = "Transparent huge pages are off: page-locking existing memory takes longer.",
       .evidence = {{"transparent_hugepage_enabled", *facts.host.huge_pages}},
       .cost = cost{.least_lost = 1 - 16.46 / 19.59,
                    .most_lost = 1 - 16.19 / 20.43,
                    .rate = "copies that page-lock their memory (copy/register_once, 1 GiB)",
                    .origin = cost::source::recorded_run,
                    .reference = "results/nvidia-h200/2026-11-21-report"},
       .fix = {"Allow them to programs that ask for them",
               "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled", place::system}});
}

void memlock_limit(const facts& facts, diagnosis& diagnosis) {
  const auto& host = facts.host;
  const auto limit = host.process.memlock_limit_bytes;
  if (!limit || *limit >= machine::enough_locked_bytes || host.memlock_limit_applies == false)
    return;
  diagnosis.findings.push_back(
      {.code = "memlock_limit",
       .severity = severity::may_slow,
       .what =
           fmt::format("This process may lock {}: locking more with mlock or for RDMA fails, and "
                       "programs then copy once more. What CUDA's driver pins is not counted.",
                       common::format_size(*limit)),
       .evidence = {{"limit_bytes", *limit}},
       .fix = {"Raise the limit, for good in /etc/security/limits.conf", "ulimit -l unlimited"}});
}

void memory_limit(const facts& facts, diagnosis& diagnosis) {
  const auto& limit = facts.host.memory_limit_bytes;
  if (!limit || facts.gpus.empty()) return;
  const auto largest = std::ranges::max(facts.gpus, {}, &gpu_facts::memory_bytes).memory_bytes;
  if (*limit >= largest) return;
  diagnosis.findings.push_back(
      {.code = "memory_limit",
       .severity = severity::may_slow,
       .what = fmt::format("A control group grants {} of host memory, less than the {} of a GPU: "
                           "host buffers, which count, may be reclaimed or the process be ended.",
                           gib_text(*limit), gib_text(largest)),
       .evidence = {{"limit_bytes", *limit}, {"gpu_memory_bytes", largest}},
       .fix = {
           "Raise the limit of the container (--memory, resources.limits.memory) or of its group",
           "echo max > /sys/fs/cgroup/GROUP/memory.max", place::system}});
}

const registration of_host{topic::host,
                           {cpu_governor, cpu_clock_limit, cpu_boost, other_load, huge_pages,
                            memlock_limit, memory_limit}};

}  // namespace
}  // namespace bench_transfers::doctor::checks
