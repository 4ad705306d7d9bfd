#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "src/machine/pcie.hpp"
#include "src/topology/flows/flows.hpp"

namespace bench_transfers::topology {

/// A PCI device on the way from the root complex to a GPU: a root port, a port of a switch, or the
/// GPU itself. What the kernel does not say is left empty.
struct pci_hop {
  std::string address;  ///< "0000:c0:01.1"
  std::optional<machine::pcie_link>
      link;  ///< of a root port towards the GPU, of others as the kernel says
  std::optional<int> numa_node;
  std::optional<std::string> local_cpus;  ///< a list as the kernel writes it, "0-31,64-95"

  bool operator==(const pci_hop&) const = default;
};

/// The hops of one device, the root port first.
struct pci_path {
  std::string bus_id;        ///< as CUDA gives it; empty for a device that is not on PCI
  std::string root_complex;  ///< "pci0000:c0", where it is known
  std::vector<pci_hop> hops;

  bool operator==(const pci_path&) const = default;
};

struct pci_view {
  /// Every device has a port above it. A virtual machine, a container or a host device shows none:
  /// then nothing is said about what devices share.
  bool visible = false;
  std::vector<pci_path> paths = {};  ///< one for each device
  bool is_guest = false;             ///< hypervisors make ports up; older files do not tell

  bool operator==(const pci_view&) const = default;
};

/// Reads sys/bus/pci/devices below `root`. A sleeping link reports a lower generation: call it
/// while the devices copy. Never throws: what cannot be read is not visible. An empty bus ID stands
/// for a device that is not on PCI.
pci_view read_pci_view(const std::vector<std::string>& bus_ids,
                       const std::filesystem::path& root = "/");

enum class place_kind { port, root_complex, numa_node };

/// What a set of devices has in common, from the nearest to the devices to the farthest.
struct common_place {
  place_kind kind;
  std::string name;  ///< address of a port, "pci0000:c0", or the number of a node
  std::optional<machine::pcie_link> link;  ///< of a port
};

/// The places that have exactly these devices. Of several ports in a row the nearest to the host is
/// last.
std::vector<common_place> places_of(const pci_view& view, device_set devices);

/// The sets of two or more devices that some place has. Empty if nothing is visible.
std::vector<device_set> sets_below_places(const pci_view& view);

/// "port", "root_complex", "numa_node"
const char* to_string(place_kind kind);

}  // namespace bench_transfers::topology
