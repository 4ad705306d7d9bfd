#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/unit/doctor/made_up_machine.hpp"

// Every machine that the doctor is shown. tests/approval approves what it says of each.

namespace bench_transfers::doctor {

using change = std::function<void(made_up_machine&)>;

/// A machine that differs from another in what its name says.
struct named_machine {
  std::string name;
  made_up_machine (*base)();
  std::vector<change> changes = {};

  [[nodiscard]] made_up_machine make() const {
    auto machine = base();
    for (const auto& each : changes) each(machine);
    return machine;
  }
};

// What differs.

struct link_at {
  const char* address;
  int generation, width, generation_max = 5, width_max = 16;
};

inline change linked(std::vector<link_at> links) {
  return [=](auto& machine) {
    for (const auto& [address, generation, width, generation_max, width_max] : links)
      machine.write_link(address, generation, width, generation_max, width_max);
  };
}

inline change written(const std::string& file, const std::string& content = "") {
  return [=](auto& machine) { machine.write(file, content); };
}

/// A file of the GPU's device.
inline change of_device(const std::string& address, const std::string& file,
                        const std::string& content) {
  return written(made_up_machine::device_file(address, file), content);
}

template <class Change>
change of_gpu(Change edit) {
  return [=](auto& machine) { edit(machine.gpus.front().facts); };
}

/// What NVML says of the GPU.
template <class Change>
change of_monitor(Change edit) {
  return [=](auto& machine) { edit(*machine.gpus.front().monitor); };
}

template <class Change>
change of_process(Change edit) {
  return [=](auto& machine) { edit(machine.process); };
}

/// A value of its clocks or of its settings.
template <class Value>
change with(Value machine::gpu_clocks::*member, Value value) {
  return of_monitor([=](auto& told) { told.clocks.*member = value; });
}
template <class Value>
change with(Value machine::gpu_settings::*member, Value value) {
  return of_monitor([=](auto& told) { told.set.*member = value; });
}

inline change copying(std::vector<measured_copy> copies) {
  return [=](auto& machine) { machine.copies = copies; };
}

inline change on_cpus(std::size_t first, std::size_t last) {
  return of_process([=](auto& process) { process.usable_cpus = cpus_from(first, last); });
}

inline change bound(machine::memory_policy policy) {
  return of_process([=](auto& process) { process.policy = policy; });
}

inline change held_by(const std::string& driver) {
  return [=](auto& machine) {
    machine.why_no_cuda = "no driver";
    machine.bind("0000:11:00.0", driver);
  };
}

inline const change asleep = of_gpu([](auto& gpu) { gpu.under_load = false; });
inline const change unbound = bound({});
inline const change without_nvml = [](auto& machine) { machine.gpus.front().monitor = nullptr; };
inline const change without_cuda = [](auto& machine) { machine.why_no_cuda = "no driver"; };
inline const change with_old_driver = of_gpu([](auto& gpu) { gpu.driver_cuda_version = "12.0"; });
inline const change in_docker = written(".dockerenv");
inline const change in_kvm = of_process([](auto& process) { process.hypervisor = "KVM"; });
inline const change in_wsl = [](auto& machine) {
  machine.process.hypervisor = "Hyper-V";
  machine.write("proc/sys/kernel/osrelease", "5.15.167.4-microsoft-standard-WSL2\n");
};
inline const change without_pci = [](auto& machine) {
  machine.remove("sys/bus");
  machine.gpus.front().facts.node.cuda = 0;
};
inline const change slow_link = linked({{"0000:10:01.0", 1, 16}, {"0000:11:00.0", 1, 16}});
inline const change lost_lanes = linked({{"0000:c0:01.1", 5, 4}, {"0000:c1:00.0", 5, 4}});

/// Settings of the host, the driver and the hardware, each of which is wrong.
inline const change broken = [](auto& machine) {
  linked({{"0000:10:01.0", 3, 8}, {"0000:11:00.0", 3, 8}})(machine);
  machine.write("sys/devices/system/cpu/cpu3/cpufreq/scaling_governor", "powersave\n");
  machine.write("proc/sys/kernel/numa_balancing", "1\n");
  machine.write("proc/self/maps", "7f00-7f01 r-xp 0 08:01 5 /usr/lib/libcuda.so.590.10\n");
  machine.write(made_up_machine::device_file("0000:11:00.0", "iommu_group/type"), "DMA-FQ\n");
  machine.gpus.front().monitor->set.power_limit_mw = 300'000;
};

// Machines.

inline made_up_machine without_gpus() { return {}; }
inline made_up_machine two_gpus_without_acs() { return two_gpus(0); }
inline made_up_machine two_gpus_redirected() { return two_gpus(0b1'1101); }

inline made_up_machine four_nodes_of_a_socket() {
  auto machine = amd_machine();
  machine.add_cpus(32, 32);
  machine.write("sys/devices/system/node/online", "0-3\n");
  for (int node = 1; node < 4; ++node) machine.add_node(node);
  return machine;
}

/// Four nodes of one socket, as of a Threadripper in NPS4: two have CPUs and no memory.
inline made_up_machine nodes_without_memory() {
  auto machine = intel_machine();
  machine.write("sys/devices/system/node/online", "0-3\n");
  for (int node = 0; node < 4; ++node) {
    machine.add_node(node);
    const auto folder = "sys/devices/system/node/node" + std::to_string(node) + "/";
    std::string distances;
    for (int other = 0; other < 4; ++other)
      distances += other == node ? "10 " : (other == 1 || node == 1 ? "12 " : "20 ");
    machine.write(folder + "distance", distances + "\n");
    if (node == 0 || node == 3)
      machine.write(folder + "meminfo", "Node " + std::to_string(node) + " MemTotal: 0 kB\n");
  }
  machine.process.policy = machine::memory_policy{};
  return machine;
}

inline std::vector<named_machine> machines_with_links() {
  const auto both_ways =
      copying({{"cuda:0", direction::h2d, 1 << 26, 2.9}, {"cuda:0", direction::d2h, 1 << 26, 2.2}});
  const auto fast = copying({{"cuda:0", direction::h2d, 1 << 26, 52.1}});
  const auto below_a_tunnel = linked({{"0000:c2:00.0", 3, 4, 3, 4}, {"0000:c3:00.0", 3, 4, 4, 16}});
  std::vector<named_machine> all{
      {"Intel", intel_machine},
      {"AMD", amd_machine},
      {"virtual machine", virtual_machine},
      {"two GPUs without ACS", two_gpus_without_acs},
      {"coherent link",
       intel_machine,
       {of_gpu([](auto& gpu) { gpu.on_pcie = false; }), linked({{"0000:11:00.0", 1, 1}})}},
      {"link known to the driver alone",
       intel_machine,
       {without_pci, with(&machine::gpu_settings::link, {machine::pcie_link{5, 16, 5, 16}})}},
      {"eight lanes, known to the driver alone",
       intel_machine,
       {without_pci, with(&machine::gpu_settings::link, {machine::pcie_link{5, 8, 5, 16}})}},
      {"hidden link", intel_machine, {without_pci}},
      {"generation 3 in a slot of generation 5",
       intel_machine,
       {linked({{"0000:10:01.0", 3, 16}, {"0000:11:00.0", 3, 16}})}},
      {"eight lanes", intel_machine, {linked({{"0000:11:00.0", 5, 8}})}},
      {"slot of generation 4",
       intel_machine,
       {linked({{"0000:10:01.0", 4, 16, 4}, {"0000:11:00.0", 4, 16}})}},
      {"slow link of a laptop, whose GPU is soldered",
       intel_machine,
       {written("sys/class/dmi/id/chassis_type", "10\n"),
        linked({{"0000:10:01.0", 4, 8, 4, 8}, {"0000:11:00.0", 3, 4}})}},
      {"switch in a narrow slot",
       amd_machine,
       {linked({{"0000:c0:01.1", 5, 8, 5, 8}, {"0000:c1:00.0", 5, 8}})}},
      {"switch with lost lanes", amd_machine, {lost_lanes}},
      {"switch with lost lanes, and copies as fast as they allow",
       amd_machine,
       {lost_lanes, copying({{"cuda:0", direction::h2d, 1 << 26, 13.5}})}},
      {"fast copies", amd_machine, {copying({{"cuda:0", direction::h2d, 1 << 26, 55.4}})}},
      {"slow copies",
       intel_machine,
       {copying({{"cuda:0", direction::h2d, 1 << 26, 55.4},
                 {"cuda:0", direction::d2h, 1 << 26, 30.0}})}},
      {"nothing was measured", amd_machine, {[](auto& machine) {
         machine.why_not_measured = "not enough memory";
       }}},
      // A limit below what runs or was measured is no limit.
      {"link that carried more than it says",
       intel_machine,
       {slow_link, copying({{"cuda:0", direction::h2d, 1 << 26, 4.1}})}},
      {"link that carried less than it says",
       intel_machine,
       {slow_link, copying({{"cuda:0", direction::h2d, 1 << 26, 3.9}})}},
      {"port of a guest, of generation 1, and the GPU sleeps",
       intel_machine,
       {in_kvm, linked({{"0000:10:01.0", 1, 1, 1, 1}, {"0000:11:00.0", 1, 1}}), asleep}},
      {"tunnel", amd_machine, {linked({{"0000:c0:01.1", 1, 1, 1, 1}})}},
      {"tunnel of USB4 whose ends differ",
       amd_machine,
       {linked({{"0000:c0:01.1", 1, 1, 1, 1}, {"0000:c1:00.0", 1, 4, 3, 4}}), below_a_tunnel,
        both_ways}},
      {"tunnel of Thunderbolt with a slow lower end",
       amd_machine,
       {linked({{"0000:c0:01.1", 1, 4, 3, 4}, {"0000:c1:00.0", 1, 4, 1, 4}}), below_a_tunnel,
        both_ways}},
      {"tunnel that is alike at both ends",
       amd_machine,
       {linked({{"0000:c0:01.1", 1, 4, 1, 4}, {"0000:c1:00.0", 1, 4, 1, 4}}), below_a_tunnel,
        both_ways}},
      {"IOMMU that translates",
       amd_machine,
       {of_device("0000:c3:00.0", "iommu_group/type", "DMA-FQ\n")}},
      {"ACS redirects", two_gpus_redirected},
      {"ACS is hidden",
       two_gpus_without_acs,
       {of_device("0000:c2:01.0", "config", std::string(64, '\0'))}},
      {"replays", intel_machine, {of_monitor([](auto& told) {
         told.clocks.pcie_replays = 1234;
         told.replays_between_readings = 2;
       })}},
  };
  for (const auto& [name, link] : std::vector<std::pair<std::string, link_at>>{
           {"generation 1 x1, as QEMU says", {"0000:10:01.0", 1, 1, 1, 1}},
           {"fewer lanes", {"0000:10:01.0", 5, 1, 5, 1}},
           {"a lower generation", {"0000:10:01.0", 2, 16, 2, 32}}}) {
    all.push_back({"port of " + name, intel_machine, {linked({link}), fast}});
    all.push_back({"port of a guest, of " + name, intel_machine, {linked({link}), fast, in_kvm}});
  }
  return all;
}

/// What sleep lowers and what counters say decides nothing.
inline std::vector<named_machine> sleeping_machines() {
  return {
      {"asleep: generation", intel_machine, {asleep, linked({{"0000:11:00.0", 1, 16}})}},
      {"asleep: width", intel_machine, {asleep, linked({{"0000:11:00.0", 5, 1}})}},
      {"asleep: both", intel_machine, {asleep, linked({{"0000:11:00.0", 1, 1}})}},
      {"asleep: clocks", intel_machine, {asleep, with(&machine::gpu_clocks::sm_mhz, {210})}},
      {"asleep: throttling",
       intel_machine,
       {asleep,
        with(&machine::gpu_clocks::throttled_by, {machine::throttle_reasons{"sw_power_cap"}})}},
      {"asleep: replays", intel_machine, {asleep, of_monitor([](auto& told) {
                                            told.clocks.pcie_replays = 7;
                                            told.replays_between_readings = 1;
                                          })}},
      {"old replays", intel_machine, {with(&machine::gpu_clocks::pcie_replays, {1234})}},
      {"old errors", intel_machine, {with(&machine::gpu_settings::uncorrected_errors, {3})}},
      {"replays while it copies",
       intel_machine,
       {with(&machine::gpu_clocks::pcie_replays, {1234}), of_gpu([](auto& gpu) {
          gpu.counters_before = gpu_counters{1200U, 0ULL};
        })}},
      {"errors while it copies",
       intel_machine,
       {with(&machine::gpu_settings::uncorrected_errors, {2}), of_gpu([](auto& gpu) {
          gpu.counters_before = gpu_counters{0U, 0ULL};
        })}},
  };
}

inline std::vector<named_machine> machines_with_bad_places() {
  using mode = machine::memory_policy::mode;
  const auto far = [](int node) { return "sys/devices/system/node/node" + std::to_string(node); };
  std::vector<change> all_near{on_cpus(0, 15)};
  for (int node = 0; node < 4; ++node)
    all_near.push_back(written(far(node) + "/distance", "10 12 12 12\n"));
  return {
      {"bound to the other node", intel_machine, {on_cpus(8, 15), bound({mode::bind, {1}})}},
      {"cpuset of the other node",
       intel_machine,
       {on_cpus(8, 15), unbound, written("proc/self/status", "Mems_allowed_list:\t1\n")}},
      {"not bound", intel_machine, {on_cpus(0, 15), unbound}},
      {"memory on both nodes", intel_machine, {bound({mode::interleave, {0, 1}})}},
      {"memory preferred on the other node", intel_machine, {bound({mode::preferred, {1}})}},
      {"kernel and driver disagree", intel_machine, {of_gpu([](auto& gpu) { gpu.node.cuda = 1; })}},
      {"four nodes of a socket", four_nodes_of_a_socket},
      {"nodes without memory", nodes_without_memory, {on_cpus(0, 15)}},
      {"memory beside a node without", nodes_without_memory, {bound({mode::bind, {1}})}},
      {"memory far from a node without", nodes_without_memory, {bound({mode::bind, {2}})}},
      {"nodes without memory, all near", nodes_without_memory, all_near},
      {"node without CPUs",
       intel_machine,
       {written(far(0) + "/cpulist", "\n"), written(far(0) + "/distance", "10 20\n"),
        on_cpus(8, 15), bound({mode::bind, {1}})}},
      {"NUMA balancing", intel_machine, {written("proc/sys/kernel/numa_balancing", "1\n")}},
      {"two CPUs", amd_machine, {on_cpus(0, 1)}},
      {"five CPUs", amd_machine, {on_cpus(0, 4)}},
      {"six CPUs are enough", amd_machine, {on_cpus(0, 5)}},
      {"quota of all CPUs", amd_machine, {written("sys/fs/cgroup/cpu.max", "800000 100000\n")}},
      {"quota of nearly all", amd_machine, {written("sys/fs/cgroup/cpu.max", "799999 100000\n")}},
      {"memory limit", amd_machine, {written("sys/fs/cgroup/memory.max", "17179869184\n")}},
  };
}

/// Threads have waited for a quota once, and before the copies so often.
inline std::vector<named_machine> machines_with_a_quota() {
  std::vector<named_machine> all{
      {"quota", amd_machine, {written("sys/fs/cgroup/cpu.max", "150000 100000\n")}}};
  for (const auto& [name, before] :
       {std::pair{"perhaps before the copies", std::optional<std::size_t>()},
        {"before the copies", 3},
        {"while it copies", 2}}) {
    auto waited = all.front();
    waited.name = std::string("quota for which threads waited ") + name;
    waited.changes.push_back(written("sys/fs/cgroup/cpu.stat", "nr_throttled 3\n"));
    waited.changes.push_back(
        of_process([=](auto& process) { process.throttled_periods_before = before; }));
    all.push_back(waited);
  }
  return all;
}

inline std::vector<named_machine> machines_with_bad_settings() {
  const std::string cpu = "sys/devices/system/cpu/";
  const auto little_to_lock =
      of_process([](auto& process) { process.memlock_limit_bytes = 8 << 20; });
  return {
      {"governor", intel_machine, {written(cpu + "cpu3/cpufreq/scaling_governor", "powersave\n")}},
      {"CPU clock limit",
       intel_machine,
       {written(cpu + "cpu3/cpufreq/scaling_max_freq", "2000000\n")}},
      {"no turbo", intel_machine, {written(cpu + "intel_pstate/no_turbo", "1\n")}},
      {"busy", amd_machine, {written("proc/loadavg", "7.00 6.00 5.00 8/99 1234\n")}},
      {"no huge pages",
       intel_machine,
       {written("sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n")}},
      {"little memory to lock", intel_machine, {little_to_lock}},
      {"little memory to lock, and root",
       intel_machine,
       {little_to_lock, written("proc/self/status", "CapEff:\t000001ffffffffff\n")}},
      {"confidential guest", virtual_machine, {written("proc/cpuinfo", "flags : fpu tdx_guest\n")}},
      {"no persistence",
       amd_machine,
       {with(&machine::gpu_settings::persistence, {false}), written(cpu + "cpufreq/boost", "0\n")}},
      {"locked clocks", intel_machine, {with(&machine::gpu_clocks::sm_mhz, {1200})}},
      {"application clocks",
       intel_machine,
       {with(&machine::gpu_settings::application_sm_mhz, {1200})}},
      {"power limit", intel_machine, {with(&machine::gpu_settings::power_limit_mw, {300'000})}},
      {"too hot", intel_machine, {of_monitor([](auto& told) {
         told.clocks.sm_mhz = 900;
         told.clocks.throttled_by = {"hw_thermal_slowdown"};
       })}},
      {"rows to remap", intel_machine, {with(&machine::gpu_settings::rows_to_remap, {true})}},
      {"ECC is off", intel_machine, {of_monitor([](auto& told) {
         told.set.ecc = false;
         told.set.uncorrected_errors = {};
       })}},
      {"MIG", intel_machine, {of_monitor([](auto& told) { told.divided = true; })}},
      {"confidential GPU", intel_machine, {with(&machine::gpu_settings::confidential, {true})}},
      {"no NVML", intel_machine, {without_nvml}},
      {"built without NVML", intel_machine, {without_nvml, of_process([](auto& process) {
                                               process.built_with_nvml = false;
                                             })}},
      {"name that would steer a terminal", amd_machine, {of_gpu([](auto& gpu) {
         gpu.name = "GPU\n\x1b[31m";
       })}},
  };
}

/// Of links and devices: files, and whether a slow link is due to them.
inline std::vector<named_machine> machines_that_save_power() {
  const auto of = [](const std::string& file) {
    return made_up_machine::device_file("0000:11:00.0", file);
  };
  const std::string policy = "sys/module/pcie_aspm/parameters/policy";
  const std::vector<std::pair<std::string, std::string>> files{
      {of("link/l1_aspm"), "1"},
      {of("link/l0s_aspm"), "1"},
      {of("link/l1_2_aspm"), "1"},
      {of("power/control"), "auto"},
      {policy, "default performance powersave [powersupersave]"},
      {policy, "default performance [powersave] powersupersave"},
      {of("link/l1_aspm"), "0"},
      {of("power/control"), "on"},
      {policy, "[default] performance powersave powersupersave"},
      // The rule for ports: they stay awake while the GPU does.
      {made_up_machine::device_file("0000:10:01.0", "power/control"), "auto"},
  };
  std::vector<named_machine> all;
  for (const auto& [file, content] : files)
    for (const bool is_slow : {false, true}) {
      const auto name = file.substr(file.find('/', 8) + 1) + ": " + content;
      const auto saving = written(file, content + "\n");
      if (is_slow) all.push_back({name + ", slow", intel_machine, {saving, slow_link}});
      if (!is_slow) all.push_back({name, intel_machine, {saving}});
    }
  return all;
}

inline std::vector<named_machine> machines_with_drivers() {
  const std::string maps = "7f00-7f01 r-xp 0 08:01 5      ";
  const std::string compat = "/usr/local/cuda/compat/libcuda.so.580.65.06\n";
  std::vector<named_machine> all{
      {"newer driver", intel_machine, {of_gpu([](auto& gpu) {
         gpu.driver_cuda_version = "13.10";
         gpu.runtime_cuda_version = "13.9";
       })}},
      {"slightly older driver", intel_machine, {of_gpu([](auto& gpu) {
         gpu.driver_cuda_version = "12.9";
       })}},
      {"forward compatibility",
       intel_machine,
       {written("sys/module/nvidia/version", "535.129.03\n"),
        written("proc/self/maps", maps + compat)}},
      {"GPU without a driver", intel_machine, {without_cuda, without_nvml}},
      {"no GPU",
       amd_machine,
       {without_cuda, [](auto& machine) { machine.gpus.clear(); },
        written("sys/devices/system/cpu/cpufreq/boost", "0\n")}},
      {"nothing at all", without_gpus},
      {"nothing, and why", without_gpus, {without_cuda}},
      {"Jetson",
       intel_machine,
       {with_old_driver, written("etc/os-release", "ID=ubuntu\nID_LIKE=debian\n"),
        written("etc/nv_tegra_release", "# R36\n")}},
  };
  for (const auto* library :
       {"/usr/lib/libcuda.so.580.65.06", "/usr/lib/aarch64-linux-gnu/nvidia/libcuda.so.1.1",
        "/usr/lib/aarch64-linux-gnu/tegra/libcuda.so.1.1",
        "/usr/lib/wsl/drivers/nv_dispi.inf_amd64_0123/libcuda.so.1.1",
        "/usr/lib/libcuda.so.580.65.06 (deleted)", "/usr/lib/libcuda.so.1"})
    all.push_back({library, intel_machine, {written("proc/self/maps", maps + library + "\n")}});
  for (const auto* release :
       {"ID=debian", "ID=ubuntu\nID_LIKE=debian", "ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"",
        "ID=\"sles\"\nID_LIKE=\"suse\"", "ID=arch"}) {
    const auto installed = written("etc/os-release", std::string(release) + "\n");
    all.push_back(
        {std::string("old driver, ") + release, intel_machine, {installed, with_old_driver}});
    const auto translates = of_device("0000:c3:00.0", "iommu_group/type", "DMA\n");
    all.push_back({std::string("IOMMU, ") + release, amd_machine, {installed, translates}});
    all.push_back({std::string("IOMMU of ARM, ") + release,
                   amd_machine,
                   {installed, translates, written("proc/cpuinfo", "CPU implementer : 0x41\n")}});
  }
  for (const auto* driver : {"vfio-pci", "pci-stub", "nouveau", "nova_core", "xe-unknown"})
    all.push_back({std::string("held by ") + driver, intel_machine, {held_by(driver)}});
  return all;
}

/// The GPU's memory regions, as the kernel shows them.
inline std::vector<named_machine> machines_with_regions() {
  const std::string address = "0x00000000fc000000 0x00000000fcffffff 0x0000000000040200\n";
  const std::string none = "0x0000000000000000 0x0000000000000000 0x000000000014220c\n";
  const std::string unset = "0x0000000000000000 0x0000000fffffffff 0x000000002014220c\n";
  const std::string unused = "0x0000000000000000 0x0000000000000000 0x0000000000000000\n";
  const std::string ports = "0x0000000000000000 0x0000000000000000 0x0000000000040101\n";
  const auto shown = [](const std::string& regions) {
    return of_device("0000:11:00.0", "resource", regions);
  };
  return {{"regions 1 and 3 without addresses",
           intel_machine,
           {without_cuda, shown(address + none + unused + unset + unused + unused)}},
          {"regions with addresses",
           intel_machine,
           {without_cuda, shown(address + address + unused + address + unused + ports + none)}},
          {"no regions", intel_machine, {without_cuda, shown("")}}};
}

/// A remedy is possible where it is given.
inline std::vector<named_machine> machines_in_places() {
  std::vector<named_machine> all{
      {"everything is wrong", intel_machine, {broken}},
      {"everything, in Docker", intel_machine, {broken, in_docker}},
      {"everything, in a virtual machine", intel_machine, {broken, in_kvm}},
      {"everything, in WSL", intel_machine, {broken, in_wsl}},
      {"everything, in a container in WSL", intel_machine, {broken, in_docker, in_wsl}},
      {"container in WSL", virtual_machine, {in_docker, in_wsl}},
  };
  for (const auto* mark :
       {".dockerenv", "run/.containerenv", ".singularity.d/x", "run/secrets/kubernetes.io/x"})
    all.push_back(
        {std::string("no NVML beside ") + mark, intel_machine, {without_nvml, written(mark)}});
  return all;
}

inline std::vector<named_machine> all_machines() {
  std::vector<named_machine> all;
  for (const auto& group :
       {machines_with_links(), sleeping_machines(), machines_with_bad_places(),
        machines_with_a_quota(), machines_with_bad_settings(), machines_that_save_power(),
        machines_with_drivers(), machines_with_regions(), machines_in_places()})
    all.insert(all.end(), group.begin(), group.end());
  return all;
}

}  // namespace bench_transfers::doctor
