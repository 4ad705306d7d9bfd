#include "bench/cli/neighbours.hpp"

#include <string>
#include <vector>

#include "tests/basics.hpp"

namespace bench_transfers::bench::neighbours_test {
namespace {

using result_file::set_kind;

/// A device below these ports, the root port first.
topology::pci_path path(const std::string& root_complex, std::vector<std::string> ports,
                        const std::string& address, std::optional<int> node = {}) {
  topology::pci_path path{address, root_complex, {}};
  for (auto& port : ports) path.hops.push_back({std::move(port), {}, {}, {}});
  path.hops.push_back({address, {}, node, {}});
  return path;
}

/// "port 0000:c0:01.1: 0 1"
std::vector<std::string> texts(const topology::pci_view& view) {
  std::vector<std::string> texts;
  for (const auto& [set, devices] : neighbours_of(view)) {
    texts.push_back(to_string(set.kind) + " " + set.place.value_or("") + ":");
    for (const auto device : devices) texts.back() += " " + std::to_string(device);
  }
  return texts;
}

TEST(neighbours, are_below_a_port_or_a_root_complex) {
  const topology::pci_view view{
      true,
      {path("pci0000:c0", {"0000:c0:01.1", "0000:c1:00.0", "0000:c2:00.0"}, "0000:c3:00.0"),
       path("pci0000:c0", {"0000:c0:01.1", "0000:c1:00.0", "0000:c2:01.0"}, "0000:c4:00.0"),
       path("pci0000:c0", {"0000:c0:03.1"}, "0000:c8:00.0"),
       path("pci0000:40", {"0000:40:01.1"}, "0000:41:00.0")}};
  EXPECT_THAT(texts(view),
              UnorderedElementsAre("port 0000:c0:01.1: 0 1", "port pci0000:c0: 0 1 2"));
}

TEST(neighbours, are_next_to_a_node) {
  std::vector<topology::pci_path> paths;
  for (int i = 0; i < 4; ++i) {
    const auto bus = std::to_string(i);
    paths.push_back(
        path("pci0000:" + bus, {"0000:" + bus + "0:01.0"}, "0000:" + bus + "1:00.0", i / 2));
  }
  EXPECT_THAT(texts({true, paths}), UnorderedElementsAre("node 0: 0 1", "node 1: 2 3"));
}

TEST(neighbours, are_not_all_devices_nor_a_single_one) {
  const topology::pci_view view{true,
                                {path("pci0000:c0", {"0000:c0:01.1"}, "0000:c1:00.0", 0),
                                 path("pci0000:c0", {"0000:c0:02.1"}, "0000:c2:00.0", 0)}};
  EXPECT_THAT(texts(view), IsEmpty());
}

TEST(neighbours, are_none_where_a_container_hides_the_places) {
  EXPECT_THAT(texts({}), IsEmpty());
  auto first = path("", {}, "0000:c1:00.0", 0);
  auto second = path("", {}, "0000:c2:00.0", 0);
  EXPECT_THAT(texts({false, {first, second, {"", {}, {}}}}), IsEmpty());
}

TEST(neighbours, are_next_to_a_node_where_a_virtual_machine_shows_no_ports) {
  std::vector<topology::pci_path> paths;
  for (int i = 0; i < 4; ++i)
    paths.push_back(path("pci0000:00", {}, "0000:00:0" + std::to_string(i) + ".0", i % 2));
  EXPECT_THAT(texts({false, paths}), UnorderedElementsAre("node 0: 0 2", "node 1: 1 3"));
  paths[3].hops.back().numa_node.reset();
  EXPECT_THAT(texts({false, paths}), IsEmpty());
}

TEST(neighbours, of_emulated_devices_are_not_known) {
  const auto layout = layout_of(choose_devices("host:0-2"), {});
  EXPECT_THAT(layout.ids, ElementsAre("host:0", "host:1", "host:2"));
  EXPECT_THAT(layout.neighbours, IsEmpty());
}

}  // namespace
}  // namespace bench_transfers::bench::neighbours_test
