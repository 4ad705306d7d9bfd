#include "src/fleet/judge/levels.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "src/fleet/judge/compared_parts.hpp"
#include "tests/basics.hpp"

namespace bench_transfers::fleet::levels_test {
namespace {

using named = std::pair<scope, std::size_t>;

constexpr score slower_by(double value) { return {value, value, value, value, 0}; }

/// GPUs of one model whose scores are made by hand. Healthy ones are apart by less than 0.2 %.
class slow_levels : public testing::Test {
 protected:
  slow_levels() { make(12, 4, 4); }

  void make(std::size_t nodes, std::size_t gpus_in_node, std::size_t nodes_in_rack) {
    alike = {};
    scores.clear();
    alike.slots.resize(gpus_in_node);
    for (std::size_t node = 0; node < nodes; ++node) {
      if (node % nodes_in_rack == 0) alike.racks.emplace_back();
      alike.racks.back().push_back(node);
      alike.nodes.emplace_back();
      for (std::size_t gpu = 0; gpu < gpus_in_node; ++gpu)
        add_gpu(node, gpu, 0.0005 * static_cast<double>((7 * scores.size()) % 5) - 0.001);
    }
  }
  void add_gpu(std::size_t node, std::size_t slot, double slower) {
    alike.nodes[node].push_back(scores.size());
    alike.slots[slot].gpus.push_back(scores.size());
    alike.gpus.push_back(scores.size());
    scores.emplace_back(slower_by(slower));
  }
  void slow_down(std::size_t gpu, double by) {
    for (const auto member : compared_members) (*scores[gpu]).*member += by;
  }
  void slow_node(std::size_t node, double by) {
    for (const auto gpu : alike.nodes[node]) slow_down(gpu, by);
  }
  void slow_slot(std::size_t slot, double by) {
    for (const auto gpu : alike.slots[slot].gpus) slow_down(gpu, by);
  }
  void slow_rack(std::size_t rack, double by) {
    for (const auto node : alike.racks[rack]) slow_node(node, by);
  }
  [[nodiscard]] slow_parts found(const wide_parts& known = {}) const {
    return find_slow(alike, scores, chosen, known);
  }
  [[nodiscard]] std::vector<named> names(const wide_parts& known = {}) const {
    std::vector<named> list;
    for (const auto& part : found(known).slow) list.emplace_back(part.scope, part.index);
    return list;
  }
  /// That these are found, in any order.
  void expect(const std::vector<named>& parts) const {
    EXPECT_THAT(names(), testing::UnorderedElementsAreArray(parts));
  }

