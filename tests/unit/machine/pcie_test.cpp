#include "src/machine/pcie.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/machine/fake_tree.hpp"

namespace bench_transfers::machine::pcie_test {
namespace {

using machine_pcie = fake_tree;

TEST(machine_bus_id, forms_of_cuda_become_that_of_the_kernel) {
  EXPECT_EQ(machine::normalised_bus_id("0000:00:06.0"), "0000:00:06.0");
  EXPECT_EQ(machine::normalised_bus_id("00000000:0A:1F.7"), "0000:0a:1f.7");
  EXPECT_EQ(machine::normalised_bus_id("00000008:01:00.0"), "0008:01:00.0");
  EXPECT_EQ(machine::normalised_bus_id("00010000:E1:00.0"), "10000:e1:00.0");
  EXPECT_EQ(machine::normalised_bus_id("65:00.0"), "0000:65:00.0");
}

TEST(machine_bus_id, everything_else_is_refused) {
  for (const char* text : {"",
                           ".",
                           ":",
                           "::.",
                           "0000:00:06",
                           "0000:00:06.",
                           "0000:00:06.8",
                           "0000:00:06.00",
                           "0000:00:20.0",
                           "0000:0:06.0",
                           "0000:000:06.0",
                           ":00:06.0",
                           "0000:00:6.0",
                           "xyz:00:06.0",
                           "0000:zz:06.0",
                           "../../etc:00:06.0",
                           "0000:00:06.0 ",
                           "-001:00:06.0",
                           "100000000:00:06.0",
                           "0000:0000:00:06.0"}) {
    EXPECT_EQ(machine::normalised_bus_id(text), std::nullopt) << '\'' << text << '\'';
  }
}

TEST_F(machine_pcie, link_is_read_whatever_the_form_of_the_bus_id) {
  write_link("0000:0a:00.0", "2.5 GT/s PCIe\n", "8\n");
  for (const char* id : {"0000:0a:00.0", "00000000:0A:00.0", "0a:00.0"}) {
    const auto link = machine::read_pcie_link(id, root);
    ASSERT_TRUE(link) << id;
    EXPECT_EQ(link->generation, 1);
    EXPECT_EQ(link->width, 8);
    EXPECT_EQ(link->generation_max, 5);
    EXPECT_EQ(link->width_max, 16);
  }
}

TEST_F(machine_pcie, every_speed_has_its_generation) {
  const std::vector<std::pair<const char*, int>> speeds{
      {"2.5 GT/s PCIe\n", 1},  {"5.0 GT/s PCIe\n", 2},  {"8.0 GT/s PCIe\n", 3},
      {"16.0 GT/s PCIe\n", 4}, {"32.0 GT/s PCIe\n", 5}, {"64.0 GT/s PCIe\n", 6},
      {"8 GT/s\n", 3},         {"5 GT/s\n", 2}};
  for (const auto& [speed, generation] : speeds) {
    write_link("0000:01:00.0", speed, "16\n");
    const auto link = machine::read_pcie_link("0000:01:00.0", root);
    ASSERT_TRUE(link) << speed;
    EXPECT_EQ(link->generation, generation) << speed;
  }
}

TEST_F(machine_pcie, unknown_links_are_not_invented) {
  EXPECT_FALSE(machine::read_pcie_link("0000:01:00.0", root));
  EXPECT_FALSE(machine::read_pcie_link("nonsense", root));
  for (const char* speed : {"Unknown\n", "Unknown speed\n", "", "9.0 GT/s PCIe\n", "8.0\n",
                            "8.0 GB/s\n", "-8.0 GT/s\n"}) {
    write_link("0000:01:00.0", speed, "16\n");
    EXPECT_FALSE(machine::read_pcie_link("0000:01:00.0", root)) << speed;
  }
  for (const char* width : {"0\n", "255\n", "3\n", "", "Unknown\n", "x16\n"}) {
    write_link("0000:01:00.0", "8.0 GT/s PCIe\n", width);
    EXPECT_FALSE(machine::read_pcie_link("0000:01:00.0", root)) << width;
  }
  write_link("0000:01:00.0", "8.0 GT/s PCIe\n", "16\n", "Unknown\n");
  EXPECT_FALSE(machine::read_pcie_link("0000:01:00.0", root));
  write_link("0000:01:00.0", "8.0 GT/s PCIe\n", "16\n", "32.0 GT/s PCIe\n", "255\n");
  EXPECT_FALSE(machine::read_pcie_link("0000:01:00.0", root));
}

TEST_F(machine_pcie, numa_node_of_a_device) {
  const std::string path = "sys/bus/pci/devices/0000:01:00.0/numa_node";
  EXPECT_EQ(machine::numa_node_of("0000:01:00.0", root), std::nullopt);
  write(path, "1\n");
  EXPECT_EQ(machine::numa_node_of("00000000:01:00.0", root), 1);
  for (const char* node : {"-1\n", "", "none\n", "99999999999\n"}) {
    write(path, node);
    EXPECT_EQ(machine::numa_node_of("0000:01:00.0", root), std::nullopt) << node;
  }
  EXPECT_EQ(machine::numa_node_of("../0000:01:00.0", root), std::nullopt);
}

TEST(machine_pcie_limit, rates_after_line_coding) {
  // Calculated as lanes * GT/s / 8 bits * coding.
  EXPECT_DOUBLE_EQ(machine::pcie_limit_gb_per_s(1, 1), 0.25);
  EXPECT_DOUBLE_EQ(machine::pcie_limit_gb_per_s(2, 16), 8.0);
  EXPECT_NEAR(machine::pcie_limit_gb_per_s(3, 16), 15.754, 0.001);
  EXPECT_NEAR(machine::pcie_limit_gb_per_s(4, 16), 31.508, 0.001);
  EXPECT_NEAR(machine::pcie_limit_gb_per_s(5, 16), 63.015, 0.001);
  EXPECT_NEAR(machine::pcie_limit_gb_per_s(5, 8), 31.508, 0.001);
  EXPECT_DOUBLE_EQ(machine::pcie_limit_gb_per_s(6, 16), 121.0);
}

TEST(machine_pcie_limit, links_that_do_not_exist_are_nan_and_thus_null_in_json) {
  for (const auto& [generation, width] :
       std::vector<std::pair<int, int>>{{0, 16}, {7, 16}, {-1, 16}, {5, 0}, {5, 3}, {5, -8}}) {
    EXPECT_TRUE(std::isnan(machine::pcie_limit_gb_per_s(generation, width)));
    EXPECT_TRUE(std::isnan(machine::pcie_packet_limit_gb_per_s(generation, width).first));
  }
  EXPECT_TRUE(std::isnan(machine::pcie_packet_limit_gb_per_s(5, 16, 0).second));
  EXPECT_TRUE(std::isnan(machine::pcie_packet_limit_gb_per_s(5, 16, -256).second));
  EXPECT_EQ(json(machine::pcie_limit_gb_per_s(0, 0)).dump(), "null");
}

TEST(machine_pcie_limit, packet_headers_are_subtracted) {
  const auto [low, high] = machine::pcie_packet_limit_gb_per_s(5, 16);
  EXPECT_NEAR(low, 57.614, 0.001);   // 63.015 * 256 / 280
  EXPECT_NEAR(high, 58.449, 0.001);  // 63.015 * 256 / 276

  const auto small = machine::pcie_packet_limit_gb_per_s(3, 16, 128);
  EXPECT_NEAR(small.first, 13.266, 0.001);   // 15.754 * 128 / 152
  EXPECT_NEAR(small.second, 13.625, 0.001);  // 15.754 * 128 / 148

  // 128 GB/s on the wires, 236 of 256 bytes for packets, header of 16 or 12 bytes.
  machine::pcie_link link{3, 16, 5, 16};
  EXPECT_EQ(machine::pcie_packet_limit_gb_per_s(link),
            machine::pcie_packet_limit_gb_per_s(3, 16, 256));
  link.settings = machine::pcie_settings{128, 512, true, 8};
  EXPECT_EQ(machine::pcie_packet_limit_gb_per_s(link), small);
  const auto flits = machine::pcie_packet_limit_gb_per_s(6, 16);
  EXPECT_NEAR(flits.first, 111.059, 0.001);   // 118 * 256 / 272
  EXPECT_NEAR(flits.second, 112.716, 0.001);  // 118 * 256 / 268
}

}  // namespace
}  // namespace bench_transfers::machine::pcie_test
