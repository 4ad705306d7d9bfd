#include <algorithm>

#include "src/advice/map.hpp"
#include "tests/basics.hpp"
#include "tests/unit/advice/made_up_measurements.hpp"

namespace bench_transfers::advice::winner_map_test {
namespace {

const question asked{0, result_file::direction::h2d, 1, 1, 0};

TEST(winner_map, asks_for_every_size_and_reuse) {
  const cost_model model{made_up()};
  const auto map = map_of(model, asked);
  EXPECT_THAT(map.sizes, ElementsAre(1e3, 2e3, 4e3, 8e3, 16e3, 32e3, 64e3, 128e3, 256e3, 512e3,
                                     1024e3, 2048e3, 4096e3, 8192e3, 16384e3));
  EXPECT_EQ(map.reuses.front(), 1);
  EXPECT_EQ(map.reuses[1], 2);
  EXPECT_EQ(map.reuses[2], 5);
  EXPECT_EQ(map.reuses.back(), 1e6);
  ASSERT_EQ(map.cells.size(), map.sizes.size());
  for (std::size_t i = 0; i < map.sizes.size(); ++i) {
    ASSERT_EQ(map.cells[i].size(), map.reuses.size());
    for (std::size_t j = 0; j < map.reuses.size(); ++j) {
      const auto ranked = model.rank({map.sizes[i], asked.direction, map.reuses[j], 1, 0});
      EXPECT_EQ(map.cells[i][j].winner, recommended(ranked).name);
      EXPECT_EQ(map.cells[i][j].total_ns, recommended(ranked).total.value);
      EXPECT_EQ(map.cells[i][j].as_good, as_good(ranked).size() - 1);
      const auto plain = std::ranges::find(ranked.strategies, "plain copy", &ranked_strategy::name);
      EXPECT_EQ(map.cells[i][j].gain, plain->total.value / recommended(ranked).total.value);
    }
  }
}

TEST(winner_map, has_pageable_memory_for_one_use_and_pinned_for_many) {
  const auto map = map_of(cost_model(made_up()), asked);
  for (const auto& row : map.cells) EXPECT_EQ(row.front().winner, "plain copy");
  // Of small blocks, less than 3 % is left to gain.
  EXPECT_EQ(map.cells.back().back().winner, "pinned copy");
  const auto& cell = map.cells.front().front();
  EXPECT_EQ(cell.as_good, 0U);
  ASSERT_TRUE(cell.runner_up && cell.margin);
  EXPECT_EQ(*cell.runner_up, "pinned copy");
  EXPECT_GT(*cell.margin, 1);  // allocating it takes much longer
}

TEST(winner_map, has_no_gain_without_a_baseline_and_is_empty_when_nothing_can_be_ranked) {
  auto measured = made_up();
  std::erase_if(measured.all_series,
                [](const series& one) { return one.strategy == "plain copy"; });
  EXPECT_EQ(map_of(cost_model(measured), asked).cells.front().front().gain, std::nullopt);
  measured = made_up();
  std::erase_if(measured.all_series,
                [](const series& one) { return one.measures == term::deallocation; });
  EXPECT_THAT(map_of(cost_model(measured), asked).cells, IsEmpty());
}

}  // namespace
}  // namespace bench_transfers::advice::winner_map_test
