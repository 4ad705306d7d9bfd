#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "src/doctor/facts.hpp"

namespace bench_transfers::doctor {

struct link_rate {
  int generation = 0, width = 0;

  [[nodiscard]] double gb_per_s() const;  ///< raw, in one direction
  bool operator==(const link_rate&) const = default;
};

/// One PCIe link of a GPU's path: two ends, with a port of the root complex or of a switch above.
struct path_link {
  std::string upper;  ///< address of the port; empty if the machine does not show it
  std::string lower;  ///< address of the GPU or of a switch
  link_rate now;
  link_rate most;        ///< that both ends can do; the port's part is unknown without `upper`
  link_rate lower_most;  ///< that the lower end alone can do
};

/// The links from the root complex to the GPU, as far as they are known; the GPU's own is last.
/// NVML tells the GPU's where sysfs does not. Empty for a GPU that is not on PCIe.
std::vector<path_link> links_of(const gpu_facts& gpu);

/// The index of the link that carries least now; of several the nearest to the GPU. Nullopt if
/// there are none.
std::optional<std::size_t> narrowest(const std::vector<path_link>& links);

}  // namespace bench_transfers::doctor
