#include "src/fleet/history/history.hpp"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "src/fleet/report/reports.hpp"
#include "tests/basics.hpp"
#include "tests/simulation/made_up_fleet.hpp"

namespace bench_transfers::fleet::history_test {
namespace {

using simulation::fault;
using where = simulation::fault::where;

/// Sweeps of 8 nodes of 4 GPUs, one a day.
class followed : public testing::Test {
 protected:
  std::mt19937_64 random{11};
  std::vector<sweep_record> records;

  sweep made(const std::vector<fault>& faults = {}) {
    auto sweep =
        simulation::make_up({.nodes = 8, .gpus_in_node = 4, .nodes_in_rack = 4}, faults, random);
    for (std::size_t i = 0; i < sweep.gpus.size(); ++i)
      sweep.gpus[i].slot = "0000:0" + std::to_string(i % 4) + ":00.0";
    return sweep;
  }
  void add(sweep sweep) {
    const auto day = static_cast<int>(records.size()) + 1;
    sweep.id = "day" + std::to_string(day);
    sweep.begin = std::chrono::sys_days(std::chrono::year(2026) / 11 / day);
    records.push_back(record_of(sweep, judge(sweep, settings::usual())));
    newest = std::move(sweep);
  }
  void add(const std::vector<fault>& faults = {}) { add(made(faults)); }
  history after(const std::vector<std::vector<fault>>& sweeps) {
    for (const auto& faults : sweeps) add(faults);
    return history(records);
  }
  history after(const sweep& sweep) {
    add(sweep);
    return history(records);
  }
  [[nodiscard]] judgement newest_with_onsets() const {
    auto judged = judge(newest, settings::usual());
    add_onsets(newest, judged, history(records));
    return judged;
  }

  sweep newest;
};

const gpu_history& gpu_of(const history& history, const std::string& uuid = "GPU-node5-2") {
  return *history.beginning_with(uuid).at(0);
}

/// The same without these GPUs.
sweep without(sweep sweep, const std::string& name_begins) {
  std::erase_if(sweep.gpus, [&](const gpu& gpu) { return gpu.uuid.starts_with(name_begins); });
  return sweep;
}

void number_ranks(sweep& sweep, std::size_t missing) {
  for (std::size_t i = 0; i < sweep.gpus.size(); ++i) sweep.gpus[i].rank = i;
  sweep.world_size = sweep.gpus.size() + missing;
}

const std::vector<fault> slow_gpu{{where::gpu, "GPU-node5-2", 0.05}};
const std::vector<fault> slow_node{{where::node, "node3", 0.05}};

TEST_F(followed, trouble_has_a_first_sweep) {
  const auto found = after({{}, {}, slow_gpu, slow_gpu, slow_gpu});
  const auto* gpu = &gpu_of(found);
  ASSERT_TRUE(gpu->trouble);
  EXPECT_EQ(gpu->trouble->since, 2U);
  EXPECT_EQ(gpu->trouble->before, 1U);
  EXPECT_NEAR(gpu->trouble->slower, 0.05, 0.01);
  EXPECT_THAT(gpu->named, ElementsAre(2, 3, 4));
  for (const auto& other : found.gpus()) EXPECT_TRUE(&other == gpu || !other.trouble);
}

TEST_F(followed, sweeps_of_another_procedure_tell_nothing_of_a_trouble) {
  after({{}, slow_gpu});
  auto newer = made(slow_gpu);
  for (auto& benchmark : newer.benchmarks) benchmark.procedure = 2;
  const auto found = after(newer);
  const auto& trouble = gpu_of(found).trouble;
  ASSERT_TRUE(trouble);
  EXPECT_EQ(trouble->since, 2U);
  EXPECT_EQ(trouble->before, std::nullopt);
  const auto problems = nlohmann::json::parse(json_of(found, nullptr)).at("problems");
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0]["code"], "procedures_differ");
  EXPECT_EQ(problems[0]["data"]["count"], newer.benchmarks.size());
}

TEST_F(followed, trouble_has_the_number_of_the_newest_judgement) {
  const auto found = after({slow_gpu, {{where::gpu, "GPU-node5-2", 0.2}}});
  const auto judged = judge(newest, settings::usual());
  const auto& trouble = gpu_of(found).trouble;
  ASSERT_TRUE(trouble && trouble->aspect);
  const auto& aspects = judged.findings.at(0).aspects;
  const auto slow = std::ranges::find(aspects, *trouble->aspect, &slow_aspect::aspect);
  ASSERT_NE(slow, aspects.end());
  EXPECT_DOUBLE_EQ(trouble->slower, slow->slower.value);
}

