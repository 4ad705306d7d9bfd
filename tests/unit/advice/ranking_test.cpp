#include "src/advice/ranking.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "tests/unit/advice/made_up_measurements.hpp"

namespace bench_transfers::advice {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr double us = 1e3;  // in ns

question upload(double reuse = 1) { return {1e6, "h2d", reuse, 1, 0}; }

std::vector<std::string> names(const ranking& all) {
  std::vector<std::string> found;
  for (const auto& one : all.strategies) found.push_back(one.name);
  return found;
}

std::vector<std::string> reasons(const ranking& all) {
  std::vector<std::string> found;
  for (const auto& one : all.others) found.push_back(one.name + ": " + one.reason);
  return found;
}

ranked_strategy find(const ranking& all, const std::string& name) {
  for (const auto& one : all.strategies)
    if (one.name == name) return one;
  throw std::out_of_range(name);
}

TEST(ranking, adds_up_what_was_measured) {
  const auto all = cost_model(made_up()).rank({1e6, "h2d", 10, 2, 3});
  const auto& pinned = find(all, "copy/pinned");
  EXPECT_NEAR(pinned.allocation.value, 130 * us, 1);
  EXPECT_NEAR(pinned.fill.value, 200 * us, 1);
  EXPECT_NEAR(pinned.transfer.value, 30 * us, 1);
  EXPECT_NEAR(pinned.read_back.value, 300 * us, 1);
  EXPECT_NEAR(pinned.total.value, 660 * us, 1);
  EXPECT_NEAR(find(all, "copy/pageable").total.value, (20 + 200 + 110 + 300) * us, 1);
  EXPECT_NEAR(find(all, "zero_copy/pinned_mapped").total.value, (130 + 200 + 40 + 2400) * us, 1);
}

TEST(ranking, has_the_fastest_first_which_depends_on_reuse) {
  const cost_model model{made_up()};
  EXPECT_THAT(names(model.rank(upload(1))),
              ElementsAre("copy/pageable", "copy/pinned", "zero_copy/pinned_mapped"));
  EXPECT_THAT(names(model.rank(upload(100))),
              ElementsAre("copy/pinned", "zero_copy/pinned_mapped", "copy/pageable"));
}

TEST(ranking, takes_the_memory_that_the_file_says_a_strategy_uses) {
  made_up measured;
  measured.add_line("copy/staged/h2d", 20e3, 0.025);
  EXPECT_THAT(reasons(cost_model(measured).rank(upload())),
              testing::Contains(testing::StartsWith("copy/staged")));
  measured.memory_by_strategy["copy/staged"] = "pageable";
  const auto& staged = find(cost_model(measured).rank(upload(10)), "copy/staged");
  EXPECT_NEAR(staged.allocation.value, 20 * us, 1);
  EXPECT_NEAR(staged.total.value, (20 + 100 + 45) * us, 1);
}

TEST(ranking, knows_from_how_many_transfers_on_a_strategy_pays) {
  // 1100 µs more to allocate, 80 µs saved by each copy: from 13.75 transfers on.
  const cost_model model{made_up()};
  const auto pays = find(model.rank(upload()), "copy/pinned").pays;
  ASSERT_TRUE(pays);
  EXPECT_EQ(pays->when, break_even::kind::from);
  EXPECT_EQ(pays->count, 14);
  const auto total = [&](const char* name, double reuse) {
    return find(model.rank(upload(reuse)), name).total.value;
  };
  EXPECT_LE(total("copy/pinned", 14), total("copy/pageable", 14));
  EXPECT_GT(total("copy/pinned", 13), total("copy/pageable", 13));
}

TEST(ranking, knows_when_a_strategy_never_pays_or_always_does) {
  auto measured = made_up();
  measured.add_line("copy_async/pageable/h2d", 9e3, 0.1);
  measured.add_line("copy/pageable_slow/h2d", 9e3, 0.2);
  measured.add_line("allocate/pageable_slow", 50e3, 0.1);
  measured.add_line("free/pageable_slow", 25e3, 0.025);
  measured.add_rate("cpu/pageable_slow/write_memcpy", 0.1);
  const auto all = cost_model(measured).rank(upload());
  EXPECT_EQ(find(all, "copy_async/pageable").pays->when, break_even::kind::from);
  EXPECT_EQ(find(all, "copy_async/pageable").pays->count, 1);
  EXPECT_EQ(find(all, "copy/pageable_slow").pays->when, break_even::kind::never);
  EXPECT_FALSE(find(all, "copy/pageable").pays);  // it is what the others are compared with
}

TEST(ranking, knows_up_to_how_many_transfers_a_cheaper_allocation_pays) {
  auto measured = made_up();
  measured.add_line("copy/quick/h2d", 20e3, 0.1);  // 10 µs more for each copy
  measured.add_line("allocate/quick", 25e3, 0.1);  // 25 µs less to allocate, 25 to free
  measured.add_line("free/quick", 0.1, 0.025);
  measured.add_rate("cpu/quick/write_memcpy", 0.1);
  const auto pays = find(cost_model(measured).rank(upload()), "copy/quick").pays;
  EXPECT_EQ(pays->when, break_even::kind::up_to);
  EXPECT_EQ(pays->count, 4);  // 50 µs - 0.1 ns over 10 µs, in whole transfers
}

TEST(ranking, leaves_out_what_lacks_a_term_and_says_which) {
  auto measured = made_up();
  measured.times.erase("allocate/pinned_mapped");
  measured.times.erase("cpu/pinned/write_memcpy");
  measured.add_line("copy/never_allocated/h2d", 1, 1);
  measured.times["copy/one_size/h2d"] = {{1e6, 1}};
  const auto all = cost_model(measured).rank(upload());
  EXPECT_THAT(names(all), ElementsAre("copy/pageable"));
  EXPECT_THAT(reasons(all), ElementsAre("copy/never_allocated: allocation not measured",
                                        "copy/one_size: transfer measured at one size only",
                                        "copy/pinned: CPU writes not measured",
                                        "zero_copy/pinned_mapped: allocation not measured"));
}

TEST(ranking, needs_no_term_that_is_not_asked_for) {
  auto measured = made_up();
  measured.times.erase("cpu/pinned/write_memcpy");
  EXPECT_THAT(cost_model(measured).rank({1e6, "h2d", 1, 0, 1}).others, IsEmpty());
}

TEST(ranking, goes_without_a_term_that_the_file_has_for_nobody) {
  auto measured = made_up();
  std::erase_if(measured.times, [](const auto& one) {
    return one.first.starts_with("allocate/") || one.first.starts_with("free/") ||
           one.first.starts_with("cpu/");
  });
  const cost_model model(measured);
  EXPECT_FALSE(model.measured().allocation);
  EXPECT_FALSE(model.measured().cpu_writes);
  const auto all = model.rank(upload());
  EXPECT_THAT(all.others, IsEmpty());
  EXPECT_NEAR(find(all, "copy/pinned").total.value, 30 * us, 1);
  EXPECT_FALSE(find(all, "copy/pinned").pays);  // what has to pay is not known
}

TEST(ranking, marks_what_is_more_than_twice_beyond_the_sizes_measured) {
  const cost_model model{made_up()};
  const auto extrapolated = [&](double bytes) {
    auto asked = upload();
    asked.bytes = bytes;
    return find(model.rank(asked), "copy/pinned").extrapolated;
  };
  const double largest = model.transfer_sizes()->largest;
  EXPECT_FALSE(extrapolated(500));
  EXPECT_TRUE(extrapolated(499));
  EXPECT_FALSE(extrapolated(largest * 2));
  EXPECT_TRUE(extrapolated(largest * 2 + 1));
}

TEST(ranking, has_wider_intervals_for_sums_than_for_their_terms) {
  auto measured = made_up();
  double sign = 1;
  for (auto& [name, times] : measured.times)
    for (auto& one : times) {
      one.ns *= 1 + 0.01 * sign;
      one.relative_error = 0.01;
      sign = -sign;
    }
  const auto& pinned = find(cost_model(measured).rank(upload()), "copy/pinned");
  const auto reach = [](const statistics::estimate& one) { return one.high - one.value; };
  EXPECT_NEAR(reach(pinned.total),
              std::hypot(reach(pinned.allocation), reach(pinned.fill), reach(pinned.transfer)),
              1e-6 * pinned.total.value);
  EXPECT_GT(reach(pinned.transfer), 0);
}

TEST(ranking, recommends_the_plainest_of_those_that_cannot_be_told_apart) {
  auto measured = made_up();
  for (const auto* name : {"pinned_portable", "pinned_wc"}) {
    const std::string memory = name;
    measured.add_line("copy/" + memory + "/h2d", 10e3 - 1e-9, 0.02);  // faster, but not really
    measured.times["allocate/" + memory] = measured.times["allocate/pinned"];
    measured.times["free/" + memory] = measured.times["free/pinned"];
    measured.times["cpu/" + memory + "/write_memcpy"] = measured.times["cpu/pinned/write_memcpy"];
  }
  for (auto& [name, times] : measured.times)
    for (auto& one : times) one.relative_error = 0.01;
  const auto all = cost_model(measured).rank(upload(1000));
  EXPECT_EQ(not_to_be_told_from_best(all).size(), 3U);
  EXPECT_EQ(recommended(all).name, "copy/pinned");
}

TEST(ranking, does_not_count_in_a_difference_what_both_take_from_the_same_rows) {
  auto measured = made_up();
  measured.add_line("copy_async/pinned/h2d", 15e3, 0.02);  // 5 µs more than copy/pinned
  for (auto* const name : {"allocate/pinned", "cpu/pinned/write_memcpy"})
    for (auto& one : measured.times[name]) one.relative_error = 0.3;
  const auto all = cost_model(measured).rank(upload(1000));
  const auto best = find(all, "copy/pinned");
  EXPECT_EQ(best.behind, statistics::estimate{});
  EXPECT_GT(best.total.high - best.total.value, 50 * us);  // of some 130 µs in all
  const auto behind = find(all, "copy_async/pinned").behind;
  EXPECT_NEAR(behind.value, 5 * us, 1);
  EXPECT_GT(behind.low, 0);
  // Those of other memory do not share what is uncertain.
  EXPECT_LT(find(all, "zero_copy/pinned_mapped").behind.low, 0);
  EXPECT_THAT(not_to_be_told_from_best(all),
              ElementsAre(testing::Field(&ranked_strategy::name, "copy/pinned"),
                          testing::Field(&ranked_strategy::name, "zero_copy/pinned_mapped")));
}

TEST(ranking, refuses_what_cannot_be_asked) {
  const cost_model model{made_up()};
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& bad : std::vector<question>{{0, "h2d"},
                                               {-1, "h2d"},
                                               {nan, "h2d"},
                                               {1e6, "sideways"},
                                               {1e6, "h2d", 0.5},
                                               {1e6, "h2d", nan},
                                               {1e6, "h2d", 1, -1},
                                               {1e6, "h2d", 1, 1, nan}})
    EXPECT_THROW(static_cast<void>(model.rank(bad)), std::invalid_argument);
}

