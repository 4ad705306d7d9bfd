// Kinds of mistakes that the doctor must not make, each with every case that is known of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "src/doctor/checks/diagnose.hpp"
#include "src/doctor/path_links.hpp"
#include "src/doctor/report/document.hpp"
#include "src/doctor/report/text.hpp"
#include "src/topology/pci_links.hpp"
#include "tests/unit/doctor/made_up_machine.hpp"

namespace bench_transfers::doctor::kinds_test {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using code_list = std::vector<std::string>;

made_up_monitor& monitor(made_up_machine& machine) { return *machine.gpus.front().monitor; }
gpu_facts& gpu(made_up_machine& machine) { return machine.gpus.front().facts; }

template <class Entries>
code_list codes_of(const Entries& entries) {
  code_list list;
  for (const auto& entry : entries) list.push_back(entry.code);
  return list;
}

struct changed_machine {
  std::string name;
  std::function<void(made_up_machine&)> change;
};

// A limit below what runs or was measured is no limit.

const std::vector<changed_machine> ports_without_a_speed{
    {"generation_1_x1_as_of_qemu",
     [](auto& machine) { machine.write_link("0000:10:01.0", 1, 1, 1, 1); }},
    {"fewer_lanes", [](auto& machine) { machine.write_link("0000:10:01.0", 5, 1, 5, 1); }},
    {"lower_generation", [](auto& machine) { machine.write_link("0000:10:01.0", 2, 16, 2, 32); }},
};

TEST(doctor_kinds, ports_that_can_do_less_than_the_gpu_does_now_are_no_limit) {
  for (const bool is_guest : {true, false})
    for (const auto& [name, change] : ports_without_a_speed) {
      auto machine = intel_machine();
      change(machine);
      if (is_guest) machine.process.hypervisor = "KVM";
      machine.copies = {{"cuda:0", direction::h2d, 1 << 26, 52.1}};
      const auto facts = machine.collect();
      const auto found = diagnose(facts);
      EXPECT_THAT(codes_of(found.findings), IsEmpty()) << name;
      EXPECT_EQ(conclude(found), verdict::healthy) << name;
      const auto links = links_of(facts, facts.gpus.front());
      EXPECT_EQ(links.size(), 1U);
      EXPECT_EQ(links.back().most, (topology::link_rate{5, 16})) << name;
    }
}

TEST(doctor_kinds, a_port_of_a_guest_is_no_limit_while_the_gpu_sleeps_either) {
  auto machine = intel_machine();
  machine.process.hypervisor = "KVM";
  machine.write_link("0000:10:01.0", 1, 1, 1, 1);
  machine.write_link("0000:11:00.0", 1, 1);
  gpu(machine).under_load = false;
  const auto found = diagnose(machine.collect());
  EXPECT_THAT(codes_of(found.findings), IsEmpty());
  EXPECT_THAT(codes_of(found.unknowns), testing::Contains("link_asleep"));
}

const std::vector<changed_machine> tunnels{
    {"of_usb4_whose_ends_differ",
     [](auto& machine) {
       machine.write_link("0000:c0:01.1", 1, 1, 1, 1);
       machine.write_link("0000:c1:00.0", 1, 4, 3, 4);
     }},
    {"of_thunderbolt_with_a_slow_lower_end",
     [](auto& machine) {
       machine.write_link("0000:c0:01.1", 1, 4, 3, 4);
       machine.write_link("0000:c1:00.0", 1, 4, 1, 4);
     }},
    {"that_is_alike_at_both_ends",
     [](auto& machine) {
       machine.write_link("0000:c0:01.1", 1, 4, 1, 4);
       machine.write_link("0000:c1:00.0", 1, 4, 1, 4);
     }},
};

TEST(doctor_kinds, a_tunnel_is_no_limit_and_hides_the_bottleneck) {
  for (const auto& [name, change] : tunnels) {
    auto machine = amd_machine();
    change(machine);
    machine.write_link("0000:c2:00.0", 3, 4, 3, 4);
    machine.write_link("0000:c3:00.0", 3, 4, 4, 16);
    machine.copies = {{"cuda:0", direction::h2d, 1 << 26, 2.9},
                      {"cuda:0", direction::d2h, 1 << 26, 2.2}};
    const auto facts = machine.collect();
    const auto found = diagnose(facts);
    EXPECT_THAT(codes_of(found.findings), IsEmpty()) << name;
    EXPECT_EQ(codes_of(found.unknowns), code_list{"tunnelled_link"}) << name;
    EXPECT_THAT(found.unknowns.at(0).what,
                AllOf(HasSubstr("2.9 GB/s to the GPU, 2.2 GB/s to the host"), HasSubstr("USB4")));
    const auto document = document_of(facts, found);
    for (const auto& link : document.at("gpus").at(0).at("links"))
      EXPECT_EQ(link.at("bottleneck"), false) << name;
    EXPECT_TRUE(document.at("gpus").at(0).at("links").at(0).at("limit_gb_per_s").is_null());
    EXPECT_THAT(text_of(facts, found), Not(HasSubstr("the narrowest")));
  }
}

TEST(doctor_kinds, a_link_that_carried_more_than_it_says_is_no_limit) {
  auto machine = intel_machine();
  machine.write_link("0000:10:01.0", 1, 16);
  machine.write_link("0000:11:00.0", 1, 16);
  machine.copies = {{"cuda:0", direction::h2d, 1 << 26, 4.1}};
  EXPECT_THAT(codes_of(diagnose(machine.collect()).findings), IsEmpty());
  machine.copies.front().gb_per_s = 3.9;
  EXPECT_EQ(codes_of(diagnose(machine.collect()).findings), code_list{"link_generation"});
}

// What sleep lowers and what counters say decides nothing.

const std::vector<changed_machine> idle_states{
    {"generation", [](auto& machine) { machine.write_link("0000:11:00.0", 1, 16); }},
    {"width", [](auto& machine) { machine.write_link("0000:11:00.0", 5, 1); }},
    {"both", [](auto& machine) { machine.write_link("0000:11:00.0", 1, 1); }},
    {"clocks", [](auto& machine) { monitor(machine).clocks.sm_mhz = 210; }},
    {"throttling", [](auto& machine) { monitor(machine).clocks.throttled_by = {"sw_power_cap"}; }},
    {"replays",
     [](auto& machine) {
       monitor(machine).clocks.pcie_replays = 7;
       monitor(machine).replays_between_readings = 1;
     }},
};

TEST(doctor_kinds, nothing_that_is_read_of_an_idle_gpu_is_a_finding) {
  for (const auto& [name, change] : idle_states) {
    auto machine = intel_machine();
    change(machine);
    gpu(machine).under_load = false;
    EXPECT_THAT(codes_of(diagnose(machine.collect()).findings), IsEmpty()) << name;
  }
}

TEST(doctor_kinds, a_sleeping_link_is_one_question) {
  auto machine = intel_machine();
  machine.write_link("0000:11:00.0", 1, 1);
  gpu(machine).under_load = false;
  const auto found = diagnose(machine.collect());
  EXPECT_EQ(codes_of(found.unknowns), code_list{"link_asleep"});
  EXPECT_EQ(conclude(found), verdict::not_known);
}

const std::vector<changed_machine> old_counters{
    {"replays", [](auto& machine) { monitor(machine).clocks.pcie_replays = 1234; }},
    {"uncorrected_errors", [](auto& machine) { monitor(machine).set.uncorrected_errors = 3; }},
};

TEST(doctor_kinds, counters_that_do_not_rise_are_no_findings) {
  for (const auto& [name, change] : old_counters) {
    auto machine = intel_machine();
    change(machine);
    const auto found = diagnose(machine.collect());
    EXPECT_THAT(codes_of(found.findings), IsEmpty()) << name;
    EXPECT_EQ(codes_of(found.unknowns), code_list{"past_errors"}) << name;
    EXPECT_EQ(conclude(found), verdict::healthy) << name;
  }
}

TEST(doctor_kinds, counters_that_rise_while_the_gpu_copies_are_findings) {
  auto machine = intel_machine();
  monitor(machine).clocks.pcie_replays = 1234;
  gpu(machine).counters_before = gpu_counters{1200U, 0ULL};
  const auto found = diagnose(machine.collect());
  ASSERT_EQ(codes_of(found.findings), code_list{"pcie_replays"});
  EXPECT_EQ(found.findings.front().evidence.at("replays"), 34);
  monitor(machine).clocks.pcie_replays = 1200;
  monitor(machine).set.uncorrected_errors = 2;
  EXPECT_EQ(codes_of(diagnose(machine.collect()).findings), code_list{"ecc_errors"});
}

// Only what is a version of a driver is compared with one.

TEST(doctor_kinds, names_of_libraries_that_are_no_versions_say_nothing) {
  for (const auto* file : {
           "/usr/lib/aarch64-linux-gnu/nvidia/libcuda.so.1.1",
           "/usr/lib/aarch64-linux-gnu/tegra/libcuda.so.1.1",
           "/usr/lib/wsl/drivers/nv_dispi.inf_amd64_0123/libcuda.so.1.1",
           "/usr/lib/libcuda.so.580.65.06 (deleted)",
           "/usr/lib/libcuda.so.1",
       }) {
    auto machine = intel_machine();
    machine.write("proc/self/maps", std::string("7f00-7f01 r-xp 0 08:01 5      ") + file + "\n");
    EXPECT_THAT(codes_of(diagnose(machine.collect()).findings), IsEmpty()) << file;
  }
}

// A remedy is possible where it is given.

/// Settings of the host, the driver and the hardware, each of which is wrong.
void break_everything(made_up_machine& machine) {
  machine.write_link("0000:10:01.0", 3, 8);
  machine.write_link("0000:11:00.0", 3, 8);
  machine.write("sys/devices/system/cpu/cpu3/cpufreq/scaling_governor", "powersave\n");
  machine.write("proc/sys/kernel/numa_balancing", "1\n");
  machine.write("proc/self/maps", "7f00-7f01 r-xp 0 08:01 5 /usr/lib/libcuda.so.590.10\n");
  machine.write(made_up_machine::device_file("0000:11:00.0", "iommu_group/type"), "DMA-FQ\n");
  monitor(machine).set.power_limit_mw = 300'000;
}

const code_list broken{"link_width",           "link_generation",   "power_limit",
                       "numa_balancing",       "iommu_translation", "cpu_governor",
                       "forward_compatibility"};

struct place_case {
  std::string name;
  std::function<void(made_up_machine&)> change;
  std::string begin;  ///< of what cannot be done here
  code_list elsewhere;
};

const std::vector<place_case> places{
    {"docker", [](auto& machine) { machine.write(".dockerenv", ""); },
     "On the container's host: ", broken},
    {"virtual_machine",
     [](auto& machine) { machine.process.hypervisor = "KVM"; },
     "On the virtual machine's host: ",
     {"link_width", "link_generation"}},
    {"wsl",
     [](auto& machine) {
       machine.process.hypervisor = "Hyper-V";
       machine.write("proc/sys/kernel/osrelease", "5.15.167.4-microsoft-standard-WSL2\n");
     },
     "In Windows, outside of WSL: ",
     {"link_width", "link_generation", "power_limit", "forward_compatibility"}},
    {"container_in_wsl",
     [](auto& machine) {
       machine.process.hypervisor = "Hyper-V";
       machine.write(".dockerenv", "");
       machine.write("proc/sys/kernel/osrelease", "5.15.167.4-microsoft-standard-WSL2\n");
     },
     "In Windows, outside of WSL: ",
     {"link_width", "link_generation", "power_limit", "forward_compatibility"}},
};

TEST(doctor_kinds, remedies_say_where_they_are_possible) {
  for (const auto& [name, change, begin, elsewhere] : places) {
    auto machine = intel_machine();
    break_everything(machine);
    change(machine);
    const auto found = diagnose(machine.collect());
    EXPECT_THAT(codes_of(found.findings), testing::UnorderedElementsAreArray(broken)) << name;
    for (const auto& finding : found.findings) {
      const bool is_elsewhere = std::ranges::find(elsewhere, finding.code) != elsewhere.end();
      EXPECT_EQ(finding.fix.text.starts_with(begin), is_elsewhere)
          << name << ": " << finding.code << ": " << finding.fix.text;
      if (begin.starts_with("In Windows") && is_elsewhere) {
        EXPECT_EQ(finding.fix.command, "") << "of Linux: " << finding.code;
      }
    }
  }
}

TEST(doctor_kinds, wsl_is_named_in_a_container_as_well) {
  auto machine = virtual_machine();
  machine.process.hypervisor = "Hyper-V";
  machine.write(".dockerenv", "");
  machine.write("proc/sys/kernel/osrelease", "5.15.167.4-microsoft-standard-WSL2\n");
  const auto found = diagnose(machine.collect());
  const auto& guest = found.unknowns.back();
  EXPECT_EQ(guest.code, "virtual_machine");
  EXPECT_EQ(guest.evidence.at("wsl"), true);
  EXPECT_THAT(guest.what, HasSubstr("pin"));
}

TEST(doctor_kinds, drivers_are_installed_as_the_distribution_does) {
  const std::vector<std::pair<std::string, std::string>> commands{
      {"ID=debian\n", "apt-get install nvidia-driver"},
      {"ID=ubuntu\nID_LIKE=debian\n", "ubuntu-drivers install"},
      {"ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", "dnf install cuda-drivers"},
      {"ID=\"sles\"\nID_LIKE=\"suse\"\n", "zypper install cuda-drivers"},
      {"ID=arch\n", "cat /proc/driver/nvidia/version"},
  };
  for (const auto& [release, command] : commands) {
    auto machine = intel_machine();
    machine.write("etc/os-release", release);
    gpu(machine).driver_cuda_version = "12.0";
    const auto found = diagnose(machine.collect());
    ASSERT_EQ(codes_of(found.findings), code_list{"driver_older_than_runtime"});
    EXPECT_EQ(found.findings.front().fix.command, command) << release;
  }
  auto jetson = intel_machine();
  jetson.write("etc/os-release", "ID=ubuntu\nID_LIKE=debian\n");
  jetson.write("etc/nv_tegra_release", "# R36\n");
  gpu(jetson).driver_cuda_version = "12.0";
  EXPECT_EQ(diagnose(jetson.collect()).findings.at(0).fix.command,
            "apt-get install nvidia-jetpack");
}

TEST(doctor_kinds, the_iommu_has_the_argument_of_its_processor) {
  for (const bool arm : {false, true}) {
    auto machine = amd_machine();
    machine.write("etc/os-release", "ID=debian\n");
    if (arm) machine.write("proc/cpuinfo", "CPU implementer : 0x41\n");
    machine.write(made_up_machine::device_file("0000:c3:00.0", "iommu_group/type"), "DMA\n");
    EXPECT_THAT(
        diagnose(machine.collect()).findings.at(0).fix.command,
        AllOf(HasSubstr(arm ? "iommu.passthrough=1" : "iommu=pt"), HasSubstr("update-grub")));
  }
}

TEST(doctor_kinds, containers_are_given_things_as_their_engine_does) {
  const std::vector<std::pair<std::string, std::string>> marks{
      {".dockerenv", "docker run"},
      {"run/.containerenv", "podman run"},
      {".singularity.d/x", "apptainer"},
      {"run/secrets/kubernetes.io/x", "kubectl"}};
  for (const auto& [mark, command] : marks) {
    auto machine = intel_machine();
    machine.write(mark, "");
    machine.gpus.front().monitor = nullptr;
    EXPECT_THAT(diagnose(machine.collect()).unknowns.at(0).fix.command, StartsWith(command));
  }
  auto machine = intel_machine();
  machine.gpus.front().monitor = nullptr;
  EXPECT_THAT(diagnose(machine.collect()).unknowns.at(0).fix.command, Not(HasSubstr("docker")));
}

TEST(doctor_kinds, a_program_without_nvml_does_not_blame_the_driver) {
  auto machine = intel_machine();
  machine.gpus.front().monitor = nullptr;
  machine.process.built_with_nvml = false;
  const auto found = diagnose(machine.collect());
  ASSERT_EQ(codes_of(found.unknowns), code_list{"nvml_missing"});
  EXPECT_THAT(found.unknowns.front().what,
              AllOf(HasSubstr("nvml.h"), Not(HasSubstr("does not answer"))));
  EXPECT_THAT(found.unknowns.front().fix.text, HasSubstr("nvml.h"));
}

TEST(doctor_kinds, a_soldered_gpu_is_not_moved) {
  auto machine = intel_machine();
  machine.write("sys/class/dmi/id/chassis_type", "10\n");
  machine.write_link("0000:10:01.0", 4, 8, 4, 8);
  machine.write_link("0000:11:00.0", 3, 4);
  for (const auto& finding : diagnose(machine.collect()).findings)
    EXPECT_THAT(finding.fix.text, AllOf(Not(HasSubstr("eseat")), Not(HasSubstr("Put the card"))));
}

/// Four nodes of one socket, as of a Threadripper in NPS4: two have CPUs and no memory.
made_up_machine nodes_without_memory() {
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

TEST(doctor_kinds, a_node_without_memory_is_not_bound_to) {
  auto machine = nodes_without_memory();
  machine.process.usable_cpus = cpus_from(0, 15);
  const auto found = diagnose(machine.collect());
  ASSERT_THAT(codes_of(found.findings), testing::Contains("numa_unbound"));
  EXPECT_EQ(found.findings.front().code, "numa_unbound");
  EXPECT_EQ(found.findings.front().fix.command, "numactl --cpunodebind=0 --membind=1 PROGRAM");
  for (const auto& finding : found.findings)
    if (finding.code == "nodes_per_socket") {
      EXPECT_EQ(finding.fix.command, "numactl --interleave=1,2 PROGRAM");
    }
}

TEST(doctor_kinds, memory_beside_a_node_without_memory_is_near) {
  auto machine = nodes_without_memory();
  machine.process.policy = {machine::memory_policy::mode::bind, {1}};
  EXPECT_THAT(codes_of(diagnose(machine.collect()).findings),
              Not(testing::Contains("numa_memory_far")));
  machine.process.policy = {machine::memory_policy::mode::bind, {2}};
  EXPECT_THAT(codes_of(diagnose(machine.collect()).findings), testing::Contains("numa_memory_far"));
}

TEST(doctor_kinds, a_node_without_cpus_is_not_bound_to) {
  auto machine = intel_machine();
  machine.write("sys/devices/system/node/node0/cpulist", "\n");
  machine.write("sys/devices/system/node/node0/distance", "10 20\n");
  machine.process.policy = {machine::memory_policy::mode::bind, {1}};
  machine.process.usable_cpus = cpus_from(8, 15);
  const auto found = diagnose(machine.collect());
  ASSERT_EQ(codes_of(found.findings), code_list{"numa_memory_far"});
  EXPECT_EQ(found.findings.front().fix.command, "numactl --cpunodebind=1 --membind=0 PROGRAM");
}

TEST(doctor_kinds, a_near_node_has_no_cost_of_a_far_one) {
  auto machine = nodes_without_memory();
  for (const auto* node : {"node0", "node1", "node2", "node3"})
    machine.write(std::string("sys/devices/system/node/") + node + "/distance", "10 12 12 12\n");
  machine.process.usable_cpus = cpus_from(0, 15);
  EXPECT_FALSE(diagnose(machine.collect()).findings.front().cost);
}

// Why CUDA cannot use a GPU is in sysfs.

TEST(doctor_kinds, the_driver_that_holds_a_gpu_is_named) {
  for (const auto* driver : {"vfio-pci", "pci-stub", "nouveau", "nova_core", "xe-unknown"}) {
    auto machine = intel_machine();
    machine.why_no_cuda = "no driver";
    machine.bind("0000:11:00.0", driver);
    const auto found = diagnose(machine.collect());
    ASSERT_EQ(codes_of(found.findings), code_list{"cuda_unusable"}) << driver;
    const auto& held = found.findings.front();
    EXPECT_EQ(held.evidence.at("bound_driver"), driver);
    EXPECT_THAT(held.what, HasSubstr(driver));
    EXPECT_THAT(held.fix.command, HasSubstr(driver)) << "modprobe nvidia does not change that";
  }
}

TEST(doctor_kinds, memory_regions_without_addresses_are_named) {
  const std::string address = "0x00000000fc000000 0x00000000fcffffff 0x0000000000040200\n";
  const std::string none = "0x0000000000000000 0x0000000000000000 0x000000000014220c\n";
  const std::string unset = "0x0000000000000000 0x0000000fffffffff 0x000000002014220c\n";
  const std::string unused = "0x0000000000000000 0x0000000000000000 0x0000000000000000\n";
  const std::string ports = "0x0000000000000000 0x0000000000000000 0x0000000000040101\n";
  const std::vector<std::pair<std::string, std::vector<int>>> files{
      {address + none + unused + unset + unused + unused, {1, 3}},
      {address + address + unused + address + unused + ports + none, {}},
      {"", {}},
  };
  for (const auto& [content, bars] : files) {
    auto machine = intel_machine();
    machine.why_no_cuda = "no driver";
    machine.write(made_up_machine::device_file("0000:11:00.0", "resource"), content);
    const auto found = diagnose(machine.collect());
    ASSERT_EQ(codes_of(found.findings), code_list{"cuda_unusable"});
    EXPECT_EQ(found.findings.front().evidence.at("unassigned_bars"), nlohmann::json(bars));
    EXPECT_EQ(found.findings.front().fix.text.find("4G decoding") != std::string::npos,
              !bars.empty());
  }
}

// Power saving of links and devices is read.

struct saving_case {
  std::string file, content;
  bool saves;
};

TEST(doctor_kinds, power_saving_is_read_and_can_be_switched_off) {
  const auto of_gpu = [](const std::string& file) {
    return made_up_machine::device_file("0000:11:00.0", file);
  };
  const std::string policy = "sys/module/pcie_aspm/parameters/policy";
  const std::vector<saving_case> files{
      {of_gpu("link/l1_aspm"), "1\n", true},
      {of_gpu("link/l0s_aspm"), "1\n", true},
      {of_gpu("link/l1_2_aspm"), "1\n", true},
      {of_gpu("power/control"), "auto\n", true},
      {policy, "default performance powersave [powersupersave]\n", true},
      {policy, "default performance [powersave] powersupersave\n", true},
      {of_gpu("link/l1_aspm"), "0\n", false},
      {of_gpu("power/control"), "on\n", false},
      {policy, "[default] performance powersave powersupersave\n", false},
      // The rule for ports: they stay awake while the GPU does.
      {made_up_machine::device_file("0000:10:01.0", "power/control"), "auto\n", false},
  };
  for (const auto& [file, content, saves] : files) {
    auto machine = intel_machine();
    machine.write(file, content);
    const auto awake = diagnose(machine.collect());
    ASSERT_EQ(codes_of(awake.findings), saves ? code_list{"power_saving"} : code_list{}) << file;
    if (!saves) continue;
    EXPECT_EQ(awake.findings.front().severity, severity::may_slow);
    // A link that is slow while the GPU copies is mended there, not by a screwdriver.
    machine.write_link("0000:10:01.0", 1, 16);
    machine.write_link("0000:11:00.0", 1, 16);
    const auto slow = diagnose(machine.collect());
    ASSERT_EQ(codes_of(slow.findings), code_list{"link_generation"}) << "one cause, one finding";
    EXPECT_THAT(slow.findings.front().what, HasSubstr("power is saved there"));
    EXPECT_THAT(slow.findings.front().fix.command,
                HasSubstr(file.substr(file.rfind("/", file.rfind('/') - 1))));
  }
}

}  // namespace
}  // namespace bench_transfers::doctor::kinds_test
