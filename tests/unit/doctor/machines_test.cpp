// Made-up machines, and exactly what is found on each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "src/doctor/checks/diagnose.hpp"
#include "src/doctor/report/document.hpp"
#include "src/doctor/report/text.hpp"
#include "tests/unit/doctor/made_up_machine.hpp"

namespace bench_transfers::doctor::machines_test {
namespace {

using testing::HasSubstr;
using code_list = std::vector<std::string>;

struct made_up_case {
  std::string name;
  std::function<made_up_machine()> make;
  code_list findings = {};
  code_list unknowns = {};
  verdict expected = verdict::findings;
};

/// A case that changes a healthy machine.
template <class Change>
made_up_case changed(const std::string& name, made_up_machine (*base)(), Change change,
                     code_list findings, code_list unknowns = {}) {
  return {name,
          [=] {
            auto machine = base();
            change(machine);
            return machine;
          },
          std::move(findings), std::move(unknowns)};
}

made_up_case expecting(made_up_case described, verdict expected) {
  described.expected = expected;
  return described;
}

made_up_monitor& monitor(made_up_machine& machine) { return *machine.gpus.front().monitor; }
gpu_facts& gpu(made_up_machine& machine) { return machine.gpus.front().facts; }

std::vector<made_up_case> healthy_machines() {
  return {
      {"intel", intel_machine, {}, {}, verdict::healthy},
      {"amd", amd_machine, {}, {}, verdict::healthy},
      {"virtual_machine",
       virtual_machine,
       {},
       {"path_hidden", "virtual_machine"},
       verdict::healthy},
      {"two_gpus_without_acs", [] { return two_gpus(0); }, {}, {}, verdict::healthy},
      expecting(changed("coherent_link", intel_machine,
                        [](auto& machine) {
                          gpu(machine).on_pcie = false;
                          machine.write_link("0000:11:00.0", 1, 1);
                        },
                        {}),
                verdict::healthy),
      expecting(changed("link_known_to_the_driver_alone", intel_machine,
                        [](auto& machine) {
                          machine.remove("sys/bus");
                          gpu(machine).node.cuda = 0;
                          monitor(machine).set.link = {5, 16, 5, 16};
                        },
                        {}, {"path_hidden", "files_hidden"}),
                verdict::healthy),
  };
}

std::vector<made_up_case> slow_links() {
  return {
      changed("generation_3_in_a_generation_5_slot", intel_machine,
              [](auto& machine) {
                machine.write_link("0000:10:01.0", 3, 16);
                machine.write_link("0000:11:00.0", 3, 16);
              },
              {"link_generation"}),
      expecting(changed("link_asleep", intel_machine,
                        [](auto& machine) {
                          machine.write_link("0000:11:00.0", 1, 16);
                          gpu(machine).under_load = false;
                        },
                        {}, {"link_asleep"}),
                verdict::not_known),
      changed("eight_lanes", intel_machine,
              [](auto& machine) { machine.write_link("0000:11:00.0", 5, 8); }, {"link_width"}),
      changed("eight_lanes_told_by_the_driver_alone", intel_machine,
              [](auto& machine) {
                machine.remove("sys/bus");
                gpu(machine).node.cuda = 0;
                monitor(machine).set.link = {5, 8, 5, 16};
              },
              {"link_width"}, {"path_hidden", "files_hidden"}),
      changed("slot_of_generation_4", intel_machine,
              [](auto& machine) {
                machine.write_link("0000:10:01.0", 4, 16, 4);
                machine.write_link("0000:11:00.0", 4, 16);
              },
              {"slot_limit"}),
      changed("switch_in_a_narrow_slot", amd_machine,
              [](auto& machine) {
                machine.write_link("0000:c0:01.1", 5, 8, 5, 8);
                machine.write_link("0000:c1:00.0", 5, 8);
              },
              {"upstream_limit"}),
      changed("switch_with_lost_lanes", amd_machine,
              [](auto& machine) {
                machine.write_link("0000:c0:01.1", 5, 4);
                machine.write_link("0000:c1:00.0", 5, 4);
              },
              {"link_width"}),
      expecting(changed("link_hidden", intel_machine,
                        [](auto& machine) {
                          machine.remove("sys/bus");
                          gpu(machine).node.cuda = 0;
                        },
                        {}, {"link_hidden", "path_hidden", "files_hidden"}),
                verdict::not_known),
      changed("iommu_translates", amd_machine,
              [](auto& machine) {
                machine.write(made_up_machine::device_file("0000:c3:00.0", "iommu_group/type"),
                              "DMA-FQ\n");
              },
              {"iommu_translation"}),
      {"acs_redirects", [] { return two_gpus(0b1'1101); }, {"acs_redirect", "acs_redirect"}},
      expecting(changed(
                    "acs_for_root_alone", [] { return two_gpus(0); },
                    [](auto& machine) {
                      machine.write(made_up_machine::device_file("0000:c2:01.0", "config"),
                                    std::string(64, '\0'));
                    },
                    {}, {"acs_hidden"}),
                verdict::healthy),
      changed("replays", intel_machine,
              [](auto& machine) {
                monitor(machine).clocks.pcie_replays = 1234;
                monitor(machine).replays_between_readings = 2;
              },
              {"pcie_replays"}),
      changed("aspm", intel_machine,
              [](auto& machine) {
                machine.write(made_up_machine::device_file("0000:11:00.0", "link/l1_aspm"), "1\n");
              },
              {"power_saving"}),
      expecting(changed("tunnel", amd_machine,
                        [](auto& machine) { machine.write_link("0000:c0:01.1", 1, 1, 1, 1); }, {},
                        {"tunnelled_link"}),
                verdict::not_known),
      changed("slow_copies", intel_machine,
              [](auto& machine) {
                machine.copies = {{"cuda:0", direction::h2d, 1 << 26, 55.4},
                                  {"cuda:0", direction::d2h, 1 << 26, 30.0}};
              },
              {"copies_below_link"}),
  };
}

std::vector<made_up_case> bad_places() {
  return {
      changed("bound_to_the_other_node", intel_machine,
              [](auto& machine) {
                machine.process.usable_cpus = cpus_from(8, 15);
                machine.process.policy = {machine::memory_policy::mode::bind, {1}};
              },
              {"numa_cpus_far", "numa_memory_far"}),
      changed("cpuset_of_the_other_node", intel_machine,
              [](auto& machine) {
                machine.process.usable_cpus = cpus_from(8, 15);
                machine.process.policy = machine::memory_policy{};
                machine.write("proc/self/status", "Mems_allowed_list:\t1\n");
              },
              {"numa_cpus_far", "numa_memory_far"}),
      changed("not_bound", intel_machine,
              [](auto& machine) {
                machine.process.usable_cpus = cpus_from(0, 15);
                machine.process.policy = machine::memory_policy{};
              },
              {"numa_unbound"}),
      expecting(
          changed("kernel_and_driver_disagree", intel_machine,
                  [](auto& machine) { gpu(machine).node.cuda = 1; }, {}, {"numa_node_hidden"}),
          verdict::healthy),
      changed("four_nodes_of_a_socket", amd_machine,
              [](auto& machine) {
                machine.add_cpus(32, 32);
                machine.write("sys/devices/system/node/online", "0-3\n");
                for (int node = 1; node < 4; ++node) machine.add_node(node);
              },
              {"nodes_per_socket"}),
      changed("numa_balancing", intel_machine,
              [](auto& machine) { machine.write("proc/sys/kernel/numa_balancing", "1\n"); },
              {"numa_balancing"}),
      changed("two_cpus", amd_machine,
              [](auto& machine) { machine.process.usable_cpus = cpus_from(0, 1); }, {"few_cpus"}),
      changed("cpu_quota", amd_machine,
              [](auto& machine) { machine.write("sys/fs/cgroup/cpu.max", "150000 100000\n"); },
              {"cpu_quota"}),
      changed("memory_limit", amd_machine,
              [](auto& machine) { machine.write("sys/fs/cgroup/memory.max", "17179869184\n"); },
              {"memory_limit"}),
  };
}

std::vector<made_up_case> bad_settings_of_the_host() {
  return {
      changed("governor", intel_machine,
              [](auto& machine) {
                machine.write("sys/devices/system/cpu/cpu3/cpufreq/scaling_governor",
                              "powersave\n");
              },
              {"cpu_governor"}),
      changed("cpu_clock_limit", intel_machine,
              [](auto& machine) {
                machine.write("sys/devices/system/cpu/cpu3/cpufreq/scaling_max_freq", "2000000\n");
              },
              {"cpu_clock_limit"}),
      changed("no_turbo", intel_machine,
              [](auto& machine) {
                machine.write("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
              },
              {"cpu_boost_off"}),
      changed("busy", amd_machine,
              [](auto& machine) { machine.write("proc/loadavg", "7.00 6.00 5.00 8/99 1234\n"); },
              {"other_load"}),
      changed("no_huge_pages", intel_machine,
              [](auto& machine) {
                machine.write("sys/kernel/mm/transparent_hugepage/enabled",
                              "always madvise [never]\n");
              },
              {"huge_pages_off"}),
      changed("memlock", intel_machine,
              [](auto& machine) { machine.process.memlock_limit_bytes = 8 << 20; },
              {"memlock_limit"}),
      expecting(changed("memlock_of_root", intel_machine,
                        [](auto& machine) {
                          machine.process.memlock_limit_bytes = 8 << 20;
                          machine.write("proc/self/status", "CapEff:\t000001ffffffffff\n");
                        },
                        {}),
                verdict::healthy),
      changed("confidential_guest", virtual_machine,
              [](auto& machine) { machine.write("proc/cpuinfo", "flags : fpu tdx_guest\n"); },
              {"confidential_computing"}, {"path_hidden", "virtual_machine"}),
  };
}

std::vector<made_up_case> bad_settings_of_the_gpu() {
  return {
      changed("persistence", intel_machine,
              [](auto& machine) { monitor(machine).set.persistence = false; }, {"persistence_off"}),
      changed("locked_clocks", intel_machine,
              [](auto& machine) { monitor(machine).clocks.sm_mhz = 1200; }, {"clocks_limited"}),
      expecting(changed("idle_clocks", intel_machine,
                        [](auto& machine) {
                          monitor(machine).clocks.sm_mhz = 345;
                          gpu(machine).under_load = false;
                        },
                        {}),
                verdict::healthy),
      changed("application_clocks", intel_machine,
              [](auto& machine) { monitor(machine).set.application_sm_mhz = 1200; },
              {"clocks_limited"}),
      changed("power_limit", intel_machine,
              [](auto& machine) { monitor(machine).set.power_limit_mw = 300'000; },
              {"power_limit"}),
      changed("too_hot", intel_machine,
              [](auto& machine) {
                monitor(machine).clocks.sm_mhz = 900;
                monitor(machine).clocks.throttled_by = {"hw_thermal_slowdown"};
              },
              {"gpu_throttled"}),
      expecting(changed("past_errors", intel_machine,
                        [](auto& machine) { monitor(machine).set.uncorrected_errors = 3; }, {},
                        {"past_errors"}),
                verdict::healthy),
      changed("rows_to_remap", intel_machine,
              [](auto& machine) { monitor(machine).set.rows_to_remap = true; }, {"ecc_errors"}),
      expecting(changed("ecc_off", intel_machine,
                        [](auto& machine) {
                          monitor(machine).set.ecc = false;
                          monitor(machine).set.uncorrected_errors = {};
                        },
                        {}, {"ecc_off"}),
                verdict::healthy),
      changed("mig", intel_machine, [](auto& machine) { monitor(machine).divided = true; },
              {"mig_instance"}),
      changed("confidential_gpu", intel_machine,
              [](auto& machine) { monitor(machine).set.confidential = true; },
              {"confidential_computing"}),
      expecting(changed("no_nvml", intel_machine,
                        [](auto& machine) { machine.gpus.front().monitor = nullptr; }, {},
                        {"nvml_missing"}),
                verdict::healthy),
  };
}

std::vector<made_up_case> bad_drivers() {
  return {
      changed("old_driver", intel_machine,
              [](auto& machine) { gpu(machine).driver_cuda_version = "12.9"; },
              {"driver_older_than_runtime"}),
      expecting(changed("newer_driver", intel_machine,
                        [](auto& machine) {
                          gpu(machine).driver_cuda_version = "13.10";
                          gpu(machine).runtime_cuda_version = "13.9";
                        },
                        {}),
                verdict::healthy),
      changed("forward_compatibility", intel_machine,
              [](auto& machine) {
                machine.write("sys/module/nvidia/version", "535.129.03\n");
                machine.write(
                    "proc/self/maps",
                    "7f00-7f01 r-xp 0 08:01 5 /usr/local/cuda/compat/libcuda.so.580.65.06\n");
              },
              {"forward_compatibility"}),
      expecting(changed("library_of_the_driver", intel_machine,
                        [](auto& machine) {
                          machine.write("proc/self/maps",
                                        "7f00-7f01 r-xp 0 08:01 5 /usr/lib/libcuda.so.580.65.06\n");
                        },
                        {}),
                verdict::healthy),
      changed("gpu_without_a_driver", intel_machine,
              [](auto& machine) {
                machine.why_no_cuda = "no driver";
                machine.gpus.front().monitor = nullptr;
              },
              {"cuda_unusable"}, {"nvml_missing"}),
      expecting(changed("no_gpu", amd_machine,
                        [](auto& machine) {
                          machine.why_no_cuda = "no driver";
                          machine.gpus.clear();
                          machine.write("sys/devices/system/cpu/cpufreq/boost", "0\n");
                        },
                        {"cpu_boost_off"}, {"no_gpu"}),
                verdict::not_known),
      {"nothing_at_all",
       [] { return made_up_machine(); },
       {},
       {"no_gpu", "files_hidden"},
       verdict::not_known},
  };
}

std::vector<made_up_case> all_cases() {
  std::vector<made_up_case> all;
  for (const auto& group : {healthy_machines(), slow_links(), bad_places(),
                            bad_settings_of_the_host(), bad_settings_of_the_gpu(), bad_drivers()})
    all.insert(all.end(), group.begin(), group.end());
  return all;
}

template <class Entries>
code_list codes_of(const Entries& entries) {
  code_list list;
  for (const auto& entry : entries) list.push_back(entry.code);
  return list;
}

class doctor_machines : public testing::TestWithParam<made_up_case> {};

TEST_P(doctor_machines, exactly_their_own_codes_are_found) {
  const auto facts = GetParam().make().collect();
  const auto found = diagnose(facts);
  EXPECT_EQ(codes_of(found.findings), GetParam().findings);
  EXPECT_EQ(codes_of(found.unknowns), GetParam().unknowns);
  EXPECT_EQ(conclude(found), GetParam().expected);
}

TEST_P(doctor_machines, every_answer_has_evidence_and_a_remedy) {
  const auto facts = GetParam().make().collect();
  const auto found = diagnose(facts);
  const auto text = text_of(facts, found);
  const auto document = document_of(facts, found);
  for (const auto& entry : found.findings) {
    EXPECT_TRUE(entry.evidence.is_object() && !entry.evidence.empty()) << entry.code;
    EXPECT_FALSE(entry.fix.text.empty() || entry.fix.command.empty()) << entry.code;
    EXPECT_TRUE(!entry.cost || !entry.cost->reference.empty()) << entry.code;
    EXPECT_TRUE(!entry.cost || (entry.cost->most_lost > 0 && entry.cost->most_lost < 1));
    EXPECT_EQ(entry.what.find('\n'), std::string::npos);
    EXPECT_THAT(text, HasSubstr(entry.code));
    EXPECT_THAT(text, HasSubstr("$ " + entry.fix.command + "\n"));
  }
  for (const auto& entry : found.unknowns) {
    EXPECT_TRUE(entry.evidence.is_object()) << entry.code;
    EXPECT_FALSE(entry.fix.text.empty()) << entry.code;
    EXPECT_THAT(text, HasSubstr(entry.code));
  }
  EXPECT_EQ(document.at("findings").size(), found.findings.size());
  EXPECT_EQ(document.at("cannot_be_known").size(), found.unknowns.size());
  EXPECT_EQ(document.at("verdict"), to_string(GetParam().expected));
}

INSTANTIATE_TEST_SUITE_P(all, doctor_machines, testing::ValuesIn(all_cases()),
                         [](const auto& described) { return described.param.name; });

/// The codes in the tables of docs/DOCTOR.md: rows that begin with "| `code` |".
std::set<std::string> documented_codes() {
  std::ifstream page(PROJECT_DIR "/docs/DOCTOR.md");
  std::set<std::string> list;
  for (std::string line; std::getline(page, line);)
    if (line.starts_with("| `")) list.insert(line.substr(3, line.find('`', 3) - 3));
  return list;
}

TEST(doctor_page, has_a_row_for_every_code_that_some_machine_has_and_no_others) {
  std::set<std::string> expected{"not_measured"};  // tests/unit/doctor/answers_test.cpp
  for (const auto& described : all_cases()) {
    expected.insert(described.findings.begin(), described.findings.end());
    expected.insert(described.unknowns.begin(), described.unknowns.end());
  }
  EXPECT_EQ(documented_codes(), expected);
}

}  // namespace
}  // namespace bench_transfers::doctor::machines_test
