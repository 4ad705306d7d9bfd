// What the answers say of made-up machines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/doctor/checks/diagnose.hpp"
#include "src/doctor/path_links.hpp"
#include "src/doctor/report/document.hpp"
#include "src/doctor/report/text.hpp"
#include "tests/unit/doctor/made_up_machine.hpp"

namespace bench_transfers::doctor::answers_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using topology::narrowest;

made_up_machine switch_with_lost_lanes() {
  auto machine = amd_machine();
  machine.write_link("0000:c0:01.1", 5, 4);
  machine.write_link("0000:c1:00.0", 5, 4);
  return machine;
}

TEST(doctor_links, are_those_between_ports_and_what_is_below_them) {
  const auto facts = amd_machine().collect();
  const auto links = links_of(facts, facts.gpus.front());
  ASSERT_EQ(links.size(), 2U);
  EXPECT_EQ(links[0].upper, "0000:c0:01.1");
  EXPECT_EQ(links[0].lower, "0000:c1:00.0");
  EXPECT_EQ(links[1].upper, "0000:c2:00.0");
  EXPECT_EQ(links[1].lower, "0000:c3:00.0");
  EXPECT_EQ(narrowest(links), 1U);
}

TEST(doctor_links, the_narrowest_is_the_bottleneck) {
  const auto facts = switch_with_lost_lanes().collect();
  EXPECT_EQ(narrowest(links_of(facts, facts.gpus.front())), 0U);
  const auto document = document_of(facts, diagnose(facts));
  const auto& links = document.at("gpus").at(0).at("links");
  EXPECT_EQ(links.at(0).at("bottleneck"), true);
  EXPECT_EQ(links.at(1).at("bottleneck"), false);
  EXPECT_THAT(text_of(facts, diagnose(facts)),
              HasSubstr("0000:c0:01.1 to 0000:c1:00.0: PCIe 5.0 x4 of 5.0 x16, 15.8 GB/s each way, "
                        "the narrowest"));
}

TEST(doctor_links, none_are_narrowest_without_links) { EXPECT_EQ(narrowest({}), std::nullopt); }

TEST(doctor_answers, the_cost_of_a_link_is_that_of_its_rates) {
  const auto found = diagnose(switch_with_lost_lanes().collect());
  ASSERT_EQ(found.findings.size(), 1U);
  const auto& lanes = found.findings.front();
  EXPECT_EQ(lanes.severity, severity::slows);
  EXPECT_EQ(lanes.gpu, "cuda:0");
  ASSERT_TRUE(lanes.cost);
  EXPECT_DOUBLE_EQ(lanes.cost->most_lost, 0.75);
  EXPECT_EQ(lanes.cost->origin, cost::source::pcie_rates);
  EXPECT_EQ(lanes.evidence.at("lower"), "0000:c1:00.0");
  EXPECT_EQ(lanes.evidence.at("width"), 4);
  EXPECT_EQ(lanes.evidence.at("width_max"), 16);
}

