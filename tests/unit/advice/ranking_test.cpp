#include "src/advice/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "tests/basics.hpp"
#include "tests/unit/advice/made_up_measurements.hpp"

namespace bench_transfers::advice::ranking_test {
namespace {

using result_file::direction;

constexpr double us = 1e3;  // in ns

question upload(double reuse = 1) { return {1e6, direction::h2d, reuse, 1, 0}; }

std::vector<std::string> names(const ranking& all) {
  std::vector<std::string> names;
  for (const auto& strategy : all.strategies) names.push_back(strategy.name);
  return names;
}

std::vector<std::string> reasons(const ranking& all) {
  std::vector<std::string> reasons;
  for (const auto& left_out : all.left_out)
    reasons.push_back(left_out.name + ": " + left_out.reason);
  return reasons;
}

ranked_strategy find(const ranking& all, const std::string& name) {
  for (const auto& strategy : all.strategies)
    if (strategy.name == name) return strategy;
  throw std::out_of_range(name);
}

TEST(ranking, adds_up_what_was_measured) {
  const auto all = cost_model(made_up()).rank({1e6, direction::h2d, 10, 2, 3});
  const auto& pinned = find(all, "pinned copy");
  EXPECT_NEAR(pinned.allocation.value, 130 * us, 1);
  EXPECT_NEAR(pinned.fill.value, 200 * us, 1);
  EXPECT_NEAR(pinned.transfer.value, 30 * us, 1);
  EXPECT_NEAR(pinned.read_back.value, 300 * us, 1);
  EXPECT_NEAR(pinned.total.value, 660 * us, 1);
  EXPECT_NEAR(find(all, "plain copy").total.value, (20 + 200 + 110 + 300) * us, 1);
  EXPECT_NEAR(find(all, "in place").total.value, (130 + 200 + 40 + 2400) * us, 1);
}

TEST(ranking, has_the_fastest_first_which_depends_on_reuse) {
  const cost_model model{made_up()};
  EXPECT_THAT(names(model.rank(upload(1))), ElementsAre("plain copy", "pinned copy", "in place"));
  EXPECT_THAT(names(model.rank(upload(100))), ElementsAre("pinned copy", "in place", "plain copy"));
}

TEST(ranking, charges_a_strategy_with_the_memory_that_it_uses) {
  made_up measured;
  auto& staged = measured.add_transfer("staged copy", "", 1, 20e3, 0.025);
  staged.memory = std::nullopt;
  EXPECT_THAT(reasons(cost_model(measured).rank(upload())),
              ElementsAre("staged copy: allocation not measured"));
  made_up with_memory;
  with_memory.add_transfer("staged copy", "pageable", 1, 20e3, 0.025);
  const auto& ranked = find(cost_model(with_memory).rank(upload(10)), "staged copy");
  EXPECT_NEAR(ranked.allocation.value, 20 * us, 1);
  EXPECT_NEAR(ranked.total.value, (20 + 100 + 45) * us, 1);
}

TEST(ranking, knows_whose_transfers_were_repeated_too_seldom) {
  auto measured = made_up();
  std::ranges::find(measured.all_series, "pinned copy up", &series::name)->can_tell = false;
  const auto all = cost_model(measured).rank(upload());
  EXPECT_FALSE(find(all, "pinned copy").can_tell);
  EXPECT_TRUE(find(all, "plain copy").can_tell);
}

TEST(ranking, charges_memory_by_the_plainest_way_to_allocate_it) {
  made_up measured;
  auto dear = measured.cost("pageable", term::allocation);
  dear.name = "another";
  dear.plainness.options = 1;
  for (auto& time : dear.times) time.ns *= 100;
  measured.all_series.insert(measured.all_series.begin(), dear);
  EXPECT_NEAR(find(cost_model(measured).rank(upload()), "plain copy").allocation.value, 200 * us,
              1);
}

TEST(ranking, compares_with_the_plainest_copy_whatever_it_is_called) {
  EXPECT_EQ(cost_model(made_up()).rank(upload()).baseline, "plain copy");
  made_up without;
  without.all_series.erase(std::ranges::find(without.all_series, "plain copy up", &series::name));
  const auto all = cost_model(without).rank(upload());
  EXPECT_EQ(all.baseline, std::nullopt);
  EXPECT_FALSE(find(all, "pinned copy").pays);
}

TEST(ranking, knows_from_how_many_transfers_on_a_strategy_pays) {
  // 1100 µs more to allocate, 80 µs saved by each copy: from 13.75 transfers on.
  const cost_model model{made_up()};
  const auto pays = find(model.rank(upload()), "pinned copy").pays;
  ASSERT_TRUE(pays);
  EXPECT_EQ(pays->when, break_even::kind::from);
  EXPECT_EQ(pays->count, 14);
  const auto total = [&](const char* name, double reuse) {
    return find(model.rank(upload(reuse)), name).total.value;
  };
  EXPECT_LE(total("pinned copy", 14), total("plain copy", 14));
  EXPECT_GT(total("pinned copy", 13), total("plain copy", 13));
}

TEST(ranking, knows_when_a_strategy_never_pays_or_always_does) {
  auto measured = made_up();
  measured.add_transfer("quick copy", "pageable", 2, 9e3, 0.1);
  measured.add_transfer("slow copy", "pageable", 2, 9e3, 0.2);
  const auto all = cost_model(measured).rank(upload());
  EXPECT_EQ(find(all, "quick copy").pays->when, break_even::kind::from);
  EXPECT_EQ(find(all, "quick copy").pays->count, 1);
  EXPECT_EQ(find(all, "slow copy").pays->when, break_even::kind::never);
  EXPECT_FALSE(find(all, "plain copy").pays);  // it is what the others are compared with
}

TEST(ranking, knows_up_to_how_many_transfers_a_cheaper_allocation_pays) {
  auto measured = made_up();
  measured.add_transfer("quick", "quick", 1, 20e3, 0.1);  // 10 µs more for each copy
  // 25 µs less to allocate, 25 to free.
  measured.add_memory("quick", {25e3, 0.1}, {0.1, 0.025}, 0.1);
  const auto pays = find(cost_model(measured).rank(upload()), "quick").pays;
  EXPECT_EQ(pays->when, break_even::kind::up_to);
  EXPECT_EQ(pays->count, 4);  // 50 µs - 0.1 ns over 10 µs, in whole transfers
}

TEST(ranking, leaves_out_what_lacks_a_term_and_says_which) {
  auto measured = made_up();
  measured.remove("pinned_mapped", term::allocation);
  measured.remove("pinned", term::cpu_write);
  measured.add_transfer("never allocated", "other", 1, 1, 1);
  measured.add_transfer("one size", "pageable", 1, 1, 1).times.resize(1);
  const auto all = cost_model(measured).rank(upload());
  EXPECT_THAT(names(all), ElementsAre("plain copy"));
  EXPECT_THAT(reasons(all), ElementsAre("in place: allocation not measured",
                                        "never allocated: allocation not measured",
                                        "one size: transfer measured at one size only",
                                        "pinned copy: CPU writes not measured"));
}

TEST(ranking, leaves_out_what_exceeds_the_memory_that_there_is) {
  constexpr double gib = 1 << 30;
  auto measured = made_up();
  const auto ranked = [&](double bytes) {
    return cost_model(measured).rank({bytes, direction::h2d});
  };
  EXPECT_THAT(ranked(3 * gib).left_out, IsEmpty());
  measured.from.host_bytes = 2 * gib;
  EXPECT_THAT(ranked(3 * gib).left_out,
              AllOf(Not(IsEmpty()), Each(Field(&left_out::code, "exceeds_memory"))));
  EXPECT_THAT(ranked(2 * gib).left_out, IsEmpty());
  for (const auto& [part, text] : {std::pair{1.0, "1 GiB"}, {0.5, "0.5 GiB"}}) {
    measured.from.device_bytes = part * gib;
    EXPECT_THAT(reasons(ranked(2 * gib)),
                Each(EndsWith(std::string("more than the memory of the device, ") + text)));
  }
}

TEST(ranking, goes_without_a_term_that_is_not_asked_for_or_that_the_file_has_for_nobody) {
  auto measured = made_up();
  measured.remove("pinned", term::cpu_write);
  EXPECT_THAT(cost_model(measured).rank({1e6, direction::h2d, 1, 0, 1}).left_out, IsEmpty());
  std::erase_if(measured.all_series, [](const series& one) { return !is_transfer(one.measures); });
  const cost_model model(measured);
  EXPECT_FALSE(model.measured().allocation);
  EXPECT_FALSE(model.measured().cpu_writes);
  const auto all = model.rank(upload());
  EXPECT_THAT(all.left_out, IsEmpty());
  EXPECT_NEAR(find(all, "pinned copy").total.value, 30 * us, 1);
  EXPECT_FALSE(find(all, "pinned copy").pays);  // what has to pay is not known
}

TEST(ranking, marks_what_is_more_than_twice_beyond_the_sizes_measured) {
  const cost_model model{made_up()};
  const auto extrapolated = [&](double bytes) {
    auto question = upload();
    question.bytes = bytes;
    return find(model.rank(question), "pinned copy").extrapolated;
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
  for (auto& measured_series : measured.all_series)
    for (auto& time : measured_series.times) {
      time.ns *= 1 + 0.01 * sign;
      time.relative_error = 0.01;
      sign = -sign;
    }
  const auto& pinned = find(cost_model(measured).rank(upload()), "pinned copy");
  const auto reach = [](const statistics::estimate& estimate) {
    return estimate.high - estimate.value;
  };
  EXPECT_NEAR(reach(pinned.total),
              std::hypot(reach(pinned.allocation), reach(pinned.fill), reach(pinned.transfer)),
              1e-6 * pinned.total.value);
  EXPECT_GT(reach(pinned.transfer), 0);
}

TEST(ranking, recommends_the_plainest_of_those_that_cannot_be_told_apart) {
  auto measured = made_up();
  for (const std::string memory : {"pinned_portable", "pinned_wc"}) {
    // Faster, but not really.
    measured.add_transfer(memory, memory, 2, 10e3 - 1e-9, 0.02);
    measured.add_memory(memory, {500e3, 0.5}, {200e3, 0.1}, 0.1);
  }
  for (auto& measured_series : measured.all_series)
    for (auto& time : measured_series.times) time.relative_error = 0.01;
  const auto all = cost_model(measured).rank(upload(1000));
  EXPECT_EQ(statistically_tied(all).size(), 3U);
  EXPECT_EQ(recommended(all).name, "pinned copy");
}

ranked_strategy named(const std::string& name, double total_ns, const plainness& plain) {
  ranked_strategy strategy;
  strategy.name = name;
  strategy.total.value = total_ns;
  strategy.plainness = plain;
  return strategy;
}

std::string recommended_of(const ranked_strategy& first, const ranked_strategy& second) {
  ranking ranked;
  ranked.strategies = {first, second};
  return recommended(ranked).name;
}

/// Of a strategy that takes 1000 ns, and a plainer one that takes so much longer.
std::string recommended_if(double behind_ns, double uncertain_by_ns) {
  auto plain = named("plain", 1000 + behind_ns, {0, false, 0});
  plain.behind = {behind_ns, behind_ns - uncertain_by_ns, behind_ns + uncertain_by_ns};
  return recommended_of(named("fast", 1000, {1, false, 1}), plain);
}

TEST(ranking, recommends_as_the_report_does) {
  EXPECT_EQ(recommended_if(30, 0), "plain") << "within 3 %";
  EXPECT_EQ(recommended_if(31, 0), "fast");
  EXPECT_EQ(recommended_if(31, 31), "plain") << "cannot be told from it";
  EXPECT_EQ(recommended_if(100, 100), "plain");
  EXPECT_EQ(recommended_if(101, 200), "fast") << "too much may be lost";
}

TEST(ranking, recommends_nothing_by_the_chance_of_few_repetitions) {
  for (const auto& [first, second] : {std::pair{true, false}, {false, true}, {false, false}}) {
    auto fast = named("fast", 1000, {1, false, 1});
    auto plain = named("plain", 1100, {0, false, 0});
    plain.behind = {100, 90, 110};
    fast.can_tell = first;
    plain.can_tell = second;
    EXPECT_EQ(recommended_of(fast, plain), "plain");
    plain.total.value = 1101;
    EXPECT_EQ(recommended_of(fast, plain), "fast") << "too much may be lost";
  }
}

TEST(ranking, takes_fewer_calls_for_plainer) {
  const auto first_of = [](const plainness& left, const plainness& right) {
    return recommended_of(named("left", 1000, left), named("right", 1000, right));
  };
  EXPECT_EQ(first_of({0, false, 1}, {0, false, 0}), "right");
  EXPECT_EQ(first_of({0, true, 0}, {0, false, 2}), "right");
  EXPECT_EQ(first_of({0, true, 2}, {1, false, 0}), "left");
  EXPECT_EQ(first_of({0, false, 2}, {0, false, 2}), "left") << "the faster";
}

TEST(ranking, does_not_count_in_a_difference_what_both_take_from_the_same_rows) {
  auto measured = made_up();
  measured.add_transfer("slower", "pinned", 2, 15e3, 0.02);  // 5 µs more than the pinned copy
  for (const auto measures : {term::allocation, term::cpu_write})
    for (auto& time : measured.cost("pinned", measures).times) time.relative_error = 0.3;
  const auto all = cost_model(measured).rank(upload(1000));
  const auto best = find(all, "pinned copy");
  EXPECT_EQ(best.behind, statistics::estimate{});
  EXPECT_GT(best.total.high - best.total.value, 50 * us);  // of some 130 µs in all
  const auto behind = find(all, "slower").behind;
  EXPECT_NEAR(behind.value, 5 * us, 1);
  EXPECT_GT(behind.low, 0);
  // Those of other memory do not share what is uncertain.
  EXPECT_LT(find(all, "in place").behind.low, 0);
  EXPECT_THAT(statistically_tied(all),
              ElementsAre(testing::Field(&ranked_strategy::name, "pinned copy"),
                          testing::Field(&ranked_strategy::name, "in place")));
}

TEST(ranking, does_not_count_what_the_cpu_pays_for_memory_that_is_alike) {
  auto measured = made_up();
  measured.add_transfer("flagged copy", "flagged", 2, 15e3, 0.02);
  measured.add_memory("flagged", {500e3, 0.5}, {200e3, 0.1}, 0.1);
  for (const auto* const memory : {"pinned", "flagged"})
    for (auto& time : measured.cost(memory, term::cpu_write).times) time.relative_error = 0.3;
  const auto behind = [&] {
    return find(cost_model(measured).rank(upload(1000)), "flagged copy").behind;
  };
  EXPECT_LT(behind().low, 0);
  for (const auto* const memory : {"pinned", "flagged"})
    measured.cost(memory, term::cpu_write).pool = "base";
  EXPECT_NEAR(behind().value, 5 * us, 1);
  EXPECT_GT(behind().low, 0);
}

ranking made_up_ranking(double half_interval, double behind) {
  ranking ranked;
  for (const auto* const name : {"zero-copy", "plain copy"}) {
    ranked_strategy strategy;
    strategy.name = name;
    strategy.total = {1000, 1000 - half_interval, 1000 + half_interval};
    ranked.strategies.push_back(strategy);
  }
  ranked.strategies.back().behind = {behind, behind - 100, behind + 100};
  return ranked;
}

TEST(ranking, recommends_nothing_where_times_and_differences_are_unknown) {
  EXPECT_DOUBLE_EQ(reason_not_to_recommend(made_up_ranking(2950, 50)).value(), 2.95);
  EXPECT_DOUBLE_EQ(reason_not_to_recommend(made_up_ranking(1000, 50)).value(), 1);
  EXPECT_EQ(reason_not_to_recommend(made_up_ranking(990, 50)), std::nullopt);
  // The time is not known, but it is the fastest.
  EXPECT_EQ(reason_not_to_recommend(made_up_ranking(2950, 500)), std::nullopt);
}

TEST(ranking, names_sizes_that_would_tell) {
  const auto sizes = [](double bytes) { return sizes_to_measure({bytes, direction::h2d}); };
  EXPECT_THAT(sizes(64 << 20), ElementsAre(32U << 20, 64U << 20, 128U << 20));
  EXPECT_THAT(sizes(1001), ElementsAre(500U, 1000U, 2000U));
  EXPECT_THAT(sizes(1), ElementsAre(4U));
  EXPECT_THAT(sizes(4), ElementsAre(4U, 8U));
}

TEST(ranking, refuses_what_cannot_be_asked) {
  const cost_model model{made_up()};
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& invalid : std::vector<question>{{0, direction::h2d},
                                                   {-1, direction::h2d},
                                                   {nan, direction::h2d},
                                                   {1e6, direction::h2d, 0.5},
                                                   {1e6, direction::h2d, nan},
                                                   {1e6, direction::h2d, 1, -1},
                                                   {1e6, direction::h2d, 1, 1, nan}})
    EXPECT_THROW(static_cast<void>(model.rank(invalid)), std::invalid_argument);
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
  const cpu_rate rate({{1e3, 1e3 * 0.1}, {1e5, 1e5 * 0.3}});
  const cpu_rate faster_rate({{1e3, 1e3 * 0.09}, {1e5, 1e5 * 0.28}});
  const auto beyond =
      rate.pass_beyond(faster_rate, 1e4);  // the same steep step: 0.01 at one end, 0.02
  EXPECT_NEAR(beyond.value, 1e4 * 0.015, 1e-9);
  EXPECT_NEAR(beyond.low, 1e4 * 0.01, 1e-9);
  EXPECT_NEAR(beyond.high, 1e4 * 0.02, 1e-9);
  EXPECT_NEAR(faster_rate.pass_beyond(rate, 1e4).value, -1e4 * 0.015, 1e-9);
  EXPECT_EQ(rate.pass_beyond(rate, 1e4).value, 0);
  const cpu_rate uncertain({{1e3, 1e3 * 0.1, 0.1}, {1e5, 1e5 * 0.3, 0.1}});
  EXPECT_NEAR(uncertain.pass_beyond(faster_rate, 1e5).high, 1e5 * (0.02 + 1.96 * 0.1 * 0.3), 1e-6);
  EXPECT_NEAR(uncertain.pass_beyond(faster_rate, 1e9).value, 1e9 * 0.02, 1e-3);  // beyond the ends
}

TEST(cpu_rate, needs_a_size) { EXPECT_THROW(cpu_rate({}), std::invalid_argument); }

}  // namespace
}  // namespace bench_transfers::advice::ranking_test