TEST(cpu_rate, changes_with_the_logarithm_of_the_size_and_stays_beyond_the_ends) {
  const cpu_rate rate({{1e3, 1e3 * 0.1}, {1e5, 1e5 * 0.3}});
  EXPECT_NEAR(rate.pass(1e4).value, 1e4 * 0.2, 1e-9);
  EXPECT_NEAR(rate.pass(1e3).value, 1e3 * 0.1, 1e-9);
  EXPECT_NEAR(rate.pass(1e5).value, 1e5 * 0.3, 1e-9);
  EXPECT_NEAR(rate.pass(10).value, 10 * 0.1, 1e-9);
  EXPECT_NEAR(rate.pass(1e9).value, 1e9 * 0.3, 1e-3);
}

TEST(cpu_rate, has_an_interval_that_reaches_to_both_neighbours) {
  const cpu_rate rate({{1e3, 1e3 * 0.1, 0.1}, {1e5, 1e5 * 0.3, 0.1}});
  EXPECT_LT(rate.pass(1e4).low, 1e4 * 0.1);
  EXPECT_GT(rate.pass(1e4).high, 1e4 * 0.3);
  EXPECT_NEAR(rate.pass(1e3).high, 1e3 * 0.1 * (1 + 1.96 * 0.1), 1e-9);
}

