
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "src/machine/pcie.hpp"
#include "src/result_file/reader.hpp"
#include "src/trust/judgement.hpp"
#include "tests/basics.hpp"

namespace bench_transfers::trust::judge_test {
namespace {

constexpr double mib = 1 << 20;
constexpr double low_packet_limit = 57.6;

/// What a run says of a machine without any doubt.
json spotless() {
  return {{"format", 2},
          {"complete", true},
          {"device", {{"kind", "cuda"}, {"name", "GPU"}, {"numa_node", 0}}},
          {"devices", {{{"id", "cuda:0"}, {"kind", "cuda"}, {"name", "GPU"}}}},
          {"link",
           {{"type", "pcie"},
            {"generation", 5},
            {"width", 16},
            {"generation_max", 5},
            {"width_max", 16},
            {"limit_gb_per_s", 63.0},
            {"packet_limit_gb_per_s", {low_packet_limit, 58.4}}}},
          {"machine",
           {{"cpu", {{"governor", "performance"}, {"numa_nodes", 2}}},
            {"process", {{"numa_node", 0}}},
            {"virtualisation", {{"hypervisor", nullptr}}}}},
          {"clocks",
           {{"gpu",
             {{"sm_mhz", {1980, 1980}},
              {"sm_max_mhz", 1980},
              {"throttle_reasons", json::array()},
              {"pcie_replays", 0}}},
            {"cpu", {{"throttle_events", 0}}}}},
          {"run", json::object()},
          {"roles", {{"copy", {{"description", "copies"}, {"table", "directions"}}}}},
          {"metrics", json::object()},
          {"benchmarks", json::object()},
          {"skipped", json::array()},
          {"warnings", json::array()}};
}

/// A run of copies: repetitions in GB/s by memory and direction, of 64 MiB or another size.
class run {
 public:
  json facts = spotless();

  run& copies(const std::string& memory, const std::string& direction,
              const std::vector<double>& gb_per_s, double bytes = 64 * mib, json more = {}) {
    const auto strategy = "copy/" + memory;
    const auto name =
        strategy + "/" + direction + "/" + std::to_string(static_cast<int>(bytes / mib)) + "MiB";
    json described{{"family", "copy"},     {"strategy", strategy},   {"memory", memory},
                   {"variant", direction}, {"direction", direction}, {"size_bytes", bytes},
                   {"cache", "warm"},      {"devices", {0}},         {"role", "copy"},
                   {"plainness", 0}};
    described["size_bytes"] = static_cast<std::size_t>(bytes);
    if (more.is_object()) described.update(more);
    facts["benchmarks"][name] = described;
    for (std::size_t i = 0; i < gb_per_s.size(); ++i)
      rows_.push_back({{"name", name},
                       {"run_name", name},
                       {"run_type", "iteration"},
                       {"repetition_index", i},
                       {"median_ns", bytes / gb_per_s[i]},
                       {"bytes", bytes}});
    return *this;
  }

  [[nodiscard]] judgement judged() const {
    return judge(result_file::read_json(
        {{"context", {{"transfers", facts}}}, {"benchmarks", rows_}}, "run.json"));
  }