TEST_F(followed, missing_ranks_are_told) {
  auto lost = made();
  number_ranks(lost, 2);
  add(lost);
  EXPECT_FALSE(after(made()).is_in_trouble());
  const auto found = after(lost);
  EXPECT_TRUE(found.is_in_trouble());
  const auto sweeps = nlohmann::json::parse(json_of(found, nullptr)).at("sweeps");
  EXPECT_EQ(sweeps[0].at("missing_ranks"), 2);
  EXPECT_EQ(sweeps[1].at("missing_ranks"), 0);
}

TEST_F(followed, gpu_whose_file_cannot_be_read_is_not_gone) {
  add();
  auto lost = without(made(), "GPU-node5-2");
  lost.problems = {{unusable_file_code,
                    {{"gpu", "GPU-node5-2"}, {"node", "node5"}, {"rank", nullptr}},
                    "cannot use it"}};
  EXPECT_EQ(gpu_of(after(lost)).presence, presence::not_swept);
  lost.problems.clear();
  records.pop_back();
  EXPECT_EQ(gpu_of(after(lost)).presence, presence::gone);
}

TEST_F(followed, gpus_are_gone_where_they_are_more_than_files_that_do_not_tell_theirs) {
  const std::string first = "GPU-node5-1", second = "GPU-node5-2";
  const auto presence_of = [&](const std::string& uuid) {
    return gpu_of(history(records), uuid).presence;
  };
  add();
  auto lost = without(made(), first);
  lost.problems = {
      {unusable_file_code, {{"gpu", nullptr}, {"node", "node5"}, {"rank", nullptr}}, "empty"}};
  add(lost);
  EXPECT_EQ(presence_of(first), presence::not_swept);
  records.pop_back();
  lost = without(lost, second);
  add(lost);
  EXPECT_EQ(presence_of(first), presence::gone);
  EXPECT_EQ(presence_of(second), presence::gone);
  // One that is gone since long ago has left no file.
  records.pop_back();
  add(without(made(), first));
  add(lost);
  EXPECT_EQ(presence_of(first), presence::gone);
  EXPECT_EQ(presence_of(second), presence::not_swept);
}

TEST_F(followed, trouble_that_has_gone_is_none) {
  const auto found = after({slow_gpu, {}});
  EXPECT_FALSE(gpu_of(found).trouble);
  EXPECT_THAT(gpu_of(found).named, ElementsAre(0));
}

TEST_F(followed, single_benchmark_is_a_trouble_only_while_it_is_named) {
  for (const auto factor : {1.12, 1.08}) {  // too little to be named, though more than half
    auto sweep = made();
    auto& gpu = *std::ranges::find(sweep.gpus, "GPU-node5-2", &gpu::uuid);
    simulation::slow_down(gpu.times[0], factor);
    add(sweep);
  }
  const history found(records);
  EXPECT_THAT(gpu_of(found).named, ElementsAre(0));
  EXPECT_FALSE(gpu_of(found).trouble);
}

TEST_F(followed, trouble_that_was_always_there_has_no_sweep_before) {
  const auto found = after({slow_gpu, slow_gpu});
  const auto& trouble = gpu_of(found).trouble;
  ASSERT_TRUE(trouble);
  EXPECT_EQ(trouble->since, 0U);
  EXPECT_EQ(trouble->before, std::nullopt);
}

TEST_F(followed, order_is_that_of_the_times) {
  after({{}, slow_gpu, slow_gpu});
  std::swap(records[0], records[2]);
  records.push_back(records[0]);  // a copy
  const history found(records);
  ASSERT_THAT(found.sweeps(), SizeIs(3));
  EXPECT_EQ(found.sweeps().front().id, "day1");
  EXPECT_EQ(gpu_of(found).trouble->since, 1U);
}

TEST_F(followed, gpus_that_were_not_measured_in_between_are_followed) {
  after({{}, slow_gpu});
  add(without(made(slow_gpu), "GPU-node5-2"));
  const auto found = after({slow_gpu});
  EXPECT_EQ(gpu_of(found).trouble->since, 1U);
  EXPECT_THAT(found.changes(), IsEmpty());
}

