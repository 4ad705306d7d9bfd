#include "src/advice/small_transfers.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "src/advice/map.hpp"
#include "src/advice/ranking.hpp"
#include "tests/unit/advice/made_up_measurements.hpp"

namespace bench_transfers::advice::small_transfers_test {
namespace {

constexpr double kib = 1024;

/// Of a plain copy that takes 5 µs at each size.
repetitions repeated(double factor, const std::vector<double>& noise) {
  repetitions all;
  for (const auto bytes : {kib, 4 * kib, 16 * kib, 64 * kib})
    for (const auto each : noise) all[bytes].push_back(5000 * factor * each / bytes);
  return all;
}

const std::vector<double> quiet{0.999, 1, 1.001, 0.998, 1.002, 1};
const std::vector<double> noisy{0.8, 0.9, 1, 1.1, 1.2, 1.3};

std::optional<bool> is_faster(const repetitions& plain, const repetitions& other, double bytes) {
  return small_transfers({{"plain", &plain}, {"other", &other}}, "plain").is_faster("other", bytes);
}

TEST(small_transfers, are_faster_if_repetitions_tell_it) {
  const std::vector<double> three{1, 1, 1};
  struct pair {
    repetitions plain, other;
    std::optional<bool> faster;
    double bytes = kib;
  };
  for (const auto& [plain, other, faster, bytes] : std::vector<pair>{
           // By more than 3 %, of which nearly all agree.
           {repeated(1, quiet), repeated(0.98, quiet), false},
           {repeated(1, quiet), repeated(0.96, quiet), true},
           {repeated(1, quiet), repeated(1.5, quiet), false},
           {repeated(1, noisy), repeated(0.93, noisy), false},
           // By more than 10 %, if that is clear: 5 of 36 pairs are in the other order.
           {repeated(1, noisy), repeated(0.88, noisy), false},
           {repeated(1, noisy), repeated(0.7, noisy), true},
           // Up to 16 KiB.
           {repeated(1, quiet), repeated(0.5, quiet), true, 16 * kib},
           {repeated(1, quiet), repeated(0.5, quiet), std::nullopt, 16 * kib + 1},
           // Few tell nothing.
           {repeated(1, three), repeated(0.5, three), std::nullopt},
           {repeated(1, quiet), repeated(0.5, {1}), std::nullopt},
           {repeated(1, quiet), {}, std::nullopt}})
    EXPECT_EQ(is_faster(plain, other, bytes), faster);
}

TEST(small_transfers, are_judged_by_most_sizes_where_noise_hides_a_gain) {
  auto plain = repeated(1, quiet);
  auto other = repeated(0.8, quiet);
  plain[kib] = repeated(1, noisy).at(kib);
  other[kib] = repeated(0.95, noisy).at(kib);
  EXPECT_EQ(is_faster(plain, other, kib), true) << "clear at 4 and 16 KiB";
  other[4 * kib] = plain[4 * kib];
  EXPECT_EQ(is_faster(plain, other, kib), false) << "clear at one of three";
}

TEST(small_transfers, are_not_faster_at_a_size_where_they_are_slower) {
  auto other = repeated(0.8, quiet);
  other[4 * kib] = repeated(1.5, quiet).at(4 * kib);
  const auto plain = repeated(1, quiet);
  EXPECT_EQ(is_faster(plain, other, 4 * kib), false);
  EXPECT_EQ(is_faster(plain, other, kib), true);
  EXPECT_EQ(is_faster(plain, other, 16 * kib), true);
}

TEST(small_transfers, of_a_size_that_was_not_measured_are_judged_by_the_next) {
  const auto plain = repeated(1, quiet);
  auto other = repeated(1, quiet);
  other[16 * kib] = repeated(0.7, quiet).at(16 * kib);
  EXPECT_EQ(is_faster(plain, other, 12 * kib), true);
  EXPECT_EQ(is_faster(plain, other, 5 * kib), false);
  EXPECT_EQ(is_faster(plain, other, 1), false);
}

/// Lines say that pinned copies take 0.91 of the time; repetitions say what they say.
struct small_measurements : made_up {
  explicit small_measurements(double gain) {
    for (auto& transfer : all_series) {
      if (transfer.measures != term::transfer_h2d) continue;
      const bool is_plain = transfer.plainness.options == 0;
      for (auto& time : transfer.times) time.ns = (is_plain ? 11e3 : 10e3) + time.bytes / 1e3;
      transfer.repetitions = repeated(is_plain ? 1 : gain, quiet);
    }
    for (auto& cost : all_series)
      if (is_allocation(cost.measures))
        for (auto& time : cost.times) time.ns = 100;
  }
};

ranking ranked(const measurements& measured, double bytes = 4 * kib) {
  return cost_model(measured).rank({bytes, result_file::direction::h2d, 1e6, 0, 0});
}

TEST(small_transfers, are_recommended_only_if_repetitions_confirm_what_lines_say) {
  const auto confirmed = ranked(small_measurements(0.9));
  EXPECT_EQ(recommended(confirmed).name, "pinned copy");
  EXPECT_EQ(recommended(confirmed).gain_confirmed, true);
  const auto unconfirmed = ranked(small_measurements(1));
  EXPECT_EQ(recommended(unconfirmed).name, "plain copy");
  EXPECT_EQ(recommended(unconfirmed).gain_confirmed, std::nullopt);
  EXPECT_EQ(unconfirmed.strategies.front().gain_confirmed, false);
  EXPECT_EQ(as_good(unconfirmed).size(), 3U) << "all that are no slower";
  EXPECT_EQ(recommended(ranked(small_measurements(1), 64 * kib)).name, "pinned copy");
}

TEST(small_transfers, are_as_good_as_a_strategy_whose_gain_is_confirmed) {
  small_measurements measured(1);
  auto& fastest = measured.add_transfer("fastest", "pinned", 2, 9.9e3, 0.001);
  fastest.repetitions = repeated(0.7, quiet);
  const auto all = ranked(measured);
  EXPECT_EQ(all.strategies.front().name, "fastest");
  EXPECT_EQ(recommended(all).name, "pinned copy") << "plainer, and within 3 %";
  EXPECT_EQ(recommended(all).gain_confirmed, false);
}

TEST(small_transfers, of_few_repetitions_or_dear_memory_are_recommended_by_their_lines) {
  small_measurements few(1), dear(1);
  for (auto& transfer : few.all_series) transfer.repetitions = {};
  EXPECT_EQ(recommended(ranked(few)).name, "pinned copy");
  for (const auto part : {term::allocation, term::deallocation})
    for (auto& time : dear.cost("pageable", part).times) time.ns = 1e10;
  EXPECT_EQ(recommended(ranked(dear)).name, "pinned copy");
}

TEST(small_transfers, are_compared_with_the_baseline_that_can_be_ranked) {
  small_measurements measured(1);
  measured.add_transfer("another plain copy", "pinned", 0, 10e3, 0.001);
  measured.remove("pageable", term::allocation);  // leaves out the first baseline by name
  const auto all = ranked(measured);
  EXPECT_EQ(all.baseline, "another plain copy");
  EXPECT_EQ(recommended(all).name, "another plain copy");
}

TEST(small_transfers, are_named_in_the_map_with_what_is_slower_behind) {
  const auto map =
      map_of(cost_model(small_measurements(1)), {0, result_file::direction::h2d, 1, 0, 0});
  const auto& cell = map.cells.front().back();
  EXPECT_EQ(cell.winner, "plain copy");
  EXPECT_EQ(cell.gain, 1);
  EXPECT_EQ(cell.as_good, 2U);
  EXPECT_EQ(cell.runner_up, std::nullopt) << "nothing is slower";
  EXPECT_EQ(map.cells.back().back().winner, "pinned copy");
}

}  // namespace
}  // namespace bench_transfers::advice::small_transfers_test
