#include "tests/simulation/causes.hpp"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "src/fleet/history/history.hpp"
#include "src/fleet/judge/peers.hpp"
#include "src/fleet/report/reports.hpp"
#include "src/fleet/report/words.hpp"
#include "tests/basics.hpp"

namespace bench_transfers::fleet::causes_test {
namespace {

using simulation::cause;
using simulation::fault;
using where = simulation::fault::where;

constexpr double slower = 0.05;

std::vector<simulation::fleet_kind> fleets() {
  return {{.nodes = 16, .gpus_in_node = 8, .nodes_in_rack = 4, .between_sweeps = 0.2},
          {.nodes = 3, .gpus_in_node = 4, .nodes_in_rack = 3, .between_sweeps = 0.2}};
}

struct row {
  simulation::fleet_kind kind;
  std::size_t cause;
  std::string name;
};

std::vector<row> rows() {
  std::vector<row> list;
  for (const auto& kind : fleets()) {
    std::mt19937_64 random;
    const auto causes = simulation::causes_of(kind, slower, random);
    for (std::size_t i = 0; i < causes.size(); ++i) {
      auto name = causes[i].name + " of " + std::to_string(kind.nodes) + " nodes";
      std::ranges::replace_if(
          name, [](unsigned char c) { return !std::isalnum(c); }, '_');
      list.push_back({kind, i, name});
    }
  }
  return list;
}

class each_cause : public testing::TestWithParam<row> {};

TEST_P(each_cause, leads_to_its_findings_alone) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 3; ++i) {
    const auto made = simulation::causes_of(GetParam().kind, slower, random)[GetParam().cause];
    const auto found = simulation::judged(GetParam().kind, made, random);
    std::string names;
    for (const auto& finding : found.findings)
      names += to_string(finding.scope) + " " + finding.name + "; ";
    EXPECT_TRUE(simulation::is_as_expected(found, made)) << names;
  }
}

INSTANTIATE_TEST_SUITE_P(causes, each_cause, testing::ValuesIn(rows()),
                         [](const auto& row) { return row.param.name; });

TEST(causes, there_is_one_of_every_scope) {
  std::mt19937_64 random;
  std::set<std::string> scopes;
  for (const auto& made : simulation::causes_of(fleets().front(), slower, random))
    for (const auto& expected : made.expected) scopes.insert(expected.scope);
  for (int i = 0; i <= static_cast<int>(scope::fleet); ++i)
    EXPECT_TRUE(scopes.contains(to_string(static_cast<scope>(i))));
}

/// A fleet of two models in racks of four nodes.
class of_two_models : public testing::Test {
 protected:
  simulation::fleet_kind kind{.nodes = 16, .gpus_in_node = 8, .nodes_in_rack = 4, .models = 2};
  std::mt19937_64 random{3};

  [[nodiscard]] sweep with(const std::vector<fault>& faults) {
    return simulation::make_up(kind, faults, random);
  }
};

TEST_F(of_two_models, slot_is_told_in_every_form) {
  const auto fleet = with({{where::slot, simulation::name_of_slot(5), slower}});
  const auto found = judge(fleet, settings::usual());
  ASSERT_EQ(found.findings.size(), 1U);
  const auto document = nlohmann::json::parse(json_of(fleet, found));
  const auto& entry = document["findings"][0];
  EXPECT_EQ(entry["scope"], "slot");
  EXPECT_EQ(entry["slot"], "0000:06:00.0");
  EXPECT_EQ(entry["node_count"], 16);
  for (const auto* key : {"gpu", "node", "rack", "model"}) EXPECT_TRUE(entry[key].is_null());
  const std::string subject = "slot 0000:06:00.0 of 16 nodes";
  EXPECT_THAT(text_of(fleet, found), HasSubstr(subject));
  EXPECT_THAT(markdown_of(fleet, found), HasSubstr("00.0 of 16 nodes |"));
  EXPECT_THAT(
      junit_of(fleet, found, {}),
      AllOf(HasSubstr("fleet_transfers.parts\" name=\"0000:06:00.0\""), HasSubstr(subject)));
  EXPECT_THAT(
      openmetrics_of(fleet, found),
      HasSubstr("transfers_fleet_finding{gpu=\"\",node=\"\",slot=\"0000:06:00.0\",rack=\"\","
                "model=\"\",scope=\"slot\""));
  const auto table = table_of(fleet, found);
  std::size_t marked = 0;
  for (auto at = table.find("  named\n"); at != std::string::npos;
       at = table.find("  named\n", at + 1))
    ++marked;
  EXPECT_EQ(marked, 16U);
  std::size_t named = 0;
  for (const auto& [uuid, record] : record_of(fleet, found).gpus) named += record.is_named;
  EXPECT_EQ(named, 16U);
}

TEST_F(of_two_models, what_one_of_them_has_in_a_rack_is_its_own) {
  auto fleet = with({});
  // Twice as slow is not about the same: two causes.
  for (auto& gpu : fleet.gpus)
    if (gpu.rack == "rack1") simulation::slow_down(gpu, gpu.model.ends_with("1") ? 1.9 : 1.25);
  const auto found = judge(fleet, settings::usual());
  std::set<std::string> models;
  for (const auto& finding : found.findings) {
    EXPECT_EQ(finding.scope, scope::rack);
    if (finding.kind == benchmark_class::link) models.insert(*model_of(fleet, finding));
  }
  EXPECT_EQ(models.size(), 2U);
}

TEST_F(of_two_models, lower_links_of_a_slot_are_one_finding) {
  auto fleet = with({});
  for (auto& gpu : fleet.gpus)
    gpu.link = {gpu.slot == simulation::name_of_slot(2) ? 4 : 5, 16, 5, 16};
  const auto found = judge(fleet, settings::usual());
  EXPECT_THAT(found.findings,
              ElementsAre(AllOf(testing::Field(&finding::scope, scope::slot),
                                testing::Field(&finding::pattern, pattern::link_generation))));
}

TEST(slots_of, without_addresses_are_the_numbers_on_the_node) {
  sweep fleet;
  const auto add = [&](const char* node, std::size_t rank, const char* address = "") {
    auto& gpu = fleet.gpus.emplace_back();
    gpu.node = node;
    gpu.rank = rank;
    gpu.slot = address;
  };
  for (const std::size_t rank : {2U, 0U, 1U}) add("a", rank);
  for (const std::size_t rank : {5U, 3U}) add("b", rank);  // rank 4 has left no results
  add("c", 6, "0000:01:00.0");
  EXPECT_THAT(slots_of(fleet), ElementsAre("2", "0", "1", "2", "0", "0000:01:00.0"));
  for (auto& gpu : fleet.gpus) gpu.rank.reset();
  EXPECT_THAT(slots_of(fleet), ElementsAre("0", "1", "2", "0", "1", "0000:01:00.0"));
}

}  // namespace
}  // namespace bench_transfers::fleet::causes_test
