#include "src/machine/pci_device.hpp"

#include "tests/basics.hpp"
#include "tests/unit/machine/fake_tree.hpp"
#include "tests/unit/machine/made_up_configuration.hpp"

namespace bench_transfers::machine::pci_device_test {
namespace {

class machine_pci_device : public fake_tree {
 protected:
  static std::string file(const std::string& name) {
    return "sys/bus/pci/devices/0000:c0:01.1/" + name;
  }
};

TEST_F(machine_pci_device, gpus_are_display_controllers_of_nvidia) {
  const auto add = [&](const std::string& address, const char* vendor, const char* device_class) {
    write("sys/bus/pci/devices/" + address + "/vendor", vendor);
    write("sys/bus/pci/devices/" + address + "/class", device_class);
  };
  add("0000:01:00.0", "0x10de\n", "0x030200\n");
  add("0000:02:00.0", "0x10de\n", "0x030000\n");
  add("0000:03:00.0", "0x10de\n", "0x068000\n");  // a switch of NVLink
  add("0000:04:00.0", "0x1002\n", "0x030000\n");
  EXPECT_THAT(nvidia_gpus(root), ElementsAre("0000:01:00.0", "0000:02:00.0"));
}

TEST_F(machine_pci_device, no_gpus_without_a_bus) { EXPECT_TRUE(nvidia_gpus(root).empty()); }

TEST_F(machine_pci_device, the_domain_of_the_iommu_is_that_of_its_group) {
  EXPECT_EQ(iommu_domain_of("0000:c0:01.1", root), std::nullopt);
  write(file("iommu_group/type"), "DMA-FQ\n");
  EXPECT_EQ(iommu_domain_of("00000000:C0:01.1", root), "DMA-FQ");
  EXPECT_EQ(iommu_domain_of("../..", root), std::nullopt);
}

TEST_F(machine_pci_device, a_port_redirects_if_its_acs_says_so) {
  write(file("config"), made_up_configuration(0b1'1101));
  EXPECT_EQ(redirects_peers("0000:c0:01.1", root), true);
  write(file("config"), made_up_configuration(0b1'0001));
  EXPECT_EQ(redirects_peers("0000:c0:01.1", root), false);
}

TEST_F(machine_pci_device, without_acs_nothing_is_redirected) {
  write(file("config"), std::string(4096, '\0'));
  EXPECT_EQ(redirects_peers("0000:c0:01.1", root), false);
}

TEST_F(machine_pci_device, the_first_part_of_a_configuration_says_nothing) {
  EXPECT_EQ(redirects_peers("0000:c0:01.1", root), std::nullopt);
  write(file("config"), made_up_configuration(0b1'1101).substr(0, 64));
  EXPECT_EQ(redirects_peers("0000:c0:01.1", root), std::nullopt);
}

TEST_F(machine_pci_device, a_ring_of_capabilities_ends) {
  std::string ring(4096, '\0');
  ring[0x100] = '\x01';  // another capability, the next one at 0x100
  ring[0x103] = '\x10';
  write(file("config"), ring);
  EXPECT_EQ(redirects_peers("0000:c0:01.1", root), false);
}

TEST_F(machine_pci_device, has_the_settings_of_its_control_registers) {
  // As of a GPU: payload 256, reads of 512, relaxed ordering, extended tags.
  write(file("config"), made_up_pcie_configuration(0x2130U, 0));
  EXPECT_EQ(pcie_settings_of("0000:c0:01.1", root), (pcie_settings{256, 512, true, 8}));
  write(file("config"), made_up_pcie_configuration(0x5000U, 0x1000U));
  EXPECT_EQ(pcie_settings_of("0000:c0:01.1", root), (pcie_settings{128, 4096, false, 10}));
  write(file("config"), made_up_pcie_configuration(0, 0));
  EXPECT_EQ(pcie_settings_of("0000:c0:01.1", root), (pcie_settings{128, 128, false, 5}));
}

TEST_F(machine_pci_device, tells_no_settings_that_the_kernel_does_not_show) {
  EXPECT_EQ(pcie_settings_of("0000:c0:01.1", root), std::nullopt) << "no file";
  EXPECT_EQ(pcie_settings_of("nonsense", root), std::nullopt);
  const auto all = made_up_pcie_configuration(0x2130U, 0);
  for (const std::size_t shown : {0U, 64U, 0x78U + 0x29U}) {
    write(file("config"), all.substr(0, shown));
    EXPECT_EQ(pcie_settings_of("0000:c0:01.1", root), std::nullopt) << shown;
  }
  write(file("config"), std::string(4096, '\0'));
  EXPECT_EQ(pcie_settings_of("0000:c0:01.1", root), std::nullopt) << "no list";
  auto ring = all;
  ring[0x61] = '\x60';
  write(file("config"), ring);
  EXPECT_EQ(pcie_settings_of("0000:c0:01.1", root), std::nullopt) << "a ring";
}

}  // namespace
}  // namespace bench_transfers::machine::pci_device_test
