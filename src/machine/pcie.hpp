#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace bench_transfers::machine {

/// What a device may do on its link, by its configuration (PCI Express Base Specification, "Device
/// Control Register" and "Device Control 2 Register").
struct pcie_settings {
  int max_payload_bytes;       ///< of a packet
  int max_read_request_bytes;  ///< of a request to read the host's memory
  bool relaxed_ordering;       ///< packets may be marked so
  int tag_bits;                ///< requests under way: 2 to the power of it, where both ends can

  friend bool operator==(const pcie_settings&, const pcie_settings&) = default;
};

/// A PCI Express link: its current generation and width (5, 16) and the device's maxima.
struct pcie_link {
  int generation;
  int width;
  int generation_max;
  int width_max;
  std::optional<pcie_settings> settings = {};  ///< where they can be read

  friend bool operator==(const pcie_link&, const pcie_link&) = default;
};

/// The kernel's form "0000:0a:06.0" of a PCI address. Accepts CUDA's form "00000000:0A:06.0" and
/// addresses without a domain; nullopt if it is no PCI address.
std::optional<std::string> normalised_bus_id(std::string_view pci_bus_id);

/// Where the kernel shows a PCI device; a folder that is not there for what is no PCI address.
std::filesystem::path pci_device_folder(std::string_view pci_bus_id,
                                        const std::filesystem::path& root);

/// Link of a PCI device from current_link_speed, current_link_width, max_link_speed and
/// max_link_width in sys/bus/pci/devices (Documentation/ABI/testing/sysfs-bus-pci). A sleeping link
/// reports a lower generation: read it while the link is busy. nullopt if it cannot be read or is
/// not PCIe ("Unknown").
std::optional<pcie_link> read_pcie_link(std::string_view pci_bus_id,
                                        const std::filesystem::path& root = "/");

/// NUMA node next to the device; nullopt if the kernel reports none (-1).
std::optional<int> numa_node_of(std::string_view pci_bus_id,
                                const std::filesystem::path& root = "/");

/// Raw data rate of one direction in GB/s (10^9 B/s) after line coding: 8b/10b for generations 1
/// and 2, 128b/130b for 3 to 5; generation 6 carries 242 of 256 bytes per FLIT (236 packet bytes
/// and 6 link-layer bytes; the rest is CRC and error correction). Generation 5 x16: 63.0. NaN,
/// which JSON writes as null, for another generation or width.
double pcie_limit_gb_per_s(int generation, int width);

/// The same less packet headers, in GB/s, as lower and upper estimate for packets of
/// `payload_bytes`. Generations 1 to 5 add 24 or 20 bytes to each packet: a header of 16 or 12, 4
/// of LCRC, 4 of framing. Generation 6 has neither LCRC nor framing: header only, in the 236 packet
/// bytes of each FLIT. Link-layer traffic (acknowledgements, credits) of generations 1 to 5 is not
/// taken off. Generation 5 x16 with 256 bytes: 57.6 and 58.4. NaN as above.
std::pair<double, double> pcie_packet_limit_gb_per_s(int generation, int width,
                                                     int payload_bytes = 256);

/// The same with the device's own payload, where that is known.
std::pair<double, double> pcie_packet_limit_gb_per_s(const pcie_link& link);

/// A link is healthy if copies reach this part of what packet headers leave of it: those of
/// page-locked memory from `filling_bytes` on. Recorded machines reach 0.92 to 0.96, and the
/// slowest published ones that nobody complains of 0.83 (docs/FLEET.md): a limit above that would
/// call them ill.
inline constexpr double least_part_of_pcie_link = 0.75;
inline constexpr std::size_t filling_bytes = std::size_t{16} << 20;

}  // namespace bench_transfers::machine
