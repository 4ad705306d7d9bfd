#include <random>
#include <utility>
#include <vector>

#include "src/topology/infer/infer.hpp"
#include "src/topology/infer/planner.hpp"
#include "tests/basics.hpp"
#include "tests/simulation/made_up_host.hpp"

namespace bench_transfers::topology::map_test {
namespace {

using simulation::even_host;
using simulation::made_up_host;
using simulation::measured_map;

constexpr double gb = 1e9;

/// How many sets are measured of this host.
std::size_t sets_of_host(const made_up_host& host) {
  simulation::made_up_measurement measure(host, {}, 1);
  std::size_t sets = 0;
  infer(
      {}, simulation::names_of_devices(host.devices),
      [&](const flow_set& flows) { return measure(flows); },
      [&](std::size_t done, std::size_t) { sets = done; });
  return sets;
}

TEST(host_map, a_host_that_shares_nothing_has_no_links_and_does_not_drift) {
  for (const std::size_t devices : {1, 2, 5, 8}) {
    const auto map = measured_map(even_host(devices));
    EXPECT_THAT(map.links, IsEmpty()) << devices;
    EXPECT_THAT(map.drifts, IsEmpty()) << devices;
    EXPECT_NEAR(map.alone.front().h2d.value, 50 * gb, 1 * gb);
  }
}

TEST(host_map, a_link_has_its_devices_and_its_capacity_within_the_interval) {
  const auto map = measured_map(even_host(4, {{device_set::of({1, 2}), traffic::h2d, 60 * gb}}));
  ASSERT_EQ(map.links.size(), 1);
  const auto& link = map.links.front();
  EXPECT_EQ(link.devices, device_set::of({1, 2}));
  ASSERT_TRUE(link.h2d);
  EXPECT_FALSE(link.d2h);
  EXPECT_FALSE(link.both);
  EXPECT_LE(link.h2d->bytes_per_second.low, 60 * gb);
  EXPECT_GE(link.h2d->bytes_per_second.high, 60 * gb);
  EXPECT_NEAR(link.h2d->effect, 0.4, 0.03);
  EXPECT_LT(link.h2d->p, 0.01);
}

TEST(host_map, links_are_found_wherever_they_bind) {
  const std::vector<std::pair<std::size_t, std::vector<limit>>> hosts{
      // With three flows but not two, with all devices only, and with both directions only.
      {5, {{device_set::of({1, 2, 3}), traffic::d2h, 120 * gb}}},
      {6, {{device_set::up_to(6), traffic::h2d, 270 * gb}}},
      {4, {{device_set::of({0, 1}), traffic::both, 150 * gb}}},
      // One that another hides when all copy, and two that give the same.
      {4,
       {{device_set::up_to(4), traffic::h2d, 120 * gb},
        {device_set::of({2, 3}), traffic::h2d, 80 * gb}}},
      {6,
       {{device_set::of({0, 1}), traffic::h2d, 80 * gb},
        {device_set::of({3, 4}), traffic::h2d, 80 * gb}}}};
  for (const auto& [devices, shared] : hosts) {
    const auto map = measured_map(even_host(devices, shared));
    ASSERT_EQ(map.links.size(), shared.size());
    for (std::size_t i = 0; i < shared.size(); ++i) {
      EXPECT_EQ(map.links[i].devices, shared[i].devices);
      for (const auto kind : every_traffic)
        EXPECT_EQ(map.links[i].of(kind).has_value(), kind == shared[i].kind) << i;
      const bool is_inner = i == 1 && devices == 4;
      EXPECT_EQ(parent_of(map, map.links[i]), is_inner ? &map.links[0] : nullptr);
    }
  }
}

TEST(host_map, predicts_sets_that_it_was_not_fitted_to) {
  const auto map = measured_map(even_host(4, {{device_set::of({0, 1}), traffic::h2d, 60 * gb}}));
  ASSERT_TRUE(map.errors);
  EXPECT_LT(map.errors->median, 0.03);
  EXPECT_LT(map.errors->p95, 0.1);
  const auto predicted = rates(map, {device_set::of({0, 1}), device_set::of(2)});
  EXPECT_NEAR((predicted[{0, direction::h2d}]), 30 * gb, 1 * gb);
  EXPECT_NEAR((predicted[{2, direction::d2h}]), 50 * gb, 1 * gb);
}

TEST(host_map, a_link_may_give_one_direction_more_than_the_other) {
  const std::vector<limit> fair{{device_set::of({0, 1}), traffic::both, 150 * gb}};
  const auto alike = measured_map(even_host(4, fair));
  ASSERT_EQ(alike.links.size(), 1);
  EXPECT_FALSE(alike.links.front().both->shares);
  for (const auto& alone : alike.alone) EXPECT_FALSE(alone.shares);
  const auto map =
      measured_map(even_host(4, {{device_set::of({0, 1}), traffic::both, 150 * gb, {0.4, 0.6}}}));
  ASSERT_EQ(map.links.size(), 1);
  ASSERT_TRUE(map.links.front().both && map.links.front().both->shares);
  EXPECT_NEAR(map.links.front().both->shares->h2d, 0.4, 0.01);
  const auto predicted = rates(map, flows_of(device_set::up_to(2), traffic::both));
  EXPECT_NEAR((predicted[{0, direction::h2d}]), 30 * gb, 1 * gb);
  EXPECT_NEAR((predicted[{0, direction::d2h}]), 45 * gb, 1 * gb);
}

TEST(host_map, a_device_may_give_one_direction_more_than_the_other) {
  auto host = even_host(3);
  for (auto& own : host.own)
    if (own.kind == traffic::both) own = {own.devices, own.kind, 75 * gb, {0.6, 0.4}};
  const auto map = measured_map(host);
  EXPECT_THAT(map.links, IsEmpty());
  for (const auto& alone : map.alone) {
    ASSERT_TRUE(alone.shares);
    EXPECT_NEAR(alone.shares->h2d, 0.6, 0.01);
  }
}

observation measured(flow_set flows, const std::vector<double>& gb_per_s) {
  observation observed{flows, {}, {}};
  for (const auto rate : gb_per_s) observed.rates.push_back({rate * gb});
  return observed;
}

/// results/nvidia-h200/2026-11-22-two-gpus/host_map.json
TEST(host_map, two_recorded_gpus_get_more_to_the_host_than_from_it) {
  const auto first = device_set::of(0);
  const auto second = device_set::of(1);
  const auto all = first | second;
  const auto map = map_of({}, simulation::names_of_devices(2),
                          {measured({first, {}}, {54.35}),
                           measured({second, {}}, {54.32}),
                           measured({{}, first}, {54.47}),
                           measured({{}, second}, {54.51}),
                           measured({first, first}, {51.01, 49.07}),
                           measured({second, second}, {50.21, 49.02}),
                           measured({all, {}}, {53.41, 53.38}),
                           measured({{}, all}, {53.35, 53.39}),
                           measured({all, all}, {33.06, 47.51, 33.06, 47.50}),
                           measured({all, {}}, {52.61, 52.62}),
                           measured({{}, all}, {52.97, 52.95}),
                           measured({all, all}, {33.10, 47.38, 33.06, 47.41}),
                           measured({first, {}}, {54.09}),
                           measured({second, {}}, {54.33}),
                           measured({{}, first}, {54.38}),
                           measured({{}, second}, {54.38}),
                           measured({first, first}, {50.93, 49.06}),
                           measured({second, second}, {50.44, 49.10}),
                           measured({all, first}, {40.27, 46.70, 51.54}),
                           measured({first, all}, {37.55, 47.64, 53.54})},
                          {});
  ASSERT_EQ(map.links.size(), 1);
  ASSERT_TRUE(map.links.front().both && map.links.front().both->shares);
  const auto predicted = rates(map, {all, all});
  EXPECT_NEAR((predicted[{0, direction::h2d}]), 33.1 * gb, 1 * gb);
  EXPECT_NEAR((predicted[{1, direction::d2h}]), 47.5 * gb, 1 * gb);
}

TEST(host_map, most_made_up_hosts_are_recovered) {
  std::mt19937_64 random(7);
  std::size_t exact = 0;
  constexpr std::size_t hosts_of_a_size = 24;
  for (const std::size_t devices : {2, 3, 4, 5})
    for (std::size_t i = 0; i < hosts_of_a_size; ++i) {
      const auto host = simulation::random_host({devices, 1 + i % 3, false}, random);
      exact += simulation::compare(host, measured_map(host)).exact();
    }
  EXPECT_GE(static_cast<double>(exact), 0.95 * 4 * hosts_of_a_size);
}

TEST(host_map, most_made_up_hosts_with_unfair_directions_are_recovered) {
  std::mt19937_64 random(7);
  std::size_t exact = 0, unfair = 0;
  constexpr std::size_t hosts = 24;
  for (std::size_t i = 0; i < hosts; ++i) {
    const auto host = simulation::random_host(
        {.devices = 2 + i % 3, .depth = 1 + i % 2, .unfair_links = true}, random);
    const auto map = measured_map(host);
    exact += simulation::compare(host, map).exact();
    for (const auto& link : map.links) unfair += link.both && link.both->shares ? 1 : 0;
    ASSERT_TRUE(map.errors);
    EXPECT_LT(map.errors->median, 0.03);
  }
  EXPECT_GE(static_cast<double>(exact), 0.95 * hosts);
  EXPECT_GT(unfair, 0);
}

TEST(host_map, a_set_that_cannot_be_measured_is_skipped_with_its_reason) {
  simulation::made_up_measurement measure(even_host(3), {}, 1);
  const auto everything = device_set::up_to(3);
  const auto map = infer({}, simulation::names_of_devices(3), [&](const flow_set& flows) {
    if (flows.devices() == everything) return observation{flows, {}, "too little memory"};
    return measure(flows);
  });
  EXPECT_FALSE(map.skipped.empty());
  EXPECT_EQ(map.skipped.front().why_not, "too little memory");
  EXPECT_THAT(map.links, IsEmpty());
}

TEST(host_map, a_device_that_cannot_copy_costs_only_itself) {
  simulation::made_up_measurement measure(
      even_host(4, {{device_set::of({1, 2}), traffic::h2d, 60 * gb}}), {}, 1);
  std::size_t failed = 0;
  const auto map = infer({}, simulation::names_of_devices(4), [&](const flow_set& flows) {
    if (!flows.devices().contains(3)) return measure(flows);
    ++failed;
    return observation{flows, {}, "device lost"};
  });
  ASSERT_EQ(map.links.size(), 1);
  EXPECT_EQ(map.links.front().devices, device_set::of({1, 2}));
  EXPECT_EQ(map.alone[3].h2d.value, 0);
  EXPECT_EQ(failed, 3);  // alone, and then no more
}

host_map map_of_drifting_host(const made_up_host& host, const simulation::made_up_drift& drift) {
  return measured_map(host, {}, 1, drift);
}

TEST(host_map, a_device_that_gets_slower_is_no_link) {
  for (const double length : {0, 10}) {
    const auto map = map_of_drifting_host(
        even_host(5), {.part = 0.08, .devices = device_set::of(2), .begin = 15, .length = length});
    EXPECT_THAT(map.links, IsEmpty());
    ASSERT_FALSE(map.drifts.empty());
    for (const auto& drift : map.drifts) EXPECT_EQ(drift.device, 2);
    EXPECT_NEAR(map.alone[2].h2d.value, 46 * gb, 1 * gb);
    EXPECT_NEAR(map.alone[1].h2d.value, 50 * gb, 1 * gb);
  }
}

TEST(host_map, a_host_that_gets_slower_has_no_links_but_those_that_it_has) {
  const auto everything = device_set::up_to(5);
  const auto map =
      map_of_drifting_host(even_host(5), {.part = 0.08, .devices = everything, .begin = 15});
  EXPECT_THAT(map.links, IsEmpty());
  const auto shared =
      map_of_drifting_host(even_host(5, {{device_set::of({1, 2}), traffic::h2d, 60 * gb}}),
                           {.part = 0.08, .devices = everything, .links = true, .begin = 15});
  ASSERT_EQ(shared.links.size(), 1);
  EXPECT_EQ(shared.links.front().devices, device_set::of({1, 2}));
  EXPECT_TRUE(shared.measured_again);
  EXPECT_NEAR(shared.links.front().h2d->bytes_per_second.value, 0.92 * 60 * gb, 1 * gb);
}

TEST(host_map, a_host_that_never_settles_is_said_and_has_no_invented_links) {
  const auto map = map_of_drifting_host(
      even_host(5),
      {.part = 0.5, .devices = device_set::up_to(5), .links = true, .begin = 0, .length = 200});
  EXPECT_THAT(map.links, IsEmpty());
  EXPECT_FALSE(map.drifts.empty());
  EXPECT_FALSE(map.measured_again);
}

TEST(host_map, a_device_that_is_lost_costs_no_set_without_it) {
  simulation::made_up_measurement measure(
      even_host(6, {{device_set::of({1, 2}), traffic::h2d, 60 * gb}}), {}, 1);
  std::size_t sets = 0;
  std::size_t failed = 0;
  const auto map = infer({}, simulation::names_of_devices(6), [&](const flow_set& flows) {
    if (++sets <= 30 || !flows.devices().contains(5)) return measure(flows);
    ++failed;
    return observation{
        .flows = flows, .rates = {}, .why_not = "device lost", .unusable = device_set::of(5)};
  });
  EXPECT_EQ(failed, 1);
  EXPECT_EQ(map.skipped.size(), 1);
  ASSERT_EQ(map.links.size(), 1);
  EXPECT_EQ(map.links.front().devices, device_set::of({1, 2}));
  EXPECT_TRUE(were_at_once(map, device_set::up_to(5), traffic::both));
  EXPECT_TRUE(map.errors);
}

TEST(host_map, nothing_to_measure_is_refused) {
  EXPECT_THROW(infer({}, {}, [](const flow_set&) { return observation{}; }), std::invalid_argument);
  EXPECT_THROW(infer({}, std::vector<std::string>(65, "host"),
                     [](const flow_set&) { return observation{}; }),
               std::invalid_argument);
}

TEST(host_map, few_sets_suffice_where_nothing_is_shared_and_never_more_than_the_limit) {
  EXPECT_LE(sets_of_host(even_host(8)), 64);
  EXPECT_LE(sets_of_host(simulation::host_of_issue_357()), most_sets(8));
}

TEST(host_map, mixes_directions_where_a_link_limits_both_together) {
  const auto map = measured_map(even_host(3, {{device_set::of({0, 1}), traffic::both, 150 * gb}}));
  for (const auto& mixed : {flow_set{device_set::of({0, 1}), device_set::of(0)},
                            flow_set{device_set::of(1), device_set::of({0, 1})}})
    EXPECT_THAT(map.sets, Contains(AllOf(Field(&compared_set::flows, mixed),
                                         Field(&compared_set::held_out, false))));
}

}  // namespace
}  // namespace bench_transfers::topology::map_test
