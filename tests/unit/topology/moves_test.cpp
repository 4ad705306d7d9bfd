#include "src/topology/infer/moves.hpp"

#include "tests/basics.hpp"
#include "tests/unit/topology/searching.hpp"

namespace bench_transfers::topology::moves_test {
namespace {

using searching::gb;
using searching::measured;
using searching::uploads_of;
using searching::with;

/// The devices of the limits beyond the devices' own.
std::vector<device_set> shared_in(const search& search, const prediction& explanation) {
  std::vector<device_set> sets;
  for (std::size_t index = search.own.size(); index < explanation.limits.size(); ++index)
    sets.push_back(explanation.limits[index].devices);
  return sets;
}

class moves : public testing::Test {
 protected:
  void expect_shared(const std::optional<prediction>& moved,
                     const std::vector<std::vector<std::size_t>>& expected) {
    ASSERT_TRUE(moved);
    std::vector<device_set> sets;
    for (const auto& members : expected) sets.push_back(device_set::of(members));
    EXPECT_EQ(shared_in(search_, *moved), sets);
  }

  const std::vector<device_set> hints_ = {};
  const evidence evidence_ = measured({uploads_of({0, 1, 2}, 70)});
  const search search_{evidence_, hints_};
  const prediction right_ = with(search_, {uploads_of({0, 1, 2}, 70)});
};

TEST_F(moves, a_limit_is_added_where_flows_lose) {
  const auto moved = add_limit(search_, with(search_, {}));
  expect_shared(moved, {{0, 1, 2}});
  EXPECT_NEAR(moved->limits.back().capacity, 70 * gb, gb);
  EXPECT_LT(moved->misfit, with(search_, {}).misfit - worth_a_limit);
}

TEST_F(moves, limits_that_explain_less_are_put_right) {
  // One of too few devices, one without a device, one that crosses, one that takes nothing off.
  expect_shared(exchange_limits(search_, with(search_, {uploads_of({0, 1}, 48)})), {{0, 1, 2}});
  expect_shared(move_device(search_, with(search_, {uploads_of({0, 1}, 70)})), {{0, 1, 2}});
  expect_shared(replace_crossed(search_, with(search_, {uploads_of({2, 3}, 90)})), {{0, 1, 2}});
  expect_shared(
      remove_limits(search_, with(search_, {uploads_of({0, 1, 2}, 70), uploads_of({0, 1}, 99)})),
      {{0, 1, 2}});
}

TEST_F(moves, none_is_better_than_what_the_devices_share) {
  for (const auto& move : {add_limit, exchange_limits, move_device, replace_crossed, remove_limits})
    EXPECT_FALSE(move(search_, right_));
}

TEST_F(moves, nothing_is_added_where_devices_share_nothing) {
  const auto alone = measured({});
  const search search(alone, hints_);
  const auto explanation = with(search, {});
  EXPECT_FALSE(add_limit(search, explanation));
  EXPECT_THAT(shared_in(search, filled_up(search, explanation)), IsEmpty());
}

}  // namespace
}  // namespace bench_transfers::topology::moves_test
