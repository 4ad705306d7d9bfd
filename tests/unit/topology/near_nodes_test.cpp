#include "src/topology/infer/near_nodes.hpp"

#include <random>

#include "src/topology/report/report.hpp"
#include "tests/basics.hpp"
#include "tests/simulation/made_up_host.hpp"
#include "tests/unit/topology/told.hpp"

namespace bench_transfers::topology::near_nodes_test {
namespace {

constexpr double gb = 1e9;

machine::numa_node node(int number) { return {number, std::size_t{64} << 30, true, {0}, {0}, {}}; }

/// Five repetitions of 55 GB/s from the node with the device's number, of `far` from others.
node_measure_function rates_of_far(double far) {
  return [far, random = std::mt19937_64(1)](int node, const flow_set& flows) mutable {
    const auto device = flows.devices().front();
    const auto rate = static_cast<std::size_t>(node) == device / 2 ? 55 * gb : far;
    observation observed{flows, {{}}, {}};
    for (int i = 0; i < 5; ++i)
      observed.rates.front().push_back(rate * std::normal_distribution<double>(1, 0.005)(random));
    return observed;
  };
}

host_map map_with(std::size_t devices, std::vector<node_rates> nodes) {
  host_map map;
  map.devices = simulation::names_of_devices(devices);
  map.alone.assign(devices, {{50 * gb, 0, 0}, {50 * gb, 0, 0}, {100 * gb, 0, 0}});
  map.nodes = std::move(nodes);
  return map;
}

TEST(near_nodes, each_device_alone_is_measured_with_memory_on_each_node) {
  const auto rates = rates_by_node(4, {node(0), node(1)}, rates_of_far(41 * gb));
  ASSERT_THAT(rates, SizeIs(2));
  ASSERT_THAT(rates[1].rates, SizeIs(4));
  ASSERT_TRUE(rates[1].rates[3] && rates[1].rates[0]);
  EXPECT_NEAR(rates[1].rates[3]->h2d.value, 55 * gb, 0.5 * gb);
  EXPECT_NEAR(rates[1].rates[0]->d2h.value, 41 * gb, 0.5 * gb);
  EXPECT_LT(rates[1].rates[0]->d2h.low, rates[1].rates[0]->d2h.value);
}

TEST(near_nodes, the_finding_says_what_far_memory_costs) {
  const auto map = map_with(4, rates_by_node(4, {node(0), node(1)}, rates_of_far(41 * gb)));
  const auto list = with_code(map, "near_node");
  ASSERT_THAT(list, SizeIs(2));
  EXPECT_EQ(list[1].data["node"], 1);
  EXPECT_EQ(list[1].data["far_node"], 0);
  EXPECT_NEAR(list[1].data["h2d"]["lost"]["value"].get<double>(), 1 - 41.0 / 55, 0.01);
  EXPECT_THAT(list[1].text,
              MatchesRegex("Load cuda:2 and cuda:3 from memory of NUMA node 1: "
                           "5[45]\\.[0-9] GB/s each against 4[01]\\.[0-9] with node 0, "
                           "2[56]\\.[0-9] % \\[.*\\] less\\."));
  EXPECT_THAT(text_of(map), HasSubstr("node 0        node 1"));
}

TEST(near_nodes, nodes_that_give_the_same_are_said_to_be_alike) {
  const auto map = map_with(4, rates_by_node(4, {node(0), node(1)}, rates_of_far(55 * gb)));
  EXPECT_THAT(with_code(map, "near_node"), IsEmpty());
  EXPECT_THAT(with_code(map, "nodes_alike"), SizeIs(1));
  // Those that differ less than they vary are not known.
  const statistics::estimate near{50 * gb, 42 * gb, 58 * gb}, far{40 * gb, 32 * gb, 48 * gb};
  const auto unclear =
      map_with(1, {{0, {node_rate{near, near}}, ""}, {1, {node_rate{far, far}}, ""}});
  EXPECT_THAT(with_code(unclear, "near_node"), IsEmpty());
  EXPECT_THAT(with_code(unclear, "nodes_alike"), IsEmpty());
  EXPECT_THAT(with_code(unclear, "nodes_unclear"), SizeIs(1));
}

TEST(near_nodes, what_was_measured_counts_more_than_what_the_kernel_says) {
  auto map = map_with(2, rates_by_node(2, {node(0), node(1)}, rates_of_far(55 * gb)));
  for (const auto node_of_kernel : {0, 1})
    map.pci.paths.push_back({"", "", {{"0000:01:00.0", {}, node_of_kernel, {}}}});
  EXPECT_THAT(with_code(map, "near_node"), IsEmpty());
  map.nodes.clear();
  EXPECT_THAT(with_code(map, "near_node"), SizeIs(2));
}

TEST(near_nodes, nodes_that_cannot_be_used_are_named_with_the_reason) {
  auto forbidden = node(2), empty = node(2), without_cpus = node(3);
  forbidden.memory_allowed = false;
  empty.memory_bytes = 0;
  without_cpus.cpus.clear();
  const auto map = map_with(
      2, rates_by_node(2, {node(0), node(1), forbidden, without_cpus}, rates_of_far(41 * gb)));
  ASSERT_THAT(map.nodes, SizeIs(4));
  EXPECT_THAT(map.nodes[2].rates, Each(std::nullopt));
  EXPECT_THAT(with_code(map, "node_not_measured"),
              Contains(Field(&common::message::text,
                             "Memory of NUMA node 2 was not measured with all devices: this "
                             "process may not use it.")));
  EXPECT_THAT(with_code(map, "node_not_measured"), SizeIs(2));
  // One node alone is not measured.
  const auto never = [](int, const flow_set&) -> observation {
    throw std::logic_error("measured");
  };
  EXPECT_THAT(rates_by_node(2, {node(0)}, never), IsEmpty());
  EXPECT_THAT(rates_by_node(2, {node(0), forbidden, empty}, never), IsEmpty());
}

TEST(near_nodes, a_device_that_fails_on_a_node_costs_only_itself) {
  auto measure = rates_of_far(41 * gb);
  const auto map =
      map_with(4, rates_by_node(4, {node(0), node(1)}, [&](int node, const flow_set& flows) {
                 if (node == 1 && flows.devices().contains(3))
                   return observation{flows, {}, "refused"};
                 return measure(node, flows);
               }));
  EXPECT_FALSE(map.nodes[1].rates[3]);
  EXPECT_TRUE(map.nodes[1].rates[2] && map.nodes[0].rates[3]);
  EXPECT_EQ(map.nodes[1].why_not, "refused");
  EXPECT_FALSE(compare_nodes(map, 3));
  EXPECT_TRUE(compare_nodes(map, 2));
}

}  // namespace
}  // namespace bench_transfers::topology::near_nodes_test