 private:
  json rows_ = json::array();
};

run healthy() {
  return run().copies("pinned", "h2d", {55, 55, 55}).copies("pinned", "d2h", {55, 55, 55});
}

std::vector<std::string> codes(const judgement& given, bool that_warn) {
  std::vector<std::string> found;
  for (const auto& finding : given.findings)
    if (finding.warns == that_warn) found.push_back(finding.said.code);
  return found;
}

std::vector<state> states(const judgement& given) {
  std::vector<state> found;
  for (const auto& mark : given.marks) found.push_back(mark.state);
  return found;
}

TEST(judge, sees_no_fault_in_a_spotless_run) {
  const auto given = healthy().judged();
  EXPECT_THAT(codes(given, true), IsEmpty());
  EXPECT_THAT(codes(given, false),
              ElementsAre("link_at_maximum", "numa_near", "gpu_not_throttled", "cpu_not_throttled",
                          "quiet", "link_healthy", "link_healthy"));
  EXPECT_THAT(states(given), ElementsAre(state::good, state::good, state::good, state::good));
  EXPECT_EQ(given.verdict->lead, "No fault seen:");
  EXPECT_FALSE(given.verdict->warns);
  EXPECT_THAT(given.alerts, IsEmpty());
}

TEST(judge, knows_nothing_of_an_empty_machine) {
  auto tested = run().copies("pageable", "h2d", {5});
  tested.facts["link"] = nullptr;
  tested.facts["machine"] = json::object();
  tested.facts["clocks"] = nullptr;
  tested.facts["device"].erase("numa_node");
  const auto given = tested.judged();
  EXPECT_THAT(codes(given, true), ElementsAre("one_repetition"));
  EXPECT_EQ(given.verdict->lead, "Beware:");
  std::set<std::string> unknown;
  for (const auto& finding : given.findings) unknown.insert(finding.unknown);
  EXPECT_THAT(unknown,
              IsSupersetOf({"the link's full speed", "who shares host and link", "NUMA distance",
                            "GPU throttling", "CPU throttling", "governor of the CPU", "noise",
                            "the link's limit", "what the link carries d2h"}));
}

/// A fact, and the code of what it gives rise to.
const std::map<std::string, std::function<void(json&)>>& faults() {
  static const std::map<std::string, std::function<void(json&)>> known{
      {"link_below_maximum", [](json& facts) { facts["link"]["generation"] = 3; }},
      {"pcie_replays", [](json& facts) { facts["clocks"]["gpu"]["pcie_replays"] = 7; }},
      {"virtual_machine",
       [](json& facts) { facts["machine"]["virtualisation"]["hypervisor"] = "KVM"; }},
      {"numa_far", [](json& facts) { facts["machine"]["process"]["numa_node"] = 1; }},
      {"gpu_throttled",
       [](json& facts) { facts["clocks"]["gpu"]["throttle_reasons"] = {"hw_slowdown"}; }},
      {"gpu_clock_fell",
       [](json& facts) {
         facts["clocks"]["gpu"]["sm_mhz"] = {1980, 1200};
       }},
      {"cpu_throttled", [](json& facts) { facts["clocks"]["cpu"]["throttle_events"] = 3; }},
      {"cpu_governor", [](json& facts) { facts["machine"]["cpu"]["governor"] = "powersave"; }},
      {"incomplete", [](json& facts) { facts["complete"] = false; }},
      {"slow_build",
       [](json& facts) {
         facts["program"] = {{"build_type", "Debug"}};
       }},
      {"faults_injected", [](json& facts) { facts["run"]["faults_injected"] = {"slow:2@copy"}; }}};
  return known;
}

TEST(judge, warns_of_each_fault_of_machine_and_run_alone) {
  for (const auto& [code, make] : faults()) {
    auto tested = healthy();
    make(tested.facts);
    const auto given = tested.judged();
    EXPECT_THAT(codes(given, true), ElementsAre(code));
    EXPECT_EQ(given.verdict.has_value(), code != "faults_injected") << code;
    if (given.verdict) {
      EXPECT_EQ(given.verdict->warns, code != "virtual_machine") << code;
    }
  }
}

TEST(judge, says_only_once_what_the_program_has_warned_of) {
  auto tested = healthy();
  const auto warning = [](const std::string& code) {
    return json{{"code", code}, {"data", json::object()}, {"text", "said while measuring"}};
  };
  for (const auto& [code, make] : faults()) tested.facts["warnings"].push_back(warning(code));
  tested.facts["warnings"].push_back(warning("other_load"));
  std::vector<std::string> left;
  for (const auto& message : tested.judged().warnings) left.push_back(message.code);
  EXPECT_THAT(left, Contains("other_load"));
  EXPECT_THAT(left, Not(Contains("numa_far")));
  EXPECT_THAT(left, Not(Contains("gpu_throttled")));
}

TEST(judge, of_a_link_holds_to_the_limit_of_fleet_and_doctor) {
  const auto code_at = [](double part, double bytes) {
    const auto rate = part * low_packet_limit;
    const auto given = run().copies("pinned", "h2d", {rate, rate, rate}, bytes).judged();
    for (const auto& finding : given.findings)
      if (finding.about == subject::rate) return finding.said.code;
    return std::string();
  };
  constexpr auto least = machine::least_part_of_pcie_link;
  const auto large = static_cast<double>(machine::filling_bytes);
  EXPECT_EQ(code_at(least + 0.01, large), "link_healthy");
  EXPECT_EQ(code_at(least - 0.01, large), "below_link_limit");
  EXPECT_EQ(code_at(least - 0.01, large / 2), "link_not_filled");
  EXPECT_EQ(code_at(1.2, large), "above_link_limit");
}

TEST(judge, calls_large_transfers_noisy_by_their_middle_half) {
  const auto noisy = [](const std::vector<double>& rates) {
    return codes(run().copies("pinned", "h2d", rates).judged(), true);
  };
  EXPECT_THAT(noisy({55, 50, 45, 40}), Contains("noisy"));
  EXPECT_THAT(noisy({55, 50}), Contains("noisy"));
  EXPECT_THAT(noisy({55, 55}), Contains("two_repetitions"));
  EXPECT_THAT(noisy({55, 55, 55.2, 54.9}), IsEmpty());
}

TEST(judge, chooses_the_plainest_of_those_that_repetitions_do_not_tell_apart) {
  const auto chosen = [](const std::vector<double>& pageable) {
    const auto given = run()
                           .copies("pageable", "h2d", pageable)
                           .copies("pinned", "h2d", std::vector<double>(6, 50))
                           .judged();
    EXPECT_FALSE(given.choices.at(0).of_pageable);
    return given.choices.at(0).benchmarks.front();
  };
  EXPECT_EQ(chosen(std::vector<double>(6, 49)), "copy/pageable/h2d/64MiB");  // within 3 %
  EXPECT_EQ(chosen({44, 45, 46, 47, 51, 52}), "copy/pageable/h2d/64MiB");    // noise
  EXPECT_EQ(chosen(std::vector<double>(6, 47)), "copy/pinned/h2d/64MiB");    // clear
  EXPECT_EQ(chosen({30, 30, 45, 45, 51, 52}), "copy/pinned/h2d/64MiB");      // more than 10 %
}

TEST(judge, reads_hostile_facts) {
  auto tested = healthy();
  tested.facts["clocks"] = {{"gpu", {{"sm_mhz", "fast"}, {"throttle_reasons", {1, "\x1b[31m"}}}}};
  tested.facts["machine"]["cpu"] = {{"governor", "\x1b[2J"}, {"numa_nodes", -1e300}};
  tested.facts["link"]["packet_limit_gb_per_s"] = {0, "none"};
  tested.facts["run"]["rounds"] = 1e300;
  for (const auto& finding : tested.judged().findings)
    EXPECT_EQ(finding.said.text.find('\x1b'), std::string::npos) << finding.said.text;
}

}  // namespace
}  // namespace bench_transfers::trust::judge_test