TEST(doctor_answers, of_several_ports_that_redirect_each_is_named) {
  const auto found = diagnose(two_gpus(0b1'1101).collect());
  ASSERT_EQ(found.findings.size(), 2U);
  EXPECT_EQ(found.findings[0].evidence.at("ports").at(0), "0000:c2:00.0");
  EXPECT_EQ(found.findings[1].evidence.at("ports").at(0), "0000:c2:01.0");
  EXPECT_EQ(found.findings[1].gpu, "cuda:1");
}

TEST(doctor_answers, a_policy_for_other_nodes_keeps_memory_away) {
  auto machine = intel_machine();
  machine.process.policy = {machine::memory_policy::mode::interleave, {0, 1}};
  EXPECT_TRUE(diagnose(machine.collect()).findings.empty());
  machine.process.policy = {machine::memory_policy::mode::preferred, {1}};
  const auto found = diagnose(machine.collect());
  ASSERT_EQ(found.findings.size(), 1U);
  EXPECT_EQ(found.findings.front().code, "numa_memory_far");
  EXPECT_EQ(found.findings.front().evidence.at("memory_policy"), "preferred");
}

TEST(doctor_answers, a_cost_that_is_not_known_is_null) {
  auto machine = amd_machine();
  machine.gpus.front().monitor->set.persistence = false;
  const auto facts = machine.collect();
  const auto found = diagnose(facts);
  EXPECT_TRUE(document_of(facts, found).at("findings").at(0).at("cost").is_null());
  EXPECT_THAT(text_of(facts, found), HasSubstr("Cost: not known."));
}

TEST(doctor_answers, name_gpu_and_host) {
  auto machine = amd_machine();
  machine.gpus.front().monitor->set.persistence = false;
  machine.write("sys/devices/system/cpu/cpufreq/boost", "0\n");
  const auto facts = machine.collect();
  const auto document = document_of(facts, diagnose(facts));
  EXPECT_EQ(document.at("findings").at(0).at("gpu"), "cuda:0");
  EXPECT_TRUE(document.at("findings").at(1).at("gpu").is_null());
  EXPECT_EQ(document.at("kind"), "doctor");
  EXPECT_EQ(document.at("format"), 1);
}

TEST(doctor_answers, a_quota_slows_once_it_has_made_threads_wait) {
  auto machine = amd_machine();
  machine.write("sys/fs/cgroup/cpu.max", "150000 100000\n");
  EXPECT_EQ(diagnose(machine.collect()).findings.at(0).severity, severity::may_slow);
  machine.write("sys/fs/cgroup/cpu.stat", "nr_throttled 3\n");
  EXPECT_EQ(diagnose(machine.collect()).findings.at(0).severity, severity::may_slow)
      << "they may have waited last week";
  machine.process.throttled_periods_before = 3;
  EXPECT_EQ(diagnose(machine.collect()).findings.at(0).severity, severity::may_slow);
  machine.process.throttled_periods_before = 2;
  EXPECT_EQ(diagnose(machine.collect()).findings.at(0).severity, severity::slows);
}

TEST(doctor_answers, six_cpus_are_enough) {
  auto machine = amd_machine();
  machine.process.usable_cpus = cpus_from(0, 5);
  EXPECT_TRUE(diagnose(machine.collect()).findings.empty());
  machine.process.usable_cpus = cpus_from(0, 4);
  EXPECT_EQ(diagnose(machine.collect()).findings.at(0).evidence.at("usable_cpus"), 5);
}

TEST(doctor_answers, a_part_of_one_cpu_is_a_quota) {
  auto machine = amd_machine();
  machine.write("sys/fs/cgroup/cpu.max", "800000 100000\n");
  EXPECT_TRUE(diagnose(machine.collect()).findings.empty()) << "of 8 CPUs";
  machine.write("sys/fs/cgroup/cpu.max", "799999 100000\n");
  EXPECT_EQ(diagnose(machine.collect()).findings.at(0).code, "cpu_quota");
}

TEST(doctor_answers, measured_copies_are_shown_even_if_they_are_fast) {
  auto machine = amd_machine();
  machine.copies = {{"cuda:0", direction::h2d, 1 << 26, 55.4}};
  const auto facts = machine.collect();
  EXPECT_THAT(text_of(facts, diagnose(facts)),
              HasSubstr("cuda:0: copies of pinned memory to the GPU reach 55 GB/s"));
  EXPECT_EQ(document_of(facts, diagnose(facts)).at("measured").at(0).at("gb_per_s"), 55.4);
}

TEST(doctor_answers, copies_are_judged_by_the_narrowest_link) {
  auto machine = switch_with_lost_lanes();
  machine.copies = {{"cuda:0", direction::h2d, 1 << 26, 13.5}};
  const auto found = diagnose(machine.collect());
  ASSERT_EQ(found.findings.size(), 1U) << "13.5 of 14.4 GB/s are healthy";
  EXPECT_EQ(found.findings.front().code, "link_width");
}

TEST(doctor_answers, what_could_not_be_measured_is_not_healthy) {
  auto facts = amd_machine().collect();
  facts.why_not_measured = "not enough memory";
  const auto found = diagnose(facts);
  ASSERT_EQ(found.unknowns.size(), 1U);
  EXPECT_EQ(found.unknowns.front().code, "not_measured");
  EXPECT_THAT(found.unknowns.front().what, HasSubstr("not enough memory"));
  EXPECT_EQ(conclude(found), verdict::not_known);
}

TEST(doctor_answers, say_why_there_is_no_gpu) {
  made_up_machine machine;
  EXPECT_THAT(diagnose(machine.collect()).unknowns.at(0).what, HasSubstr("No GPU was asked for"));
  machine.why_no_cuda = "the driver sees no GPU";
  const auto found = diagnose(machine.collect());
  EXPECT_THAT(found.unknowns.at(0).what, HasSubstr("the driver sees no GPU"));
  EXPECT_EQ(found.unknowns.at(0).evidence.at("reason"), "the driver sees no GPU");
}

TEST(doctor_answers, unusual_names_cannot_break_the_text) {
  auto machine = amd_machine();
  machine.gpus.front().facts.name = "GPU\n\x1b[31m";
  const auto facts = machine.collect();
  EXPECT_THAT(text_of(facts, diagnose(facts)), Not(HasSubstr("\x1b")));
}

TEST(doctor_answers, a_healthy_machine_says_so) {
  const auto facts = intel_machine().collect();
  EXPECT_THAT(text_of(facts, diagnose(facts)), HasSubstr("Nothing slows transfers"));
}

}  // namespace
}  // namespace bench_transfers::doctor::answers_test
