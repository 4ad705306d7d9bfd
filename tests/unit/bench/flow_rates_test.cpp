#include "bench/harness/flow_rates.hpp"

#include <chrono>
#include <optional>
#include <vector>

#include "tests/basics.hpp"

namespace bench_transfers::bench::flow_rates_test {
namespace {

constexpr double exact = 1e-9;

/// Ends of copies, in microseconds.
copy_ends at(const std::vector<int>& times) {
  copy_ends ends;
  for (const auto time : times) ends.emplace_back(std::chrono::microseconds(time));
  return ends;
}

std::optional<std::vector<double>> rates(const std::vector<copy_ends>& flows,
                                         std::size_t bytes = 1'000'000) {
  return rates_at_once(flows, std::vector<std::size_t>(flows.size(), bytes));
}

TEST(rates_at_once, of_one_flow_are_those_after_the_leading_copy) {
  // A copy of 1 MB in 100 us is 10 GB/s, however late the leading one ended.
  EXPECT_THAT(rates({at({900, 1000, 1100, 1200})}), Optional(ElementsAre(DoubleNear(10, exact))));
}

TEST(rates_at_once, count_only_while_all_are_busy) {
  // The first is twice as fast while it is alone: until 1000, and from 2000 on.
  const auto first = at({800, 850, 900, 950, 1000, 1100, 1200, 1300, 1400, 1500, 1600, 1700, 1800,
                         1900, 2000, 2050, 2100});
  const auto second = at({1000, 1200, 1400, 1600, 1800, 2000});
  EXPECT_THAT(rates({first, second}),
              Optional(ElementsAre(DoubleNear(10, exact), DoubleNear(5, exact))));
}

TEST(rates_at_once, count_copies_that_were_under_way_by_the_part_of_their_time) {
  // From 50 to 250: half a copy, one, and half a copy.
  EXPECT_THAT(rates({at({0, 100, 200, 300}), at({50, 150, 250})}),
              Optional(ElementsAre(DoubleNear(10, exact), DoubleNear(10, exact))));
  // Three quarters of a copy, and three.
  EXPECT_THAT(rates({at({0, 200}), at({0, 50, 100, 150})}),
              Optional(ElementsAre(DoubleNear(5, exact), DoubleNear(20, exact))));
}

TEST(rates_at_once, are_none_if_the_flows_ran_one_after_another) {
  EXPECT_EQ(rates({at({0, 100, 200}), at({200, 300, 400})}), std::nullopt);
  EXPECT_EQ(rates({at({0, 100, 200}), at({500, 600})}), std::nullopt);
  // At once for less than half of their time.
  EXPECT_EQ(rates({at({0, 100, 200, 300}), at({160, 260, 360, 460})}), std::nullopt);
  EXPECT_TRUE(rates({at({0, 100, 200, 300}), at({140, 240, 340, 440})}));
}

TEST(rates_at_once, need_a_copy_after_the_leading_one) {
  EXPECT_EQ(rates({at({0, 100}), at({50})}), std::nullopt);
  EXPECT_EQ(rates({at({0, 100}), {}}), std::nullopt);
}

TEST(copies_lasting, are_of_the_slowest_flow_and_neither_few_nor_many) {
  const std::vector flows{at({0, 100, 200}), at({0, 250, 500}), at({700})};
  EXPECT_EQ(copies_lasting(2501us, flows), 11U);
  EXPECT_EQ(copies_lasting(1us, flows), 4U);
  EXPECT_EQ(copies_lasting(1h, flows), 256U);
  EXPECT_EQ(copies_lasting(1us, std::vector<copy_ends>{at({700})}), 256U);
}

}  // namespace
}  // namespace bench_transfers::bench::flow_rates_test
