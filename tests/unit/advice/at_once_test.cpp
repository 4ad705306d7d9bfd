#include "src/advice/at_once.hpp"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "src/advice/at_once_words.hpp"
#include "src/exports/text.hpp"
#include "tests/basics.hpp"

namespace bench_transfers::advice::at_once_test {
namespace {

using topology::device_set;
using topology::flows_of;
using topology::host_map;
using topology::traffic;

constexpr double gb = 1e9;

statistics::estimate exactly(double value) { return {value, value, value}; }

/// Four devices of 50 GB/s in each direction; the first two share 60 GB/s from the host.
host_map four_devices() {
  host_map map;
  map.devices = {"cuda:0", "cuda:1", "cuda:2", "cuda:3"};
  map.alone.assign(4, {exactly(50e9), exactly(50e9), exactly(100e9)});
  map.links = {{device_set::of({0, 1}), topology::capacity{exactly(60e9), 0.4, 0.001, 3}, {}, {}}};
  map.errors = topology::held_out_errors{4, 8, 0.01, 0.02};
  return map;
}

copies_at_once from_the_host(const std::vector<std::size_t>& devices, double bytes = gb) {
  return {device_set::of(devices), traffic::h2d, bytes};
}

advice_at_once answer_to(const host_map& map, const copies_at_once& question) {
  return advise_at_once(map, question, std::nullopt).value();
}

std::vector<device_set> groups_of(const advice_at_once& answer) {
  std::vector<device_set> groups;
  for (const auto& group : answer.groups) groups.push_back(group.devices);
  return groups;
}

std::vector<std::string> codes_of(const advice_at_once& answer) {
  std::vector<std::string> codes;
  for (const auto& doubt : answer.doubts) codes.push_back(doubt.code);
  return codes;
}

TEST(copies_at_once, of_devices_that_share_a_link_are_parted) {
  const auto alone = answer_to(four_devices(), from_the_host({0, 2, 3}));
  EXPECT_THAT(groups_of(alone), ElementsAre(device_set::of({0, 2, 3})));
  EXPECT_DOUBLE_EQ(alone.all.total, 150e9);
  EXPECT_DOUBLE_EQ(alone.all.kept, 1);
  EXPECT_NEAR(alone.all.ns, 20e6, 1);
  EXPECT_NEAR(alone.one_by_one_ns, 60e6, 1);
  EXPECT_EQ(alone.fastest, order::at_once);
  const auto answer = answer_to(four_devices(), from_the_host({0, 1, 2, 3}));
  EXPECT_THAT(groups_of(answer), ElementsAre(device_set::of({0, 2, 3}), device_set::of(1)));
  EXPECT_DOUBLE_EQ(answer.all.rates[1].alone, 50e9);
  EXPECT_DOUBLE_EQ(answer.all.rates[1].together, 30e9);
  EXPECT_DOUBLE_EQ(answer.all.kept, 0.6);
  EXPECT_NEAR(answer.all.ns, 1e9 / 30, 1);
  EXPECT_NEAR(answer.groups_ns, 40e6, 1);
  // The link is one from the host.
  const copies_at_once to_the_host{device_set::of({0, 1}), traffic::d2h, gb};
  EXPECT_EQ(answer_to(four_devices(), to_the_host).groups.size(), 1);
}

TEST(copies_at_once, of_the_eight_gpus_of_cuda_samples_issue_357_go_in_two_groups) {
  host_map map;
  for (int device = 0; device < 8; ++device) map.devices.push_back(fmt::format("cuda:{}", device));
  map.alone.assign(8, {exactly(56.2e9), exactly(56.2e9), exactly(112.4e9)});
  const auto shared = [](const std::vector<std::size_t>& devices, double rate) {
    return topology::shared_link{
        device_set::of(devices), topology::capacity{exactly(rate), 0.4, 0.001, 3}, {}, {}};
  };
  map.links = {shared({0, 1}, 89.2e9), shared({2, 3}, 87.4e9), shared({4, 5, 6, 7}, 101.6e9)};
  const auto answer = answer_to(map, from_the_host({0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_NEAR(answer.all.total, 278.2e9, 1);
  EXPECT_THAT(groups_of(answer),
              ElementsAre(device_set::of({0, 2, 4, 5}), device_set::of({1, 3, 6, 7})));
  EXPECT_EQ(answer.fastest, order::at_once);
}

TEST(copies_at_once, get_faster_when_others_have_ended) {
  auto map = four_devices();
  map.alone[1] = {exactly(10e9), exactly(10e9), exactly(20e9)};
  const auto answer = answer_to(map, from_the_host({0, 1}));
  // 50 and 10 GB/s: the first ends after 20 ms, the second goes on alone at the same rate.
  EXPECT_NEAR(answer.all.ns, 100e6, 1);
  map.links[0].h2d->bytes_per_second = exactly(20e9);
  map.alone[1].h2d = exactly(50e9);
  // 10 GB/s each, until both end.
  EXPECT_NEAR(answer_to(map, from_the_host({0, 1})).all.ns, 100e6, 1);
  map.alone[0].h2d = exactly(15e9);
  auto both = from_the_host({0, 1});
  both.kind = traffic::both;
  // From the host 10 and 10 GB/s; to the host 50 and 10 GB/s, which end as early or earlier.
  EXPECT_NEAR(answer_to(map, both).all.ns, 100e6, 1);
}

TEST(copies_at_once, have_the_rates_that_were_measured) {
  auto map = four_devices();
  const auto flows = flows_of(device_set::of({0, 1}), traffic::h2d);
  map.sets = {{flows, false, {20e9, 40e9}, {30e9, 30e9}},
              {flows, false, {24e9, 40e9}, {30e9, 30e9}}};
  const auto answer = answer_to(map, from_the_host({0, 1}));
  EXPECT_EQ(answer.all.source, rate_source::measured);
  EXPECT_DOUBLE_EQ(answer.all.rates[0].together, 22e9);
  EXPECT_DOUBLE_EQ(answer.all.kept, 0.44);
  EXPECT_EQ(answer.all.slowest, (topology::flow{0, topology::direction::h2d}));
  EXPECT_THAT(codes_of(answer), Not(testing::Contains("set_not_measured")));
  // cuda:1 ends after 25 ms; cuda:0 then has 0.45 GB left, at 50 GB/s.
  EXPECT_NEAR(answer.all.ns, 25e6 + 9e6, 1);
}

TEST(copies_at_once, that_are_slower_together_than_alone_go_one_by_one) {
  auto map = four_devices();
  map.sets = {{flows_of(device_set::of({0, 1}), traffic::h2d), false, {10e9, 10e9}, {30e9, 30e9}}};
  const auto answer = answer_to(map, from_the_host({0, 1}));
  EXPECT_EQ(answer.fastest, order::one_by_one) << "groups of one device each are just that";
  EXPECT_NEAR(answer.groups_ns, answer.one_by_one_ns, 1);
}

TEST(copies_at_once, are_finite_where_a_device_was_not_measured_both_ways) {
  auto map = four_devices();
  map.alone[0].both = {};
  const auto answer = answer_to(map, {device_set::of({0, 1}), traffic::both, 1e9});
  EXPECT_TRUE(std::isfinite(answer.all.ns));
  EXPECT_GT(answer.all.kept, 0);
  EXPECT_LE(answer.all.kept, 1);
}

TEST(copies_at_once, say_who_slows_whom) {
  auto map = four_devices();
  map.sets = {{flows_of(device_set::of({0, 2}), traffic::h2d), false, {45e9, 50e9}, {50e9, 50e9}}};
  const auto answer = answer_to(map, from_the_host({0, 1, 2}));
  std::vector<std::string> pairs;
  for (const auto& pair : answer.pairs)
    pairs.push_back(fmt::format("{} beside {} {:.1f} {}", pair.device, pair.other, pair.kept,
                                to_string(pair.source)));
  EXPECT_THAT(pairs, ElementsAre("0 beside 1 0.6 predicted", "0 beside 2 0.9 measured",
                                 "1 beside 0 0.6 predicted", "1 beside 2 1.0 predicted",
                                 "2 beside 0 1.0 measured", "2 beside 1 1.0 predicted"));
}

TEST(copies_at_once, come_with_what_is_not_known) {
  auto map = four_devices();
  map.alone[3] = {};
  map.errors = topology::held_out_errors{4, 8, 0.2, 0.3};
  map.skipped = {{flows_of(device_set::of({0, 1}), traffic::h2d), "too little memory"}};
  auto answer = advise_at_once(map, from_the_host({0, 1, 3}), 16'000'000).value();
  EXPECT_THAT(codes_of(answer),
              ElementsAre("devices_not_measured", "set_skipped", "set_not_measured",
                          "poor_prediction", "other_size", "node_unknown"));
  EXPECT_EQ(answer.doubts[0].data["devices"], nlohmann::json({"cuda:3"}));
  EXPECT_EQ(answer.question.devices, device_set::of({0, 1}));
  EXPECT_FALSE(advise_at_once(map, from_the_host({3}), {}));
}

TEST(copies_at_once, use_the_node_that_was_measured_fastest) {
  auto map = four_devices();
  const auto rate = [](double h2d, double d2h) {
    return topology::node_rate{exactly(h2d), exactly(d2h)};
  };
  map.nodes = {{0, {rate(55e9, 30e9), rate(40e9, 50e9), std::nullopt, std::nullopt}},
               {1, {rate(41e9, 50e9), rate(55e9, 50e9), rate(55e9, 50e9), std::nullopt}}};
  map.pci.paths.resize(4);
  map.pci.paths[2].hops = {{"0000:01:00.0", std::nullopt, 3, std::nullopt}};
  const auto answer = answer_to(map, from_the_host({0, 1, 2, 3}));
  ASSERT_EQ(answer.nodes.size(), 3);
  EXPECT_EQ(answer.nodes[0].node, 0);
  EXPECT_EQ(answer.nodes[0].rate, 55e9);
  EXPECT_EQ(answer.nodes[0].lowest, 41e9);
  EXPECT_EQ(answer.nodes[1].node, 1);
  EXPECT_EQ(answer.nodes[2].node, 3);  // one node was measured, so that nothing can be compared
  EXPECT_EQ(answer.nodes[2].source, node_source::pci);
  EXPECT_EQ(answer.doubts.back().code, "node_unknown");
  // In both directions the slower one decides.
  EXPECT_EQ(answer_to(map, {device_set::of(0), traffic::both, gb}).nodes[0].node, 1);
}

TEST(copies_at_once, on_a_host_of_one_node_need_no_choice) {
  auto map = four_devices();
  map.pci.paths.assign(4, {"", "", {{"0000:01:00.0", std::nullopt, 0, std::nullopt}}});
  const auto answer = answer_to(map, from_the_host({0, 2}));
  EXPECT_THAT(answer.nodes, IsEmpty());
  EXPECT_THAT(codes_of(answer), Not(testing::Contains("node_unknown")));
}

TEST(copies_at_once, that_cannot_be_are_refused) {
  const auto map = four_devices();
  for (const auto& question :
       {copies_at_once{{}, traffic::h2d, gb}, copies_at_once{device_set::of(4), traffic::h2d, gb},
        copies_at_once{device_set::of(0), traffic::h2d, 0},
        copies_at_once{device_set::of(0), traffic::h2d, std::numeric_limits<double>::infinity()}})
    EXPECT_THROW(advise_at_once(map, question, {}), std::invalid_argument);
}

TEST(copies_at_once, are_told_in_words) {
  const map_source source{"host_map.json",
                          {four_devices(), {false, 16'000'000, "2026-11-22", "abc"}}};
  exports::answer answer;
  add_at_once(answer, source, {answer_to(source.contents.map, from_the_host({0, 1, 2, 3}))});
  const auto text = exports::text_of(answer);
  EXPECT_THAT(text, HasSubstr("By the map host_map.json, measured 2026-11-22 by commit abc"));
  EXPECT_THAT(text, HasSubstr("Copy all at once: that takes 33.3 ms, in 2 groups 40.0 ms"));
  EXPECT_THAT(text, HasSubstr("cuda:1       50.0     30.0   60 %\n"));
  EXPECT_THAT(text, HasSubstr("  cuda:0, cuda:2 and cuda:3: 150.0 GB/s, 20.0 ms\n"));
}

}  // namespace
}  // namespace bench_transfers::advice::at_once_test
