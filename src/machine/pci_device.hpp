#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace bench_transfers::machine
