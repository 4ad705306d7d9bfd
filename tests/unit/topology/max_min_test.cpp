#include "src/topology/max_min.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bench_transfers::topology::max_min_test {
namespace {

const device_set both_devices = device_set::up_to(2);

std::vector<limit> own(std::vector<double> rates) {
  std::vector<limit> list;
  for (std::size_t device = 0; device < rates.size(); ++device) {
    list.push_back({device_set::of(device), traffic::h2d, rates[device]});
    list.push_back({device_set::of(device), traffic::d2h, rates[device]});
  }
  return list;
}

TEST(max_min, a_lone_flow_has_the_rate_of_its_device) {
  const auto flows = flows_of(device_set::of(1), traffic::h2d);
  const auto result = fill(own({10, 20}), 2, flows);
  EXPECT_EQ((result.rates[{1, direction::h2d}]), 20);
  EXPECT_EQ((result.rates[{0, direction::h2d}]), 0);
}

TEST(max_min, what_a_slow_flow_leaves_goes_to_the_others) {
  auto limits = own({10, 20, 30});
  limits.push_back({device_set::up_to(3), traffic::h2d, 40});
  const auto result = fill(limits, 3, flows_of(device_set::up_to(3), traffic::h2d));
  EXPECT_DOUBLE_EQ((result.rates[{0, direction::h2d}]), 10);
  EXPECT_DOUBLE_EQ((result.rates[{1, direction::h2d}]), 15);
  EXPECT_DOUBLE_EQ((result.rates[{2, direction::h2d}]), 15);
}

TEST(max_min, says_which_limit_holds_each_flow_back) {
  auto limits = own({10, 20, 30});
  limits.push_back({device_set::up_to(3), traffic::h2d, 40});
  const auto result = fill(limits, 3, flows_of(device_set::up_to(3), traffic::h2d));
  EXPECT_EQ(result.flows.front().h2d, device_set::of(0));
  EXPECT_EQ(result.flows.back().h2d, device_set::of({1, 2}));
}

TEST(max_min, directions_share_only_what_limits_both) {
  auto limits = own({10, 10});
  limits.push_back({both_devices, traffic::h2d, 12});
  const auto shared = fill(limits, 2, flows_of(both_devices, traffic::both));
  EXPECT_DOUBLE_EQ((shared.rates[{0, direction::h2d}]), 6);
  EXPECT_DOUBLE_EQ((shared.rates[{0, direction::d2h}]), 10);
  limits.push_back({both_devices, traffic::both, 20});
  const auto less = fill(limits, 2, flows_of(both_devices, traffic::both));
  EXPECT_DOUBLE_EQ((less.rates[{0, direction::h2d}]), 5);
  EXPECT_DOUBLE_EQ((less.rates[{0, direction::d2h}]), 5);
}

TEST(max_min, the_inner_of_two_links_binds_where_it_is_tighter) {
  auto limits = own({10, 10, 10, 10});
  limits.push_back({device_set::up_to(4), traffic::h2d, 30});
  limits.push_back({both_devices, traffic::h2d, 8});
  const auto result = fill(limits, 4, flows_of(device_set::up_to(4), traffic::h2d));
  EXPECT_DOUBLE_EQ((result.rates[{0, direction::h2d}]), 4);
  EXPECT_DOUBLE_EQ((result.rates[{3, direction::h2d}]), 10);
}

TEST(max_min, a_flow_without_limit_has_no_rate) {
  EXPECT_EQ((fill({}, 1, flows_of(device_set::of(0), traffic::h2d)).rates[{0, direction::h2d}]), 0);
}

}  // namespace
}  // namespace bench_transfers::topology::max_min_test