TEST_F(followed, moved_replaced_new_and_gone_gpus_are_told) {
  add();
  auto later = made();
  later.gpus[0].uuid = "GPU-spare";                   // replaced
  std::swap(later.gpus[4].uuid, later.gpus[9].uuid);  // exchanged with another node's
  later.gpus.pop_back();                              // gone
  const auto found = after(later);
  using what = change::kind;
  EXPECT_THAT(found.changes(),
              testing::UnorderedElementsAre(
                  AllOf(Field(&change::what, what::replaced), Field(&change::gpu, "GPU-spare"),
                        Field(&change::old_gpu, "GPU-node0-0")),
                  AllOf(Field(&change::what, what::moved), Field(&change::gpu, "GPU-node1-0")),
                  AllOf(Field(&change::what, what::moved), Field(&change::gpu, "GPU-node2-1")),
                  AllOf(Field(&change::what, what::gone), Field(&change::gpu, "GPU-node7-3"))));
  for (const auto& change : found.changes()) EXPECT_EQ(change.sweep, 1U);
}

TEST_F(followed, slow_gpu_that_is_gone_is_in_trouble) {
  after({slow_gpu, slow_gpu});
  const auto found = after(without(made(), "GPU-node5-2"));
  const auto& gpu = gpu_of(found);
  ASSERT_TRUE(gpu.trouble);
  EXPECT_EQ(gpu.trouble->since, 0U);
  EXPECT_EQ(gpu.presence, presence::gone);
  EXPECT_TRUE(found.is_in_trouble());
}

TEST_F(followed, healthy_gpu_that_is_gone_is_in_trouble) {
  add();
  const auto found = after(without(made(), "GPU-node5-2"));
  EXPECT_FALSE(gpu_of(found).trouble);
  EXPECT_TRUE(gpu_of(found).is_in_trouble());
  EXPECT_TRUE(found.is_in_trouble());
}

TEST_F(followed, slow_gpu_that_was_replaced_is_in_no_trouble) {
  add(slow_gpu);
  auto later = made();
  std::ranges::find(later.gpus, "GPU-node5-2", &gpu::uuid)->uuid = "GPU-spare";
  const auto found = after(later);
  EXPECT_FALSE(gpu_of(found).is_in_trouble());
  EXPECT_EQ(gpu_of(found).presence, presence::replaced);
  EXPECT_FALSE(found.is_in_trouble());
}

TEST_F(followed, sweep_of_a_few_nodes_hides_no_trouble) {
  after({{}, slow_gpu});
  auto few = made();
  std::erase_if(few.gpus,
                [](const gpu& gpu) { return gpu.node != "node0" && gpu.node != "node1"; });
  const auto found = after(few);
  ASSERT_TRUE(gpu_of(found).trouble);
  EXPECT_EQ(gpu_of(found).trouble->since, 1U);
  const auto& other = gpu_of(found, "GPU-node5-1");
  EXPECT_EQ(other.presence, presence::not_swept);
  EXPECT_FALSE(other.is_in_trouble());
  EXPECT_FALSE(found.is_known(other));
  EXPECT_THAT(found.changes(), IsEmpty());
  const auto answer = nlohmann::json::parse(json_of(found, &other));
  EXPECT_EQ(answer["gpus"][0].at("presence"), "not_swept");
}

TEST_F(followed, newest_sweep_that_is_named_is_a_trouble) {
  add();
  auto later = made();
  number_ranks(later, 1);
  const auto found = after(later);
  EXPECT_TRUE(found.is_in_trouble());
  EXPECT_FALSE(found.is_healthy());
}

TEST_F(followed, sweep_without_a_time_changes_no_order) {
  after({slow_gpu, {}, {}});
  records[1].begin.reset();
  std::swap(records[0], records[2]);
  const history found(records);
  EXPECT_EQ(found.sweeps().back().id, "day3");
  EXPECT_FALSE(gpu_of(found).trouble);
}

TEST_F(followed, gpus_are_found_by_how_their_uuids_begin) {
  const auto found = after(made());
  EXPECT_THAT(found.beginning_with("GPU-node5"), SizeIs(4));
  EXPECT_THAT(found.beginning_with("nothing"), IsEmpty());
  EXPECT_THAT(found.beginning_with("GPU-node5-2"),
              ElementsAre(testing::Pointee(Field(&gpu_history::uuid, "GPU-node5-2"))));
}

