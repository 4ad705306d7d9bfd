#include "src/machine/numa.hpp"

#include <string>
#include <vector>

#include "src/machine/files.hpp"
#include "src/machine/machine.hpp"
#include "tests/basics.hpp"
#include "tests/unit/machine/fake_tree.hpp"

namespace bench_transfers::machine::numa_test {
namespace {

class machine_numa : public fake_tree {
 protected:
  void write_node(int number, std::string_view cpus, std::size_t memory_kib,
                  std::string_view distances) const {
    const auto directory = "sys/devices/system/node/node" + std::to_string(number) + "/";
    write(directory + "cpulist", cpus);
    write(directory + "distance", distances);
    write(directory + "meminfo", "Node " + std::to_string(number) + " MemTotal:       " +
                                     std::to_string(memory_kib) + " kB\nNode 0 MemFree: 1 kB\n");
  }

  /// Two sockets, and memory without CPUs.
  void write_two_sockets() const {
    write("sys/devices/system/node/online", "0-2\n");
    write_node(0, "0-3,8-11\n", 1024, "10 21 30\n");
    write_node(1, "4-7,12-15\n", 2048, "21 10 30\n");
    write_node(2, "\n", 4096, "30 30 10\n");
  }
};

TEST_F(machine_numa, nodes_have_cpus_memory_and_distances) {
  write_two_sockets();
  const auto nodes = numa_nodes(root, {0, 1, 4, 20});
  ASSERT_THAT(nodes, SizeIs(3));
  EXPECT_EQ(nodes[0].number, 0);
  EXPECT_THAT(nodes[0].cpus, ElementsAre(0, 1, 2, 3, 8, 9, 10, 11));
  EXPECT_THAT(nodes[0].usable_cpus, ElementsAre(0, 1));
  EXPECT_THAT(nodes[1].usable_cpus, ElementsAre(4));
  EXPECT_EQ(nodes[1].memory_bytes, 2 * mib);
  EXPECT_THAT(nodes[1].distances, ElementsAre(21, 10, 30));
  EXPECT_THAT(nodes[2].cpus, IsEmpty());
  EXPECT_TRUE(nodes[2].has_usable_memory());
}

TEST_F(machine_numa, nodes_that_the_cpuset_forbids_are_marked) {
  write_two_sockets();
  write("proc/self/status", "Mems_allowed:\t5\nMems_allowed_list:\t0,2\n");
  const auto nodes = numa_nodes(root, {0});
  ASSERT_THAT(nodes, SizeIs(3));
  EXPECT_TRUE(nodes[0].memory_allowed);
  EXPECT_FALSE(nodes[1].memory_allowed);
  EXPECT_FALSE(nodes[1].has_usable_memory());
  EXPECT_TRUE(nodes[2].memory_allowed);
}

TEST_F(machine_numa, nodes_without_memory_have_no_usable_memory) {
  write("sys/devices/system/node/online", "0,7\n");
  write_node(0, "0\n", 1, "10 20\n");
  write_node(7, "1\n", 0, "20 10\n");
  const auto nodes = numa_nodes(root, {0, 1});
  ASSERT_THAT(nodes, SizeIs(2));
  EXPECT_EQ(nodes[1].number, 7);
  EXPECT_EQ(nodes[1].memory_bytes, 0U);
  EXPECT_FALSE(nodes[1].has_usable_memory());
}

TEST_F(machine_numa, a_kernel_without_numa_has_one_node) {
  write_meminfo();
  write("sys/devices/system/cpu/online", "0-3\n");
  const auto nodes = numa_nodes(root, {1, 2});
  ASSERT_THAT(nodes, SizeIs(1));
  EXPECT_EQ(nodes[0].number, 0);
  EXPECT_EQ(nodes[0].memory_bytes, 16 * gib);
  EXPECT_THAT(nodes[0].cpus, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(nodes[0].usable_cpus, ElementsAre(1, 2));
}

TEST_F(machine_numa, malformed_files_are_not_known) {
  write("sys/devices/system/node/online", "0\n");
  write("sys/devices/system/node/node0/cpulist", "0-\n");
  write("sys/devices/system/node/node0/distance", "10 x\n");
  write("sys/devices/system/node/node0/meminfo", "Node 0 MemTotal: much kB\n");
  const auto nodes = numa_nodes(root, {0});
  ASSERT_THAT(nodes, SizeIs(1));
  EXPECT_THAT(nodes[0].cpus, IsEmpty());
  EXPECT_THAT(nodes[0].distances, IsEmpty());
  EXPECT_EQ(nodes[0].memory_bytes, std::nullopt);
  EXPECT_TRUE(nodes[0].has_usable_memory()) << "it is tried";
}

TEST_F(machine_numa, is_described_node_by_node) {
  write_two_sockets();
  write("proc/self/status", "Mems_allowed_list:\t0-1\n");
  const auto described = describe(root).at("numa");
  ASSERT_THAT(described, SizeIs(3));
  EXPECT_EQ(described[1].at("node"), 1);
  EXPECT_EQ(described[1].at("cpus"), "4-7,12-15");
  EXPECT_EQ(described[1].at("memory_bytes"), 2 * mib);
  EXPECT_EQ(described[1].at("distances"), json({21, 10, 30}));
  EXPECT_EQ(described[2].at("memory_allowed"), false);
  EXPECT_EQ(described[2].at("cpus"), "");
}

TEST(machine_nearest_node, is_what_all_sources_name) {
  const auto agreed = [](std::optional<int> sysfs, std::optional<int> cuda,
                         std::optional<std::vector<int>> nvml) {
    return nearest_node{sysfs, cuda, std::move(nvml)}.agreed();
  };
  EXPECT_EQ(agreed(1, 1, std::vector{1}), 1);
  EXPECT_EQ(agreed({}, {}, {}), std::nullopt);
  EXPECT_EQ(agreed({}, 1, {}), 1) << "sysfs says -1 in virtual machines";
  EXPECT_EQ(agreed({}, {}, std::vector{0}), 0);
  EXPECT_EQ(agreed(0, 1, {}), std::nullopt);
  EXPECT_EQ(agreed(0, {}, std::vector{1}), std::nullopt);
  EXPECT_EQ(agreed(0, 1, std::vector{1}), std::nullopt) << "no majority";
  EXPECT_EQ(agreed(0, {}, std::vector{0, 1}), 0) << "several nodes name none";
  EXPECT_EQ(agreed(0, {}, std::vector<int>{}), 0);
}

TEST(machine_nearest_node, is_recorded_with_all_sources) {
  EXPECT_EQ(to_json(nearest_node{0, 1, std::vector{0, 1}}),
            json::parse(R"({"sysfs": 0, "cuda": 1, "nvml": [0, 1]})"));
  EXPECT_EQ(to_json(nearest_node{}), json::parse(R"({"sysfs": null, "cuda": null, "nvml": null})"));
}

TEST(machine_lists, have_numbers) {
  EXPECT_EQ(numbers_of_list("0-3,8"), (std::vector<std::size_t>{0, 1, 2, 3, 8}));
  EXPECT_EQ(numbers_of_list("8,0-1,1"), (std::vector<std::size_t>{0, 1, 8}));
  for (const auto* malformed :
       {"", ",", "all", "-3", "3-1", "0-", "0-3,", "0,,1", "0-1-2", "0-18446744073709551615"})
    EXPECT_EQ(numbers_of_list(malformed), std::nullopt) << malformed;
}

}  // namespace
}  // namespace bench_transfers::machine::numa_test
