#include "src/transfers/host/shared_flows.hpp"

#include <random>
#include <vector>

#include "tests/basics.hpp"

namespace transfers::detail::shared_flows_test {
namespace {

constexpr double exact = 1e-9;

TEST(shared_flows, take_as_long_as_their_capacity_says) {
  shared_flows flows({100});
  const auto id = flows.add(50, {0}, 3, 3);
  EXPECT_FALSE(flows.end_of(id));
  EXPECT_THAT(flows.next_end(), Optional(DoubleNear(3.5, exact)));
  flows.advance(3.49);
  EXPECT_FALSE(flows.end_of(id));
  flows.advance(10);
  EXPECT_THAT(flows.end_of(id), Optional(DoubleNear(3.5, exact)));
  EXPECT_FALSE(flows.next_end());
}

TEST(shared_flows, share_a_capacity_equally_until_the_first_one_ends) {
  shared_flows flows({100});
  const auto small = flows.add(50, {0}, 0, 0);
  const auto large = flows.add(150, {0}, 0, 0);
  flows.advance(10);
  EXPECT_THAT(flows.end_of(small), Optional(DoubleNear(1, exact)));
  EXPECT_THAT(flows.end_of(large), Optional(DoubleNear(2, exact)));
}

TEST(shared_flows, slow_down_when_another_flow_joins) {
  shared_flows flows({100});
  const auto first = flows.add(100, {0}, 0, 0);
  const auto second = flows.add(25, {0}, 0.5, 0.5);
  flows.advance(10);
  EXPECT_THAT(flows.end_of(second), Optional(DoubleNear(1, exact)));
  EXPECT_THAT(flows.end_of(first), Optional(DoubleNear(1.25, exact)));
}

TEST(shared_flows, get_the_share_that_others_cannot_use) {
  // Two directions of 10, and 12 for both: three uploads and a download.
  shared_flows flows({10, 10, 12});
  std::vector<shared_flows::flow_id> uploads;
  for (int i = 0; i < 3; ++i) uploads.push_back(flows.add(3, {0, 2}, 0, 0));
  const auto download = flows.add(6, {1, 2}, 0, 0);
  // 3 each; then, when the uploads have ended, 10 for the download.
  flows.advance(10);
  for (const auto id : uploads) EXPECT_THAT(flows.end_of(id), Optional(DoubleNear(1, exact)));
  EXPECT_THAT(flows.end_of(download), Optional(DoubleNear(1.3, exact)));
  // One capacity is small: the other flow gets all of the remainder.
  shared_flows uneven({2, 10, 12});
  const auto slow = uneven.add(2, {0, 2}, 0, 0);
  const auto fast = uneven.add(10, {1, 2}, 0, 0);
  uneven.advance(10);
  EXPECT_THAT(uneven.end_of(slow), Optional(DoubleNear(1, exact)));
  EXPECT_THAT(uneven.end_of(fast), Optional(DoubleNear(1, exact)));
}

TEST(shared_flows, without_a_limit_or_without_bytes_end_at_once) {
  shared_flows flows({0, 100});
  EXPECT_THAT(flows.end_of(flows.add(1e12, {0}, 1, 1)), Optional(1));
  EXPECT_THAT(flows.end_of(flows.add(0, {1}, 2, 2)), Optional(2));
  const auto id = flows.add(100, {0, 1}, 2, 2);
  flows.advance(5);
  EXPECT_THAT(flows.end_of(id), Optional(DoubleNear(3, exact)));
}

TEST(shared_flows, begin_in_the_past_only_while_the_capacity_was_idle) {
  shared_flows flows({100});
  const auto first = flows.add(100, {0}, 0, 0);
  flows.advance(1.2);
  EXPECT_THAT(flows.end_of(first), Optional(DoubleNear(1, exact)));
  // The capacity is idle from 1 on.
  const auto second = flows.add(100, {0}, 0.9, 1.5);
  flows.advance(1.9);
  EXPECT_FALSE(flows.end_of(second));
  // The second flow has used it until now.
  const auto third = flows.add(100, {0}, 1.1, 1.9);
  flows.advance(10);
  EXPECT_THAT(flows.end_of(second), Optional(DoubleNear(2.1, exact)));
  EXPECT_THAT(flows.end_of(third), Optional(DoubleNear(3, exact)));
}

TEST(shared_flows, cross_several_capacities_and_share_each) {
  // Two devices behind links of 40 and a common one of 60, and one behind a link of its own.
  shared_flows flows({40, 40, 60, 30});
  const auto first = flows.add(30, {0, 2}, 0, 0);
  const auto second = flows.add(70, {1, 2}, 0, 0);
  const auto other = flows.add(30, {3}, 0, 0);
  flows.advance(10);
  EXPECT_THAT(flows.end_of(first), Optional(DoubleNear(1, exact)));   // 30 of the common 60
  EXPECT_THAT(flows.end_of(second), Optional(DoubleNear(2, exact)));  // then 40, its own link's
  EXPECT_THAT(flows.end_of(other), Optional(DoubleNear(1, exact)));
}

TEST(shared_flows, that_come_late_get_what_others_have_left) {
  shared_flows flows({100, 50}, 1);
  const auto long_one = flows.add(1000, {1}, 0, 0);
  flows.advance(0.5);
  // Nobody has used the first capacity: the flow ends when it would have ended.
  const auto late = flows.add(100, {0}, 0.25, 0.5);
  flows.advance(2);
  EXPECT_THAT(flows.end_of(late), Optional(DoubleNear(1.25, exact)));
  // A short one has ended before now.
  const auto shorter = flows.add(10, {0}, 1.75, 2);
  EXPECT_THAT(flows.end_of(shorter), Optional(DoubleNear(1.85, exact)));
  // The second capacity is used up.
  const auto without_credit = flows.add(25, {1}, 1.5, 2);
  flows.advance(3);
  EXPECT_THAT(flows.end_of(without_credit), Optional(DoubleNear(3, exact)));
  flows.advance(100);
  EXPECT_THAT(flows.end_of(long_one), Optional(DoubleNear(20.5, exact)));
}

TEST(shared_flows, that_come_late_get_together_no_more_than_is_left) {
  shared_flows flows({100, 1000}, 1);
  const auto long_one = flows.add(1e6, {1}, 0, 0);
  flows.advance(1);
  const auto first = flows.add(100, {0}, 0.5, 1);   // takes the 50 of half a second
  const auto second = flows.add(100, {0}, 0.5, 1);  // and this one the 50 before
  const auto third = flows.add(100, {0}, 0.5, 1);   // nothing is left
  flows.advance(10);
  for (const auto id : {first, second, third}) EXPECT_TRUE(flows.end_of(id));
  // 300 in all, of which 100 were left.
  EXPECT_THAT(flows.end_of(third), Optional(DoubleNear(3, exact)));
  EXPECT_FALSE(flows.end_of(long_one));
}

TEST(shared_flows, keep_what_is_left_only_for_so_long) {
  shared_flows flows({100, 1}, 0.1);
  const auto long_one = flows.add(1000, {1}, 0, 0);
  flows.advance(5);
  const auto late = flows.add(20, {0}, 4, 5);  // 10 of 20 are kept
  flows.advance(10);
  EXPECT_THAT(flows.end_of(late), Optional(DoubleNear(5.1, exact)));
  EXPECT_FALSE(flows.end_of(long_one));
}

TEST(shared_flows, that_are_removed_leave_their_share) {
  shared_flows flows({100});
  const auto kept = flows.add(100, {0}, 0, 0);
  const auto removed = flows.add(100, {0}, 0, 0);
  flows.advance(1);
  flows.remove(removed);
  flows.advance(10);
  EXPECT_THAT(flows.end_of(kept), Optional(DoubleNear(1.5, exact)));
}

TEST(shared_flows, use_all_of_a_capacity_however_often_they_are_advanced) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> fraction(0, 1);
  shared_flows flows({1e9, 2e9, 2.5e9});
  double now = 0;
  double uploaded = 0;
  std::vector<shared_flows::flow_id> ids;
  for (int i = 0; i < 1000; ++i) {
    const double bytes = 1 + fraction(random) * 1e6;
    uploaded += bytes;
    ids.push_back(flows.add(bytes, {0, 2}, now, now));
    now += fraction(random) * 1e-5;  // faster than the link
    flows.advance(now);
  }
  double end = 0;
  while (const auto next = flows.next_end()) flows.advance(end = *next);
  for (const auto id : ids) EXPECT_TRUE(flows.end_of(id));
  EXPECT_NEAR(end, uploaded / 1e9, 1e-6);
}

}  // namespace
}  // namespace transfers::detail::shared_flows_test