TEST(cpu_rate, differs_from_another_by_what_both_neighbouring_sizes_tell) {
  const cpu_rate one({{1e3, 1e3 * 0.1}, {1e5, 1e5 * 0.3}});
  const cpu_rate other({{1e3, 1e3 * 0.09}, {1e5, 1e5 * 0.28}});
  const auto beyond = one.pass_beyond(other, 1e4);  // the same steep step: 0.01 at one end, 0.02
  EXPECT_NEAR(beyond.value, 1e4 * 0.015, 1e-9);
  EXPECT_NEAR(beyond.low, 1e4 * 0.01, 1e-9);
  EXPECT_NEAR(beyond.high, 1e4 * 0.02, 1e-9);
  EXPECT_NEAR(other.pass_beyond(one, 1e4).value, -1e4 * 0.015, 1e-9);
  EXPECT_EQ(one.pass_beyond(one, 1e4).value, 0);
  const cpu_rate uncertain({{1e3, 1e3 * 0.1, 0.1}, {1e5, 1e5 * 0.3, 0.1}});
  EXPECT_NEAR(uncertain.pass_beyond(other, 1e5).high, 1e5 * (0.02 + 1.96 * 0.1 * 0.3), 1e-6);
  EXPECT_NEAR(uncertain.pass_beyond(other, 1e9).value, 1e9 * 0.02, 1e-3);  // beyond the ends
}

TEST(cpu_rate, needs_a_size) { EXPECT_THROW(cpu_rate({}), std::invalid_argument); }

}  // namespace
}  // namespace bench_transfers::advice
