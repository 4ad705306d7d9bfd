#include "src/topology/findings/findings.hpp"

#include <algorithm>

#include "src/exports/text.hpp"
#include "src/topology/report/report.hpp"
#include "tests/basics.hpp"
#include "tests/simulation/made_up_host.hpp"
#include "tests/unit/topology/told.hpp"

namespace bench_transfers::topology::findings_test {
namespace {

constexpr double gb = 1e9;

statistics::estimate exactly(double value) { return {value, value, value}; }

std::optional<capacity> gives(double value) { return capacity{exactly(value), 0.3, 0, 5}; }

/// Devices of 50 GB/s that share nothing.
host_map map_of_devices(std::size_t devices) {
  host_map map;
  map.devices = simulation::names_of_devices(devices);
  map.alone.assign(devices, {exactly(50 * gb), exactly(50 * gb), exactly(100 * gb)});
  return map;
}

/// In each direction and both ways.
void measure_all_at_once(host_map& map) {
  for (const auto kind : every_traffic) {
    const auto flows = flows_of(device_set::up_to(map.devices.size()), kind);
    const std::vector rates(flows.size(), 50 * gb);
    map.sets.push_back({flows, false, rates, rates});
  }
}

std::string pairs_text(const host_map& map) {
  std::string text;
  for (const auto& table : tables_of_pairs(map)) text += exports::text_of(table);
  return text;
}

TEST(findings, the_host_of_issue_357_is_explained_in_one_sentence) {
  const auto map = simulation::measured_map(simulation::host_of_issue_357());
  const auto explanations = only(map, "all_at_once");
  const auto& data = explanations.data;
  EXPECT_EQ(data["traffic"], (json{"h2d", "d2h"}));
  EXPECT_NEAR(data["total"].get<double>(), 278 * gb, 3 * gb);
  EXPECT_NEAR(data["alone_total"].get<double>(), 8 * 56.2 * gb, 5 * gb);
  ASSERT_EQ(data["groups"].size(), 3);
  const std::vector<std::vector<std::string>> devices{
      {"cuda:0", "cuda:1"}, {"cuda:2", "cuda:3"}, {"cuda:4", "cuda:5", "cuda:6", "cuda:7"}};
  const std::vector<double> each{44.6 * gb, 43.7 * gb, 25.4 * gb};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(data["groups"][i]["devices"], devices[i]);
    EXPECT_NEAR(data["groups"][i]["each"].get<double>(), each[i], 0.5 * gb);
  }
  const auto links = with_code(map, "shared_link");
  ASSERT_THAT(links, SizeIs(3));
  const auto& capacity = links.back().data["capacities"]["h2d"];
  EXPECT_NEAR(capacity["value"].get<double>(), 101.6 * gb, 1 * gb);
  EXPECT_NEAR(capacity["alone_each"].get<double>(), 56.2 * gb, 0.6 * gb);
  EXPECT_NEAR(capacity["together_each"].get<double>(), 25.4 * gb, 0.3 * gb);
}

TEST(findings, the_advice_for_the_host_of_issue_357_is_two_of_four) {
  auto map = map_of_devices(8);
  map.alone.assign(8, {exactly(56.2 * gb), exactly(56.2 * gb), exactly(112.4 * gb)});
  map.links.push_back({device_set::of({4, 5, 6, 7}), gives(101.6 * gb), {}, {}});
  const auto advice = only(map, "at_most");
  EXPECT_EQ(advice.data["count"], 2);
  EXPECT_NEAR(advice.data["each"].get<double>(), 50.8 * gb, 0.01 * gb);
}

TEST(findings, advice_on_how_many_holds_for_any_devices_of_the_link) {
  auto map = map_of_devices(4);
  map.links.push_back({device_set::up_to(4), gives(500 * gb), {}, {}});
  // Two slow devices fit beside each other, two fast ones do not.
  for (const std::size_t fast : {2U, 3U}) map.alone[fast].h2d = exactly(400 * gb);
  const auto advice = only(map, "at_most");
  EXPECT_EQ(advice.data["count"], 1);
  std::ranges::reverse(map.alone);
  EXPECT_EQ(only(map, "at_most").data["count"], 1);
}

TEST(findings, of_devices_that_share_unequally_say_what_each_gets) {
  auto map = map_of_devices(4);
  map.alone[0].h2d = exactly(5 * gb);
  map.links.push_back({device_set::up_to(4), gives(50 * gb), {}, {}});
  const auto together = only(map, "all_at_once");
  EXPECT_EQ(together.data["groups"][0]["rates"], (json{5 * gb, 15 * gb, 15 * gb, 15 * gb}));
  EXPECT_THAT(together.text, HasSubstr("(cuda:0 gets 5.0, cuda:1 to cuda:3 get 15.0 each)"));
  const auto link = only(map, "shared_link");
  EXPECT_EQ(link.data["capacities"]["h2d"]["together"], (json{5 * gb, 15 * gb, 15 * gb, 15 * gb}));
  EXPECT_THAT(link.text, HasSubstr("alone cuda:0 gets 5.0, cuda:1 to cuda:3 get 50.0 each, "
                                   "together cuda:0 gets 5.0"));
}

TEST(findings, samples_that_were_discarded_are_counted_if_there_are_many) {
  auto map = map_of_devices(2);
  measure_all_at_once(map);
  map.sets[0].samples = 18;
  map.sets[0].discarded = 2;
  EXPECT_THAT(with_code(map, "disturbed"), IsEmpty());
  map.sets[1].discarded = 1;
  EXPECT_EQ(only(map, "disturbed").text,
            "3 of 21 samples were discarded, because something else was busy.");
}

TEST(findings, a_device_that_drifts_is_said_with_its_rates) {
  auto map = map_of_devices(5);
  map.drifts = {{1, traffic::h2d, {50 * gb, 49.5 * gb}}, {1, traffic::both, {100 * gb, 92 * gb}}};
  const auto drift = only(map, "drift");
  EXPECT_EQ(drift.data["devices"], json{"cuda:1"});
  EXPECT_EQ(drift.data["largest"]["traffic"], "both");
  EXPECT_NEAR(drift.data["largest"]["part"].get<double>(), 0.08, 1e-9);
  EXPECT_EQ(drift.text,
            "cuda:1 changed during the measurement: it got 100.0, then 92.0 GB/s both ways alone. "
            "A link that takes less than 8 % off it may be missing.");
}

TEST(findings, of_a_device_that_was_not_measured_both_ways_are_finite) {
  auto map = map_of_devices(2);
  map.alone[0].both = {};
  map.links.push_back({device_set::up_to(2), {}, {}, gives(60 * gb)});
  const auto advice = only(map, "at_most");
  EXPECT_GT(advice.data["each"], 0);
  EXPECT_THAT(text_of(map), Not(HasSubstr("both 0.0")));
  EXPECT_THAT(text_of(map), HasSubstr("both - GB/s alone"));
}

TEST(findings, nothing_shared_is_said_once_if_the_sets_show_it) {
  auto map = map_of_devices(4);
  EXPECT_THAT(with_code(map, "nothing_shared"), IsEmpty());
  EXPECT_THAT(with_code(map, "sharing_unknown"), SizeIs(1));
  measure_all_at_once(map);
  EXPECT_THAT(with_code(map, "sharing_unknown"), IsEmpty());
  EXPECT_THAT(with_code(map, "nothing_shared"), SizeIs(1));
  EXPECT_THAT(with_code(map, "all_at_once"), IsEmpty());
  // Against the sets of an interrupted map.
  map.sets.back().measured.front() = 0.59 * map.sets.back().predicted.front();
  EXPECT_THAT(with_code(map, "nothing_shared"), IsEmpty());
  EXPECT_THAT(with_code(map, "sharing_unknown"), SizeIs(1));
  // Of one device, and by a map that does not explain its host.
  EXPECT_THAT(with_code(map_of_devices(1), "nothing_shared"), IsEmpty());
  auto unexplained = map_of_devices(4);
  unexplained.errors = held_out_errors{4, 12, 0.02, 0.5};
  EXPECT_THAT(with_code(unexplained, "nothing_shared"), IsEmpty());
  EXPECT_THAT(with_code(unexplained, "poor_prediction"), SizeIs(1));
}

TEST(findings, a_link_is_named_by_its_port_and_generation) {
  auto map = map_of_devices(2);
  for (auto& alone : map.alone) alone = {exactly(25 * gb), exactly(25 * gb), exactly(45 * gb)};
  const machine::pcie_link gen4{4, 16, 5, 16};
  for (const auto* gpu : {"0000:c2:00.0", "0000:c3:00.0"})
    map.pci.paths.push_back(
        {gpu, "pci0000:c0", {{"0000:c0:01.1", gen4, 1, {}}, {gpu, gen4, 1, {}}}});
  map.pci.visible = true;
  map.links.push_back({device_set::up_to(2), gives(60 * gb), {}, {}});
  const auto place = only(map, "shared_link").data["place"];
  EXPECT_EQ(place["kind"], "port");
  EXPECT_EQ(place["name"], "0000:c0:01.1");
  EXPECT_EQ(place["generation"], 4);
  EXPECT_EQ(place["width"], 16);
  EXPECT_THAT(with_code(map, "hop_below_maximum"), SizeIs(2)) << "a link, not each of its ends";
  EXPECT_THAT(with_code(map, "not_visible"), IsEmpty());
  EXPECT_THAT(tree_text(map), HasSubstr("0000:c0:01.1"));
}

/// A device below a port; both name what runs and what they can do.
host_map map_of_port(const machine::pcie_link& port, const machine::pcie_link& gpu, double rate) {
  auto map = map_of_devices(1);
  map.alone[0] = {exactly(rate), exactly(rate), exactly(rate)};
  map.pci.paths.push_back({"0000:c2:00.0",
                           "pci0000:c0",
                           {{"0000:c0:01.1", port, 1, {}}, {"0000:c2:00.0", gpu, 1, {}}}});
  map.pci.visible = true;
  return map;
}

TEST(findings, a_hop_is_below_its_maximum_only_if_both_ends_can_do_more_than_was_measured) {
  using machine::pcie_link;
  const auto found = [](const pcie_link& port, const pcie_link& gpu, double rate) {
    return with_code(map_of_port(port, gpu, rate), "hop_below_maximum").size();
  };
  EXPECT_EQ(found({4, 16, 5, 16}, {4, 16, 4, 16}, 25 * gb), 0U) << "a Gen4 GPU in a Gen5 slot";
  EXPECT_EQ(found({4, 16, 4, 16}, {4, 16, 5, 16}, 25 * gb), 0U) << "a Gen5 GPU in a Gen4 slot";
  EXPECT_EQ(found({4, 16, 5, 16}, {4, 16, 5, 16}, 25 * gb), 1U);
  EXPECT_EQ(found({5, 8, 5, 16}, {5, 8, 5, 16}, 25 * gb), 1U);
  EXPECT_EQ(found({1, 1, 1, 1}, {5, 16, 5, 16}, 50 * gb), 0U) << "a port that QEMU made up";
  EXPECT_EQ(found({1, 16, 5, 16}, {1, 16, 5, 16}, 50 * gb), 0U) << "it slept when it was read";
  auto of_guest = map_of_port({4, 16, 4, 16}, {5, 8, 5, 8}, 25 * gb);
  of_guest.pci.paths[0].hops.insert(of_guest.pci.paths[0].hops.begin(), 2,
                                    {"0000:c0:00.0", pcie_link{4, 16, 5, 16}, 1, {}});
  EXPECT_THAT(with_code(of_guest, "hop_below_maximum"), SizeIs(1));
  of_guest.pci.is_guest = true;
  EXPECT_THAT(with_code(of_guest, "hop_below_maximum"), IsEmpty()) << "a hypervisor made it up";
}

TEST(findings, several_nodes_give_advice_on_memory) {
  auto map = map_of_devices(3);
  for (const int node : {0, 1, 1})
    map.pci.paths.push_back({"", "", {{"0000:01:00.0", {}, node, {}}}});
  const auto advice = with_code(map, "near_node");
  ASSERT_THAT(advice, SizeIs(2));
  EXPECT_EQ(advice.back().data["node"], 1);
  EXPECT_EQ(advice.back().data["devices"].size(), 2);
  map.pci.paths.pop_back();
  map.pci.paths.pop_back();
  EXPECT_THAT(with_code(map, "near_node"), IsEmpty());
}

TEST(findings, doubts_are_said) {
  auto map = map_of_devices(3);
  EXPECT_THAT(with_code(map, "not_visible"), SizeIs(1));
  EXPECT_THAT(with_code(map, "poor_prediction"), IsEmpty());
  map.errors = held_out_errors{4, 12, 0.01, 0.3};
  EXPECT_THAT(with_code(map, "poor_prediction"), SizeIs(1));
  map.skipped.push_back({flows_of(device_set::up_to(3), traffic::h2d), "too little memory"});
  EXPECT_EQ(only(map, "not_measured").data["count"], 1);
  map.alone[1].h2d = exactly(25 * gb);
  const auto slow = only(map, "slower_alone");
  EXPECT_EQ(slow.data["device"], "cuda:1");
}

TEST(findings, a_device_that_was_not_measured_is_left_out) {
  auto map = map_of_devices(4);
  map.alone[3] = {};
  EXPECT_EQ(only(map, "sharing_unknown").data["devices"].size(), 3);
  EXPECT_THAT(with_code(map, "slower_alone"), IsEmpty());
  EXPECT_THAT(tree_text(map), HasSubstr("cuda:3: not measured"));
  map.links.push_back({device_set::up_to(2), gives(60 * gb), {}, {}});
  EXPECT_THAT(only(map, "all_at_once").data["alone_total"], 150 * gb);
  EXPECT_THAT(pairs_text(map), Not(HasSubstr("nan")));
  EXPECT_THAT(pairs_text(map), ContainsRegex("cuda:3 +- +- +-"));
}

TEST(findings, names_are_shortened_to_ranges) {
  const auto map = map_of_devices(8);
  EXPECT_EQ(names_text(map, device_set::of(3)), "cuda:3");
  EXPECT_EQ(names_text(map, device_set::of({0, 1})), "cuda:0 and cuda:1");
  EXPECT_EQ(names_text(map, device_set::of({4, 5, 6, 7})), "cuda:4 to cuda:7");
  EXPECT_EQ(names_text(map, device_set::of({0, 2, 5})), "cuda:0, cuda:2 and cuda:5");
}

TEST(map_text, shows_links_in_links_and_every_device_once) {
  auto map = map_of_devices(5);
  map.links.push_back({device_set::of({1, 2, 3}), gives(90 * gb), gives(80 * gb), {}});
  map.links.push_back({device_set::of({2, 3}), gives(60 * gb), {}, {}});
  EXPECT_EQ(tree_text(map),
            "host\n"
            "├─ cuda:0: h2d 50.0, d2h 50.0, both 100.0 GB/s alone\n"
            "├─ cuda:1 to cuda:3 share h2d 90.0 [90.0, 90.0], d2h 80.0 [80.0, 80.0] GB/s\n"
            "│  ├─ cuda:1: h2d 50.0, d2h 50.0, both 100.0 GB/s alone\n"
            "│  └─ cuda:2 and cuda:3 share h2d 60.0 [60.0, 60.0] GB/s\n"
            "│     ├─ cuda:2: h2d 50.0, d2h 50.0, both 100.0 GB/s alone\n"
            "│     └─ cuda:3: h2d 50.0, d2h 50.0, both 100.0 GB/s alone\n"
            "└─ cuda:4: h2d 50.0, d2h 50.0, both 100.0 GB/s alone\n");
}

TEST(map_text, pairs_show_only_traffic_that_loses) {
  auto map = map_of_devices(2);
  EXPECT_EQ(pairs_text(map), "");
  map.links.push_back({device_set::up_to(2), gives(60 * gb), {}, {}});
  EXPECT_THAT(pairs_text(map), HasSubstr("h2d"));
  EXPECT_THAT(pairs_text(map), HasSubstr("60"));
  EXPECT_THAT(pairs_text(map), Not(HasSubstr("d2h")));
  map.links.front().d2h = gives(60 * gb);
  EXPECT_THAT(pairs_text(map), HasSubstr("h2d, d2h"));
}

TEST(findings, directions_that_get_different_rates_are_told_in_one_sentence) {
  auto map = map_of_devices(2);
  map.links.push_back({device_set::up_to(2), {}, {}, gives(160 * gb)});
  EXPECT_THAT(with_code(map, "unfair_shares"), IsEmpty());
  map.links.front().both->shares = direction_shares{0.41, 0.59};
  const auto finding = only(map, "unfair_shares");
  EXPECT_NEAR(finding.data["h2d"].get<double>(), 32.8 * gb, 0.1 * gb);
  EXPECT_EQ(finding.data["alone"], false);
  EXPECT_EQ(finding.text,
            "When cuda:0 and cuda:1 copy both ways at once, each gets 32.8 GB/s from the host and "
            "47.2 to it.");
}

TEST(findings, devices_that_divide_unfairly_alone_are_told_together) {
  auto map = map_of_devices(3);
  for (const std::size_t device : {0, 1})
    map.alone[device] = {exactly(50 * gb), exactly(50 * gb), exactly(80 * gb),
                         direction_shares{0.6, 0.4}};
  const auto finding = only(map, "unfair_shares");
  EXPECT_EQ(finding.data["devices"], (json{"cuda:0", "cuda:1"}));
  EXPECT_EQ(finding.text,
            "When cuda:0 and cuda:1 copy both ways alone, each gets 48.0 GB/s from the host and "
            "32.0 to it.");
}

}  // namespace
}  // namespace bench_transfers::topology::findings_test