  peers alike;
  std::vector<std::optional<score>> scores;
  criteria chosen{.threshold = 0.02, .false_alarm = 0.01, .expected = 0.002};
};

TEST_F(slow_levels, name_a_gpu_beyond_the_threshold) {
  expect({});
  slow_down(9, 0.025);
  const auto slow = found().slow;
  ASSERT_THAT(slow, SizeIs(1));
  EXPECT_EQ(slow[0].scope, scope::gpu);
  EXPECT_EQ(slow[0].index, 9);
  EXPECT_NEAR(slow[0].slower.value, 0.025, 0.002);
  EXPECT_LT(slow[0].slower.low, 0.025);
  EXPECT_GT(slow[0].slower.high, 0.025);
  EXPECT_LT(slow[0].p, chosen.false_alarm);
  EXPECT_FALSE(slow[0].by_slowest_run);
  slow_down(9, -0.008);
  expect({});
  // Healthy parts may reach that by chance.
  slow_down(9, 0.008);
  for (std::size_t gpu = 0; gpu < scores.size(); ++gpu)
    slow_down(gpu, gpu % 2 == 0 ? -0.015 : 0.015);
  expect({});
}

TEST_F(slow_levels, name_no_gpu_that_is_slow_only_beside_fast_neighbours) {
  make(12, 3, 4);
  slow_down(0, -0.04);
  slow_down(1, -0.04);
  expect({});
  slow_down(2, 0.02);
  expect({{scope::gpu, 2}});
}

TEST_F(slow_levels, name_a_part_and_not_those_within_it) {
  slow_node(5, 0.05);
  expect({{scope::node, 5}});
  make(12, 2, 4);
  slow_down(0, 0.1);
  expect({{scope::gpu, 0}});  // its node is judged without it
  make(32, 2, 4);
  slow_rack(3, 0.05);
  expect({{scope::rack, 3}});
}

TEST_F(slow_levels, name_a_slot_and_not_its_gpus) {
  slow_slot(2, 0.05);
  const auto slow = found().slow;
  ASSERT_THAT(names(), ElementsAre(named(scope::slot, 2)));
  EXPECT_NEAR(slow[0].slower.value, 0.05, 0.002);
  EXPECT_LT(found().tested[0].detectable, 0.03);  // four of them tell it
  slow_down(6, 0.05);                             // beyond the others of the slot
  expect({{scope::slot, 2}, {scope::gpu, 6}});
}

TEST_F(slow_levels, name_the_members_where_fewer_than_three_quarters_are_slow) {
  make(40, 2, 5);
  for (const std::size_t node : {15, 16, 17}) slow_node(node, 0.05);
  expect({{scope::node, 15}, {scope::node, 16}, {scope::node, 17}});
  slow_node(18, 0.05);
  expect({{scope::rack, 3}});
}

/// Few racks do not tell how healthy ones differ, many nodes do.
TEST_F(slow_levels, name_a_group_by_its_members_where_its_own_test_cannot) {
  make(64, 2, 16);
  chosen.false_alarm = 2e-6;
  slow_rack(3, 0.025);
  const auto slow = found().slow;
  ASSERT_THAT(names(), ElementsAre(named(scope::rack, 3)));
  EXPECT_NEAR(slow[0].slower.value, 0.025, 0.001);
  EXPECT_NEAR(slow[0].slower.low, 0.025, 0.005);
  EXPECT_EQ(slow[0].how_long, persistence::always);
  EXPECT_GT(found().tested[2].detectable, 0.025) << "its own test can";
}

TEST_F(slow_levels, name_no_group_by_members_that_are_slower_by_far_than_the_others) {
  make(64, 2, 16);
  slow_rack(3, 0.012);
  for (std::size_t i = 0; i < 4; ++i) slow_node(alike.racks[3][i], 0.05);
  expect({{scope::node, 48}, {scope::node, 49}, {scope::node, 50}, {scope::node, 51}});
}

TEST_F(slow_levels, name_no_slot_that_is_slow_only_beside_fast_neighbours) {
  make(12, 2, 12);
  alike.slots.emplace_back();
  for (std::size_t node = 0; node < 3; ++node) {
    slow_node(node, -0.04);
    add_gpu(node, 2, 0);
  }
  expect({});
}

TEST_F(slow_levels, take_off_what_members_of_a_known_part_have_in_common) {
  make(12, 4, 4);
  slow_slot(1, 0.009);
  slow_down(5, 0.014);
  EXPECT_THAT(names(), ElementsAre(named(scope::gpu, 5)));
  EXPECT_THAT(names({{scope::slot, 1}}), IsEmpty());
  EXPECT_THAT(names({{scope::slot, 2}}), ElementsAre(named(scope::gpu, 5)));
}

TEST_F(slow_levels, compare_with_the_fast_nodes_if_the_others_are_slower_by_far) {
  make(6, 2, 100);
  for (const std::size_t node : {1, 2, 3, 4}) slow_node(node, 0.5);
  expect({{scope::node, 1}, {scope::node, 2}, {scope::node, 3}, {scope::node, 4}});
}

TEST_F(slow_levels, say_how_much_of_the_time_a_part_is_slow) {
  slow_down(9, 0.1);
  const auto how_long = [&] { return found().slow.at(0).how_long; };
  EXPECT_EQ(how_long(), persistence::always);
  scores[9]->fastest = 0.04;
  EXPECT_EQ(how_long(), persistence::mostly);
  scores[9]->lasting = 0.04;
  EXPECT_EQ(how_long(), persistence::sometimes);
}

TEST_F(slow_levels, name_a_single_slow_run_only_beyond_several_thresholds) {
  scores[9]->worst_run += 0.045;
  expect({});
  scores[9]->worst_run += 0.01;
  const auto slow = found().slow;
  ASSERT_THAT(names(), ElementsAre(named(scope::gpu, 9)));
  EXPECT_TRUE(slow[0].by_slowest_run);
  EXPECT_EQ(slow[0].how_long, persistence::sometimes);
  EXPECT_NEAR(slow[0].slower.value, 0.055, 0.002);
  make(12, 4, 4);
  slow_down(9, 0.1);  // in all runs
  scores[9]->worst_run += 0.1;
  ASSERT_THAT(names(), ElementsAre(named(scope::gpu, 9)));
  EXPECT_FALSE(found().slow[0].by_slowest_run);
}

/// A handful: fewer do not tell what healthy ones differ by.
TEST_F(slow_levels, want_more_than_chance_of_less_than_a_handful) {
  chosen.expected = 0.004;
  const auto almost = 0.9 * beyond_chance(chosen.expected);
  make(1, 4, 1);
  EXPECT_LT(found().tested[0].detectable, almost);
  slow_down(2, almost);
  expect({});
  slow_down(2, 0.2 * beyond_chance(chosen.expected));
  expect({{scope::gpu, 2}});
  make(1, handful, 1);
  slow_down(2, almost);
  expect({{scope::gpu, 2}});
}

TEST_F(slow_levels, tell_what_they_have_tested_and_would_find) {
  const auto counts = [&] {
    std::vector<named> parts;
    for (const auto& part : found().tested) parts.emplace_back(part.scope, part.parts);
    return parts;
  };
  scores[3].reset();
  EXPECT_THAT(counts(), ElementsAre(named(scope::slot, 4), named(scope::gpu, 47),
                                    named(scope::rack, 3), named(scope::node, 12)));
  const auto tested = found().tested;
  for (const auto& part : tested) EXPECT_GT(part.detectable, chosen.threshold);
  EXPECT_LT(tested[1].detectable, 1.2 * chosen.threshold);
  // A single group has no peers.
  make(4, 1, 4);
  EXPECT_THAT(counts(), ElementsAre(named(scope::node, 4)));
  make(1, 4, 1);
  EXPECT_THAT(counts(), ElementsAre(named(scope::gpu, 4)));
}

TEST_F(slow_levels, expect_parts_to_differ_as_their_benchmarks_let_them) {
  slow_down(9, 0.025);
  for (auto& score : scores) score->error = 0.02;
  EXPECT_THAT(names(), IsEmpty());
}

TEST(beyond_chance, is_many_deviations_and_twice_the_time_at_most) {
  EXPECT_DOUBLE_EQ(beyond_chance(0.004), 0.1);
  EXPECT_DOUBLE_EQ(beyond_chance(1), std::log(2));
}

std::vector<scored_part> parts_of(const std::vector<double>& values) {
  std::vector<scored_part> parts;
  for (const auto value : values) parts.push_back({10 + parts.size(), slower_by(value)});
  return parts;
}

TEST(compared_parts, are_compared_with_the_median_of_the_others) {
  const auto compared = distances_from_others(parts_of({0, 1, 3, 7}));
  EXPECT_THAT(column(compared, &score::usual), ElementsAre(-3, -2, 2, 6));
  EXPECT_THAT(column(distances_from_others(parts_of({5})), &score::fastest), ElementsAre(0));
}

TEST(compared_parts,
     have_fast_ones_as_reference_beyond_a_gap_that_their_own_range_does_not_explain) {
  const auto values = std::vector{0.0, 0.1, 1.0, 1.1};
  const auto apart = compared_with_healthy(parts_of(values), 0.5);
  EXPECT_THAT(column(apart.parts, &score::usual),
              ElementsAre(testing::DoubleEq(-0.05), testing::DoubleEq(0.05),
                          testing::DoubleEq(0.95), testing::DoubleEq(1.05)));
  EXPECT_THAT(apart.healthy, SizeIs(2));
  EXPECT_THAT(compared_with_healthy(parts_of(values), 0.95).healthy, SizeIs(4));
  EXPECT_THAT(compared_with_healthy(parts_of({0, 0.3, 1.0, 1.1}), 0.5).healthy, SizeIs(4));
  // Most are fast: they are the median.
  EXPECT_THAT(compared_with_healthy(parts_of({0, 0, 0, 1}), 0.5).healthy, SizeIs(4));
}

TEST(compared_parts, are_grouped_unless_a_group_has_one_or_all_of_them) {
  const auto groups = groups_of(parts_of({0, 0, 0}), {{10, 11}, {12}, {10, 11, 12}, {12, 10, 99}});
  ASSERT_THAT(groups, SizeIs(2));
  EXPECT_EQ(groups[0].index, 0);
  EXPECT_THAT(groups[0].members, ElementsAre(0, 1));
  EXPECT_EQ(groups[1].index, 3);
  EXPECT_THAT(groups[1].members, ElementsAre(2, 0));
}

}  // namespace
}  // namespace bench_transfers::fleet::levels_test
