#include "src/machine/trust.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <initializer_list>

#include "src/common/text.hpp"

namespace bench_transfers::machine {

namespace {

using doubt = std::optional<common::message>;

doubt about_link(const std::optional<pcie_link>& link) {
  if (!link || (link->generation >= link->generation_max && link->width >= link->width_max)) {
    return std::nullopt;
  }
  return common::message{
      "link_below_maximum",
      {{"generation", link->generation},
       {"width", link->width},
       {"generation_max", link->generation_max},
       {"width_max", link->width_max}},
      fmt::format("the link runs at PCIe {}.0 x{}, the device can do {}.0 x{}: at most {:.1f} "
                  "instead of {:.1f} GB/s per direction; either the slot offers no more or the "
                  "link slept when it was read",
                  link->generation, link->width, link->generation_max, link->width_max,
                  pcie_limit_gb_per_s(link->generation, link->width),
                  pcie_limit_gb_per_s(link->generation_max, link->width_max))};
}

/// All other governors change the clock with the load that they estimate.
doubt about_governor(const nlohmann::ordered_json& described) {
  const auto& governor = common::member(described, {"cpu", "governor"});
  if (!governor.is_string() || governor == "performance") {
    return std::nullopt;
  }
  return common::message{
      "cpu_governor",
      {{"governor", governor}},
      fmt::format("the CPU governor is '{}': the clock may rise only after a while under load, so "
                  "small transfers and copies by the CPU can be slow and scattered; 'cpupower "
                  "frequency-set -g performance' avoids it",
                  governor.get<std::string>())};
}

doubt about_hypervisor(const nlohmann::ordered_json& described) {
  const auto& hypervisor = common::member(described, {"virtualisation", "hypervisor"});
  if (!hypervisor.is_string()) {
    return std::nullopt;
  }
  return common::message{
      "virtual_machine",
      {{"hypervisor", hypervisor}},
      fmt::format("this is a virtual machine ({}): the hypervisor decides memory types, and others "
                  "may use the same processors, memory and link",
                  hypervisor.get<std::string>())};
}

doubt about_numa(const nlohmann::ordered_json& described, std::optional<int> device_numa_node) {
  const auto& node = common::member(described, {"process", "numa_node"});
  if (!node.is_number_integer() || !device_numa_node || node == *device_numa_node) {
    return std::nullopt;
  }
  return common::message{
      "numa_far",
      {{"process_node", node}, {"device_node", *device_numa_node}},
      fmt::format(
          "the process runs on NUMA node {}, the GPU hangs on node {}: transfers may cross the "
          "link between the nodes; 'numactl --cpunodebind={} --membind={}' keeps both together",
          node.get<int>(), *device_numa_node, *device_numa_node, *device_numa_node)};
}

/// The limit holds for mlock(2), io_uring and RDMA. NVIDIA's kernel module pins pages without
/// counting them (os_lock_user_pages in kernel-open/nvidia/os-mlock.c), hence the wording.
doubt about_memlock(const nlohmann::ordered_json& described) {
  const auto& limit = common::member(described, {"memory", "memlock_limit_bytes"});
  if (!limit.is_number() || limit.get<double>() >= enough_locked_bytes ||
      common::member(described, {"memory", "memlock_limit_applies"}) == false) {
    return std::nullopt;
  }
  return common::message{
      "memlock_limit",
      {{"limit_bytes", limit}},
      fmt::format("the memlock limit is {}: locking larger buffers with mlock fails (buffers "
                  "pinned by the CUDA driver are not counted); raise with 'ulimit -l unlimited' or "
                  "/etc/security/limits.conf",
                  common::size_text(limit.get<double>()))};
}

doubt about_load(const nlohmann::ordered_json& described) {
  const auto& load = common::member(described, {"load_average_1min"});
  const auto& cpus = common::member(described, {"cpu", "logical_cpus_online"});
  if (!load.is_number() || !cpus.is_number() ||
      !is_much_load(load.get<double>(), cpus.get<std::size_t>())) {
    return std::nullopt;
  }
  return common::message{
      "other_load",
      {{"load_average", load}, {"cpus", cpus}},
      fmt::format("another load is running or has just ended: load average {:.1f} on {} CPUs; it "
                  "competes for memory bandwidth and CPU time",
                  load.get<double>(), cpus.get<std::size_t>())};
}

doubt about_throttled_gpu(const clocks_of_run& run) {
  const auto reasons = run.gpu_throttled_by();
  if (!reasons || reasons->empty()) {
    return std::nullopt;
  }
  return common::message{
      "gpu_throttled",
      {{"reasons", *reasons}},
      fmt::format("the GPU was throttled during the run ({}): too little power or cooling, or "
                  "another GPU that it keeps in step with; what its multiprocessors do may be slow",
                  fmt::join(*reasons, ", "))};
}

/// Clocks rise and fall in steps of less than 1 %, and by some steps with the temperature.
doubt about_sm_clock(const clocks_of_run& run) {
  constexpr double tolerated_share = 0.9;
  const auto start = run.start.gpu ? run.start.gpu->sm_mhz : std::nullopt;
  const auto end = run.end.gpu ? run.end.gpu->sm_mhz : std::nullopt;
  if (!start || !end || *end >= tolerated_share * *start) {
    return std::nullopt;
  }
  return common::message{
      "gpu_clock_fell",
      {{"start_mhz", *start}, {"end_mhz", *end}},
      fmt::format("the GPU's SM clock was {} MHz at the start of the run and {} MHz at its end, "
                  "under load both times: early and late figures are not alike",
                  *start, *end)};
}

doubt about_replays(const clocks_of_run& run) {
  const auto replays = run.pcie_replays().value_or(0);
  if (replays == 0) {
    return std::nullopt;
  }
  return common::message{
      "pcie_replays",
      {{"replays", replays}},
      fmt::format("{} on the PCIe link during the run, as the GPU counted: transmission errors, "
                  "which a bad slot, riser or cable causes, make transfers slow",
                  common::counted(static_cast<double>(replays), "packet was sent again",
                                  "packets were sent again"))};
}

doubt about_throttled_cpu(const clocks_of_run& run) {
  const auto events = run.cpu_throttle_events().value_or(0);
  if (events == 0) {
    return std::nullopt;
  }
  return common::message{
      "cpu_throttled",
      {{"events", events}},
      fmt::format(
          "the CPU was throttled during the run for being too hot: {} events, as its logical CPUs "
          "counted them; small transfers and copies by the CPU can be slow and scattered",
          events)};
}

std::vector<common::message> known(std::initializer_list<doubt> candidates) {
  std::vector<common::message> messages;
  for (const doubt& candidate : candidates) {
    if (candidate) {
      messages.push_back(*candidate);
    }
  }
  return messages;
}

}  // namespace

bool is_much_load(double load_average, std::size_t cpus) {
  constexpr double own_load = 1;
  constexpr double tolerated_share = 0.25;
  return load_average - own_load > tolerated_share * static_cast<double>(cpus);
}

std::vector<common::message> doubts(const nlohmann::ordered_json& described,
                                    const std::optional<pcie_link>& link,
                                    std::optional<int> device_numa_node) {
  return known({about_link(link), about_governor(described), about_hypervisor(described),
                about_numa(described, device_numa_node), about_memlock(described),
                about_load(described)});
}

std::vector<common::message> doubts(const clocks_of_run& run) {
  return known({about_throttled_gpu(run), about_sm_clock(run), about_replays(run),
                about_throttled_cpu(run)});
}

}  // namespace bench_transfers::machine
