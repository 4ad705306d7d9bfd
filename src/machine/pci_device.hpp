#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/machine/pcie.hpp"

namespace bench_transfers::machine {

/// The addresses of NVIDIA's GPUs on the PCI bus, whether or not their driver is loaded.
std::vector<std::string> nvidia_gpus(const std::filesystem::path& root = "/");

/// How the IOMMU treats what a device reads and writes: "DMA" and "DMA-FQ" translate addresses,
/// "identity" passes them through (Documentation/ABI/testing/sysfs-kernel-iommu_groups). Nullopt
/// without an IOMMU group.
std::optional<std::string> iommu_domain_of(std::string_view pci_bus_id,
                                           const std::filesystem::path& root = "/");

/// Whether a port sends what its devices copy to each other up to the root complex (Access Control
/// Services: P2P Request Redirect or P2P Completion Redirect; PCI Express Base Specification, "ACS
/// Extended Capability"). False for a port without ACS. Nullopt if the kernel shows only the first
/// part of the port's configuration, as it does to users other than root.
std::optional<bool> redirects_peers(std::string_view pci_bus_id,
                                    const std::filesystem::path& root = "/");

/// Nullopt if the device has no PCI Express capability, or the kernel shows only the first part of
/// its configuration, as it does to users other than root.
std::optional<pcie_settings> pcie_settings_of(std::string_view pci_bus_id,
                                              const std::filesystem::path& root = "/");
/// By the keys of result files.
nlohmann::ordered_json to_json(const pcie_settings& settings);

/// The driver that holds a device: "nvidia", "vfio-pci". Nullopt if none does or none is shown.
std::optional<std::string> driver_of(std::string_view pci_bus_id,
                                     const std::filesystem::path& root = "/");

/// The memory regions (BARs) of a device, from 0, that it asks for and that have no address
/// (`resource`; Documentation/PCI/sysfs-pci.rst): no driver can use it.
std::vector<int> unassigned_bars(std::string_view pci_bus_id,
                                 const std::filesystem::path& root = "/");

/// What saves power at a device and at the link above it (Documentation/ABI/testing: sysfs-bus-pci,
/// sysfs-devices-power). Empty and nullopt where the kernel does not tell.
struct power_saving {
  std::vector<std::string> aspm = {};               ///< states that are allowed: "l0s", "l1_2"
  std::optional<std::string> runtime_control = {};  ///< "auto": it may be suspended; "on"

  bool operator==(const power_saving&) const = default;
};
power_saving power_saving_of(std::string_view pci_bus_id, const std::filesystem::path& root = "/");

/// The kernel's policy of Active State Power Management: "default", "powersave".
std::optional<std::string> aspm_policy(const std::filesystem::path& root = "/");

}  // namespace bench_transfers::machine
