#include "src/topology/findings/unexplained.hpp"

#include <fmt/format.h>

#include "src/topology/map/reader.hpp"
#include "tests/basics.hpp"
#include "tests/simulation/made_up_host.hpp"
#include "tests/unit/topology/told.hpp"

namespace bench_transfers::topology::unexplained_test {
namespace {

constexpr double gb = 1e9;

/// In the order of list_of(flows).
compared_set set_of(const std::vector<std::size_t>& h2d, const std::vector<std::size_t>& d2h,
                    const std::vector<double>& rates) {
  compared_set set{{device_set::of(h2d), device_set::of(d2h)}, false, {}, {}};
  for (const auto rate : rates) set.measured.push_back(rate * gb);
  set.predicted = set.measured;
  return set;
}

/// Two GPUs whose uploads wait for downloads, as two H100s had them.
host_map two_gpus() {
  host_map map;
  map.devices = simulation::names_of_devices(2);
  const auto exactly = [](double value) {
    return statistics::estimate{value * gb, value * gb, value * gb};
  };
  map.alone.assign(2, {exactly(55), exactly(55), exactly(97)});
  map.sets = {set_of({0}, {}, {55}),        set_of({}, {0}, {55}),
              set_of({1}, {}, {55}),        set_of({}, {1}, {55}),
              set_of({1}, {1}, {46.6, 51}), set_of({0, 1}, {0, 1}, {30.5, 52, 30.6, 52})};
  return map;
}

TEST(most_unexplained, a_flow_that_loses_where_no_link_is_full) {
  auto map = two_gpus();
  // 55 + 34.7 + 52 is less than the 165 of all four flows.
  map.sets.push_back(set_of({1}, {0, 1}, {55, 34.7, 52}));
  const auto found = most_unexplained(map);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->flow, (flow{1, direction::h2d}));
  EXPECT_EQ(found->beside, (flow_set{{}, device_set::up_to(2)}));
  EXPECT_EQ(found->beside_fewer, (flow_set{{}, {}}));
  EXPECT_DOUBLE_EQ(found->rate, 34.7 * gb);
  EXPECT_DOUBLE_EQ(found->rate_before, 55 * gb);
  // Its own link had carried 97.6 GB/s both ways.
  EXPECT_NEAR(found->unused, 1 - 86.7 / 97.6, 1e-3);
  const auto data = only(map, "no_link_explains").data;
  EXPECT_EQ(data["flow"], "cuda:1:h2d");
  EXPECT_EQ(data["beside"], (nlohmann::ordered_json{"cuda:0:d2h", "cuda:1:d2h"}));
  EXPECT_TRUE(data["beside_fewer"].empty());
}

TEST(most_unexplained, is_nothing_where_a_link_may_be_full) {
  auto map = two_gpus();
  EXPECT_FALSE(most_unexplained(map));
  // A link of both GPUs may give 165 GB/s, which are used.
  map.sets.push_back(set_of({1}, {0, 1}, {66, 34, 65}));
  EXPECT_FALSE(most_unexplained(map));
}

TEST(most_unexplained, is_nothing_that_a_drift_explains) {
  auto map = two_gpus();
  map.sets.push_back(set_of({1}, {0, 1}, {55, 34.7, 52}));
  map.drifts.push_back({0, traffic::both, {98 * gb, 94 * gb}});
  EXPECT_TRUE(most_unexplained(map));
  map.drifts.push_back({1, traffic::both, {98 * gb, 88 * gb}});
  EXPECT_FALSE(most_unexplained(map));
  map.measured_again = true;
  EXPECT_TRUE(most_unexplained(map));
}

TEST(most_unexplained, is_in_all_maps_of_the_recorded_h100s) {
  for (const auto* folder :
       {"2026-11-26-two-gpus", "2026-11-26-two-gpus-again", "2026-11-26-two-gpus-3"})
    for (int number = 1; number <= 3; ++number) {
      const auto path =
          fmt::format("{}/results/nvidia-h100/{}/host_map-{}.json", PROJECT_DIR, folder, number);
      SCOPED_TRACE(path);
      const auto found = most_unexplained(read_map_file(path).map);
      ASSERT_TRUE(found);
      EXPECT_EQ(found->flow.direction, direction::h2d);
      EXPECT_EQ(found->beside, (flow_set{{}, device_set::up_to(2)}));
      EXPECT_LT(found->rate, 0.75 * found->rate_before);
    }
}

/// Links of all kinds, with any shares of the directions, and whatever measurements vary by.
class made_up_hosts : public testing::TestWithParam<std::uint64_t> {};

TEST_P(made_up_hosts, are_never_said_to_have_no_explanation) {
  std::mt19937_64 random(GetParam());
  for (const auto& noise : {simulation::made_up_noise{0.01, 0.005}, {0.03, 0.015}, {0.02, 0.02}})
    for (const std::size_t devices : {2, 4, 6})
      for (const bool unfair : {false, true}) {
        const auto host = simulation::random_host(
            {.devices = devices, .depth = 2, .unfair_links = unfair, .unfair_devices = unfair},
            random);
        const auto map = simulation::measured_map(host, noise, GetParam());
        EXPECT_THAT(with_code(map, "no_link_explains"), IsEmpty())
            << devices << " devices, " << noise.repetitions << " and " << noise.sets;
      }
}

INSTANTIATE_TEST_SUITE_P(seeds, made_up_hosts, testing::Values<std::uint64_t>(1));

}  // namespace
}  // namespace bench_transfers::topology::unexplained_test
