#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "src/machine/pcie.hpp"
#include "src/topology/pci/pci_view.hpp"

namespace bench_transfers::topology {

struct link_rate {
  int generation = 0, width = 0;

  [[nodiscard]] double gb_per_s() const;  ///< raw, in one direction
  bool operator==(const link_rate&) const = default;
};

/// One PCIe link of a GPU's path: two ends, with a port of the root complex or of a switch above.
struct path_link {
  std::string upper;  ///< address of the port; empty if its figures are not shown or not true
  std::string lower;  ///< address of the GPU or of a switch
  link_rate now;
  link_rate most;        ///< that both ends can do; the port's part is unknown without `upper`
  link_rate lower_most;  ///< that the lower end alone can do
  /// False where the figures are no limit: a tunnel (Thunderbolt, USB4) tells those of a slow link,
  /// whatever it carries.
  bool limits = true;

  [[nodiscard]] bool is_narrower() const;  ///< fewer lanes than both ends can have
  [[nodiscard]] bool is_slower() const;    ///< a lower generation than both ends can do
  [[nodiscard]] bool is_below_maximum() const { return is_narrower() || is_slower(); }
};

/// What is known of a path beside its hops.
struct path_knowledge {
  /// Hypervisors make ports up, and their figures: they count for nothing.
  bool is_guest = false;
  double measured_gb_per_s = 0;  ///< copies have reached it; 0: nothing was measured
  std::optional<machine::pcie_link> gpu_link = {};  ///< by NVML, where sysfs tells none
};

/// The links from the root complex to the GPU, as far as they are known; the GPU's own is last. One
/// rule for all programs: figures below what runs on the other end, below what the same switch does
/// on its other side, or below what copies have reached are no limit.
std::vector<path_link> links_of(const pci_path& path, const path_knowledge& known);

/// The index of the link that carries least now; of several the nearest to the GPU. Nullopt if
/// there are none, or one is no limit: what that carries is not known.
std::optional<std::size_t> narrowest(const std::vector<path_link>& links);

}  // namespace bench_transfers::topology
