#include "src/topology/flows/max_min.hpp"

#include "tests/basics.hpp"

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
  // Which limit holds each flow back.
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

TEST(max_min, a_full_limit_divides_between_directions_by_its_shares) {
  struct division {
    double shared;
    direction_shares shares;
    traffic kind;
    double h2d, d2h;
  };
  // What a direction cannot take of its share goes to the other; one alone has no shares.
  for (const auto& [shared, shares, kind, h2d, d2h] :
       {division{160, {0.4, 0.6}, traffic::both, 32, 48},
        {180, {0.25, 0.75}, traffic::both, 36, 54},
        {80, {0.25, 0.75}, traffic::h2d, 40, 0}}) {
    auto limits = own({54, 54});
    limits.push_back({both_devices, traffic::both, shared, shares});
    const auto result = fill(limits, 2, flows_of(both_devices, kind));
    for (const std::size_t device : {0, 1}) {
      EXPECT_NEAR((result.rates[{device, direction::h2d}]), h2d, 1e-9);
      EXPECT_NEAR((result.rates[{device, direction::d2h}]), d2h, 1e-9);
    }
  }
}

/// The device's own limit would give more to the host, the shared one more from it, and has enough.
TEST(max_min, a_limit_that_is_not_full_takes_nothing_whatever_its_shares) {
  auto limits = own({54, 54});
  limits.push_back({device_set::of(0), traffic::both, 100});
  limits.push_back({both_devices, traffic::both, 161, {0.41, 0.59}});
  const auto result = fill(limits, 2, {both_devices, device_set::of(0)});
  EXPECT_NEAR((result.rates[{0, direction::h2d}]), 50, 1e-6);
  EXPECT_NEAR((result.rates[{0, direction::d2h}]), 50, 1e-6);
  EXPECT_NEAR((result.rates[{1, direction::h2d}]), 54, 1e-6);
}

TEST(max_min, limits_with_opposite_shares_give_what_they_have_and_no_more) {
  const std::vector<limit> limits{{device_set::of(0), traffic::both, 30, {0.8, 0.2}},
                                  {both_devices, traffic::both, 40, {0.2, 0.8}}};
  const flow_set flows{device_set::of(0), both_devices};
  const auto result = fill(limits, 2, flows);
  for (const auto& limit : limits)
    EXPECT_LE(result.rates.sum(limit.of(flows)), limit.capacity * (1 + 1e-9));
  EXPECT_NEAR(result.rates.sum(flows), 40, 1e-6);
}

/// Where all shares are equal, both ways of filling give the same.
TEST(max_min, shares_that_hardly_differ_change_hardly_anything) {
  auto limits = own({10, 20, 30, 40});
  limits.push_back({device_set::up_to(3), traffic::h2d, 40});
  limits.push_back({device_set::up_to(2), traffic::both, 45});
  limits.push_back({device_set::up_to(4), traffic::both, 120});
  for (const auto& flows : {flows_of(device_set::up_to(4), traffic::both),
                            flow_set{device_set::up_to(3), device_set::of({1, 3})},
                            flow_set{device_set::of({0, 3}), device_set::up_to(2)}}) {
    const auto fair = fill(limits, 4, flows);
    auto other = limits;
    other.back().shares = {0.5 + 1e-9, 0.5 - 1e-9};
    const auto nearly = fill(other, 4, flows);
    for (const auto& flow : list_of(flows)) EXPECT_NEAR(nearly.rates[flow], fair.rates[flow], 1e-5);
  }
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
