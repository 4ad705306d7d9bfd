#include "src/topology/pci/pci_view.hpp"

#include "tests/unit/machine/fake_tree.hpp"

namespace bench_transfers::topology::pci_view_test {
namespace {

/// A host as sysfs shows it: folders below the root complexes, and links to them.
class topology_pci_view : public fake_tree {
 protected:
  /// "pci0000:c0/0000:c0:01.1/0000:c1:00.0"
  void add(const std::string& path) const {
    const auto folder = root / "sys/devices" / path;
    std::filesystem::create_directories(folder);
    const auto links = root / "sys/bus/pci/devices";
    std::filesystem::create_directories(links);
    const auto link = links / folder.filename();
    if (!std::filesystem::exists(link)) std::filesystem::create_symlink(folder, link);
  }
  void add_numa_node(const std::string& address, const std::string& node) const {
    write("sys/bus/pci/devices/" + address + "/numa_node", node + "\n");
  }

  /// Two GPUs below a switch at one root port, one at a port of its own.
  void add_three_gpus() const {
    for (const auto* path : {"pci0000:c0/0000:c0:01.1", "pci0000:c0/0000:c0:01.1/0000:c1:00.0",
                             "pci0000:c0/0000:c0:01.1/0000:c1:00.0/0000:c2:00.0",
                             "pci0000:c0/0000:c0:01.1/0000:c1:00.0/0000:c2:00.0/0000:c3:00.0",
                             "pci0000:c0/0000:c0:01.1/0000:c1:00.0/0000:c2:01.0",
                             "pci0000:c0/0000:c0:01.1/0000:c1:00.0/0000:c2:01.0/0000:c4:00.0",
                             "pci0000:40/0000:40:01.1", "pci0000:40/0000:40:01.1/0000:41:00.0"})
      add(path);
  }
  static std::vector<std::string> three_gpus() {
    return {"00000000:41:00.0", "00000000:C3:00.0", "00000000:C4:00.0"};
  }
};

TEST_F(topology_pci_view, has_every_hop_from_the_root_port_to_the_gpu) {
  add_three_gpus();
  const auto view = read_pci_view(three_gpus(), root);
  EXPECT_TRUE(view.visible);
  EXPECT_EQ(view.paths[1].root_complex, "pci0000:c0");
  EXPECT_THAT(view.paths[1].hops, ElementsAre(Field(&pci_hop::address, "0000:c0:01.1"),
                                              Field(&pci_hop::address, "0000:c1:00.0"),
                                              Field(&pci_hop::address, "0000:c2:00.0"),
                                              Field(&pci_hop::address, "0000:c3:00.0")));
}

TEST_F(topology_pci_view, reads_link_node_and_cpus_of_each_hop) {
  add_three_gpus();
  write_link("0000:c0:01.1", "16.0 GT/s PCIe\n", "8\n");
  add_numa_node("0000:c0:01.1", "1");
  add_numa_node("0000:41:00.0", "-1");  // not known
  write("sys/bus/pci/devices/0000:c0:01.1/local_cpulist", "32-63,96-127\n");
  const auto view = read_pci_view(three_gpus(), root);
  const auto& port = view.paths[1].hops.front();
  ASSERT_TRUE(port.link);
  EXPECT_EQ(port.link->generation, 4);
  EXPECT_EQ(port.link->width, 8);
  EXPECT_EQ(port.link->generation_max, 5);
  EXPECT_EQ(port.numa_node, 1);
  EXPECT_EQ(port.local_cpus, "32-63,96-127");
  const auto& gpu = view.paths[0].hops.back();
  EXPECT_EQ(gpu.numa_node, std::nullopt);
  EXPECT_EQ(gpu.link, std::nullopt);
  EXPECT_EQ(gpu.local_cpus, std::nullopt);
}

TEST_F(topology_pci_view, a_gpu_without_a_port_above_shows_nothing) {
  add("pci0000:00/0000:00:06.0");
  add("pci0000:00/0000:00:07.0");
  const auto view = read_pci_view({"0000:00:06.0", "0000:00:07.0"}, root);
  EXPECT_FALSE(view.visible);
  EXPECT_THAT(sets_below_places(view), IsEmpty());
}

TEST_F(topology_pci_view, without_sysfs_nothing_is_visible) {
  const auto view = read_pci_view({"0000:00:06.0", "", "nonsense", "../../etc"}, root);
  EXPECT_FALSE(view.visible);
  EXPECT_EQ(view.paths.size(), 4);
  EXPECT_FALSE(read_pci_view({}, root).visible);
}

TEST_F(topology_pci_view, hints_are_the_sets_below_a_place) {
  add_three_gpus();
  for (const auto* gpu : {"0000:41:00.0", "0000:c3:00.0", "0000:c4:00.0"}) add_numa_node(gpu, "0");
  const auto view = read_pci_view(three_gpus(), root);
  EXPECT_THAT(sets_below_places(view), ElementsAre(device_set::of({1, 2}), device_set::up_to(3)));
}

TEST_F(topology_pci_view, the_places_of_a_set_begin_at_the_devices) {
  add_three_gpus();
  const auto places = places_of(read_pci_view(three_gpus(), root), device_set::of({1, 2}));
  EXPECT_THAT(places, ElementsAre(Field(&common_place::name, "0000:c1:00.0"),
                                  Field(&common_place::name, "0000:c0:01.1"),
                                  Field(&common_place::name, "pci0000:c0")));
  EXPECT_THAT(places_of(read_pci_view(three_gpus(), root), device_set::of({0, 1})), IsEmpty());
}

}  // namespace
}  // namespace bench_transfers::topology::pci_view_test
