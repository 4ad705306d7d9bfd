#include <nlohmann/json.hpp>
#include <string>

#include "src/common/writing.hpp"
#include "src/topology/infer/infer.hpp"
#include "src/topology/map/reader.hpp"
#include "src/topology/report/report.hpp"
#include "tests/simulation/made_up_host.hpp"
#include "tests/unit/machine/fake_tree.hpp"

namespace bench_transfers::topology::document_test {
namespace {

/// A map with everything that a map can have.
host_map full_map() {
  pci_view pci{true, {}};
  const machine::pcie_link gen5{5, 16, 5, 16};
  for (const auto* gpu : {"0000:01:00.0", "0000:02:00.0", "0000:03:00.0"})
    pci.paths.push_back(
        {gpu,
         "pci0000:00",
         {{"0000:00:01.0", gen5, 0, "0-15"}, {gpu, std::nullopt, std::nullopt, std::nullopt}}});
  simulation::made_up_host host{3, {}, {{device_set::of({0, 1}), traffic::h2d, 60e9}}};
  for (std::size_t device = 0; device < 3; ++device)
    for (const auto kind : {traffic::h2d, traffic::d2h})
      host.own.push_back({device_set::of(device), kind, 50e9});
  simulation::made_up_measurement measure(host, {}, 1);
  auto map = infer(pci, simulation::names_of_devices(3),
                   [&](const flow_set& flows) { return measure(flows); });
  map.skipped.push_back({flows_of(device_set::up_to(3), traffic::both), "too little memory"});
  map.links.front().both =
      capacity{{80e9, 79e9, 81e9}, 0.2, 0.001, 4, direction_shares{0.41, 0.59}};
  const node_rate near{{55e9, 54e9, 56e9}, {53e9, 52e9, 54e9}};
  map.nodes = {{0, {near, near, std::nullopt}}, {2, {near, std::nullopt, near}, "refused"}};
  map.seconds = 3.5;
  map.drifts = {{1, traffic::d2h, {50e9, 46e9}}};
  map.measured_again = true;
  map.sets.front().discarded = 2;
  map.alone[1].shares = direction_shares{0.45, 0.55};
  return map;
}

using host_map_file = fake_tree;

TEST_F(host_map_file, what_is_written_is_read_again) {
  const auto map = full_map();
  common::write_whole(root / "host_map.json", text_of_host_map(map, {}));
  EXPECT_EQ(read_map_file(root / "host_map.json").map, map);
}

TEST_F(host_map_file, says_its_kind_and_format_and_what_was_found) {
  const auto document = to_json(full_map());
  EXPECT_EQ(document["kind"], "host_map");
  EXPECT_EQ(document["format"], 1);
  ASSERT_FALSE(document["findings"].empty());
  for (const auto& finding : document["findings"])
    for (const auto* key : {"code", "data", "text"}) EXPECT_TRUE(finding.contains(key)) << key;
}

TEST_F(host_map_file, without_nodes_shares_and_seconds_it_is_read) {
  auto document = to_json(full_map());
  document.erase("nodes");
  document.erase("seconds");
  document.erase("drifts");
  document.erase("measured_again");
  for (auto& set : document["sets"]) {
    set.erase("samples");
    set.erase("discarded");
  }
  document["links"][0]["capacities"]["both"].erase("shares");
  const auto map = map_file_from_text(document.dump(), "some.json").map;
  EXPECT_TRUE(map.nodes.empty());
  EXPECT_FALSE(map.seconds);
  EXPECT_TRUE(map.drifts.empty());
  EXPECT_FALSE(map.measured_again);
  EXPECT_FALSE(map.links.front().both->shares);
}

TEST_F(host_map_file, a_missing_file_is_named) {
  const auto file = root / "nothing.json";
  EXPECT_THAT([&] { read_map_file(file); },
              testing::ThrowsMessage<unusable_map>(HasSubstr(file.string())));
}

TEST_F(host_map_file, names_may_be_any_bytes_and_cannot_control_a_terminal) {
  auto map = full_map();
  map.devices[0] = "cuda\xff";
  common::write_whole(root / "host_map.json", text_of_host_map(map, {}));
  EXPECT_EQ(read_map_file(root / "host_map.json").map.devices[0], "cuda\xef\xbf\xbd");
  auto document = to_json(full_map());
  document["devices"][0]["name"] = "cuda\x1b[2J\n0";
  EXPECT_EQ(map_file_from_text(document.dump(), "some.json").map.devices[0], "cuda\\x1b[2J\\n0");
}

TEST_F(host_map_file, any_other_value_is_refused_or_can_be_shown) {
  const auto good = to_json(full_map());
  const auto values = good.flatten();
  std::size_t place = 0;
  for (const auto& [pointer, value] : values.items()) {
    if (++place % 41 != 0) continue;
    for (const auto& other : {json(nullptr), json(-1), json(1e308), json("x"), json::array()}) {
      auto changed = good;
      changed[json::json_pointer(pointer)] = other;
      try {
        EXPECT_NE(text_of(map_file_from_text(changed.dump(), "some.json").map), "") << pointer;
      } catch (const unusable_map& refused) {
        EXPECT_THAT(refused.what(), StartsWith("cannot use some.json: ")) << pointer;
      }
    }
  }
}

TEST_F(host_map_file, other_texts_are_refused) {
  for (const auto* text : {"", "null", "[]", "3", "{", "{}", "\"host_map\"", "{\"kind\": 3}"})
    EXPECT_THROW(map_file_from_text(text, "some.json"), unusable_map) << text;
  EXPECT_THROW(map_file_from_text(std::string(200'000, '['), "some.json"), unusable_map);
}

}  // namespace
}  // namespace bench_transfers::topology::document_test
