#include "src/topology/map/reader.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "src/topology/report/report.hpp"
#include "tests/fuzz/kept_inputs.hpp"
#include "tests/fuzz/properties.hpp"
#include "tests/simulation/made_up_host.hpp"
#include "tests/unit/common/complaint.hpp"
#include "tests/unit/machine/fake_tree.hpp"

namespace bench_transfers::topology::reader_test {
namespace {

const std::filesystem::path project = PROJECT_DIR;
const auto recorded = project / "results/nvidia-h200/2026-11-22-two-gpus/host_map.json";

std::string refusal_of(const std::string& text) {
  return common::complaint_of<unusable_map>([&] { return map_file_from_text(text, "some.json"); },
                                            "it was read");
}

/// What is inferred of a host with random links.
host_map made_up_map(std::size_t devices) {
  std::mt19937_64 random(devices);
  const auto host = simulation::random_host({devices, devices > 1 ? std::size_t{1} : 0}, random);
  return simulation::measured_map(host, {}, devices);
}

/// Of three devices, the first two of which share a link.
json document_of_three() {
  host_map map;
  map.devices = simulation::names_of_devices(3);
  const statistics::estimate rate{50e9, 49e9, 51e9};
  map.alone.assign(3, {rate, rate, rate});
  map.links = {{device_set::of({0, 1}), capacity{{60e9, 59e9, 61e9}, 0.4, 0.001, 3}, {}, {}}};
  map.sets = {{flows_of(device_set::of(0), traffic::h2d), true, {50e9}, {50e9}}};
  map.errors = held_out_errors{1, 1, 0.01, 0.02};
  map.nodes = {{0, {node_rate{rate, rate}, node_rate{rate, rate}, std::nullopt}}};
  return to_json(map);
}

TEST(host_map_reader, reads_the_recorded_map_as_it_was_written) {
  const auto read = read_map_file(recorded);
  EXPECT_EQ(read.map.devices, (std::vector<std::string>{"cuda:0", "cuda:1"}));
  EXPECT_EQ(read.map.sets.size(), 22);
  EXPECT_EQ(read.origin, (map_origin{false, 16777216, "2026-11-22T19:13:26Z", "4f0ec4733b5b"}));
  EXPECT_EQ(map_file_from_text(to_json(read.map).dump(), "again.json").map, read.map);
}

TEST(host_map_reader, reads_where_a_map_was_made) {
  auto document = document_of_three();
  document["context"] = {{"host_name", "node\n7"}};
  EXPECT_EQ(map_file_from_text(document.dump(), "some.json").origin.host_name, "node\\n7");
}

TEST(host_map_reader, reads_made_up_maps_as_they_were_written) {
  for (const std::size_t devices : {1, 2, 5}) {
    const auto map = made_up_map(devices);
    EXPECT_EQ(map_file_from_text(to_json(map).dump(), "made_up.json").map, map) << devices;
  }
}

TEST(host_map_reader, refuses_links_that_cannot_be_together) {
  auto bad = document_of_three();
  auto link = bad["links"][0];
  const auto links_of = [&](const std::vector<std::vector<int>>& sets) {
    bad["links"] = json::array();
    for (const auto& set : sets) {
      link["devices"] = set;
      bad["links"].push_back(link);
    }
    return refusal_of(bad.dump());
  };
  EXPECT_THAT(links_of({{0, 1}, {1, 2}}), HasSubstr("links[1] crosses links[0]"));
  EXPECT_THAT(links_of({{0, 1}, {1, 0}}), HasSubstr("links[1] has the devices of links[0]"));
  EXPECT_THAT(links_of({{0, 1}, {0, 1, 2}}),
              HasSubstr("links[1] stands behind links[0], which lies inside of it"));
  EXPECT_EQ(links_of({{0, 1, 2}, {0, 1}}), "it was read");
}

TEST(host_map_reader, names_of_files_cannot_control_a_terminal) {
  EXPECT_THAT([] { read_map_file("\x1b[2J\n.json"); },
              testing::ThrowsMessage<unusable_map>(StartsWith("cannot use \\x1b[2J\\n.json: ")));
}

using oversized_map = fake_tree;

TEST_F(oversized_map, is_not_read_to_its_end) {
  std::filesystem::create_directories(root);
  const auto file = root / "huge.json";
  write("huge.json", "{");
  std::filesystem::resize_file(file, std::uintmax_t{1} << 40);
  EXPECT_THROW(read_map_file(file), unusable_map);
}

TEST(host_map_reader, promises_hold_for_the_inputs_kept_from_fuzzing) {
  EXPECT_GE(fuzz::expect_of_kept_inputs("read_map", fuzz::check_read_map), 10U);
}

}  // namespace
}  // namespace bench_transfers::topology::reader_test