TEST_F(followed, findings_are_told_since_when) {
  after({{}, slow_node, slow_node});
  const auto judged = newest_with_onsets();
  ASSERT_THAT(judged.findings, SizeIs(1));
  const auto& since = judged.findings.front().since;
  ASSERT_TRUE(since);
  EXPECT_EQ(since->sweep, "day2");
  EXPECT_FALSE(since->is_first_known);
  EXPECT_EQ(since->sweeps, 2U);
  EXPECT_THAT(openmetrics_of(newest, judged),
              testing::ContainsRegex("fleet_finding_sweeps\\{[^}]*node3[^}]*\\} 2\n"));
}

TEST_F(followed, findings_of_the_first_sweep_are_of_one_sweep) {
  add(slow_node);
  const auto judged = newest_with_onsets();
  ASSERT_TRUE(judged.findings.at(0).since);
  EXPECT_EQ(judged.findings[0].since->sweeps, 1U);
  EXPECT_THAT(text_of(newest, judged), Not(testing::HasSubstr("since")));
}

TEST_F(followed, sweeps_without_the_part_do_not_count) {
  add(slow_gpu);
  add(without(made(), "GPU-node5-2"));
  add(slow_gpu);
  EXPECT_EQ(newest_with_onsets().findings.at(0).since->sweeps, 2U);
}

/// Where the only missing rank of the newest sweep was, as programs are told.
std::string place_of_missing(const sweep& newest, const std::vector<sweep_record>& records) {
  auto judged = judge(newest, settings::usual());
  add_gpus_of_missing(judged, history(records));
  const auto found = nlohmann::json::parse(json_of(newest, judged)).at("findings");
  if (found.size() != 1 || found[0].at("code") != "missing") return "not one missing rank";
  const auto text = [&](const char* key) {
    return found[0].at(key).is_null() ? "" : found[0].at(key).get<std::string>();
  };
  const auto labels = "{gpu=\"" + text("gpu") + "\",node=\"" + text("node") + "\",slot=\"" +
                      text("slot") + "\",scope=\"gpu\",code=\"missing\",rank=\"23\"}";
  EXPECT_THAT(openmetrics_of(newest, judged), testing::HasSubstr(labels));
  return text("node") + " " + text("gpu") + " " + text("slot");
}

TEST_F(followed, missing_ranks_are_told_with_the_gpus_that_their_nodes_had) {
  const auto with_ranks = [&] {
    auto sweep = made();
    number_ranks(sweep, 0);
    for (std::size_t i = 0; i < sweep.gpus.size(); ++i) {
      sweep.gpus[i].local_rank = i % 4;
      sweep.gpus[i].local_size = 4;
    }
    return sweep;
  };
  add(with_ranks());
  auto lost = without(with_ranks(), "GPU-node5-3");
  for (int sweeps = 0; sweeps < 2; ++sweeps) {
    add(lost);
    EXPECT_EQ(place_of_missing(newest, records), "node5 GPU-node5-3 0000:03:00.0");
  }
  // A second one is gone, and another one has come: nobody knows whose rank is missing.
  for (auto& gpu : lost.gpus)
    if (gpu.uuid == "GPU-node5-1") gpu.uuid = gpu.slot = "spare";
  add(lost);
  EXPECT_EQ(place_of_missing(newest, records), "node5  ");
}

TEST_F(followed, second_sweep_that_shows_it_confirms_a_finding) {
  const auto advice_of_newest = [&] { return newest_with_onsets().findings.at(0).what_to_do; };
  after({{}, slow_gpu});
  EXPECT_EQ(advice_of_newest().front(), advice::second_sweep);
  add(slow_gpu);
  EXPECT_THAT(advice_of_newest(), Not(testing::Contains(advice::second_sweep)));
}

TEST_F(followed, json_has_one_number_for_each_sweep) {
  const auto found = after({{}, slow_gpu});
  const auto answer = nlohmann::json::parse(json_of(found, nullptr));
  EXPECT_EQ(answer.at("kind"), "fleet_history");
  EXPECT_EQ(answer.at("sweeps").size(), 2U);
  EXPECT_EQ(answer.at("gpus").size(), 32U);
  const auto one = nlohmann::json::parse(json_of(found, &gpu_of(found)));
  ASSERT_EQ(one.at("gpus").size(), 1U);
  const auto& gpu = one["gpus"][0];
  EXPECT_EQ(gpu.at("since"), 1);
  EXPECT_EQ(gpu.at("before"), 0);
  EXPECT_EQ(gpu.at("slower_percent").at("link/h2d").size(), 2U);
}

}  // namespace
}  // namespace bench_transfers::fleet::history_test
