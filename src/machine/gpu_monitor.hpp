#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/machine/clocks.hpp"

namespace bench_transfers::machine {

/// Reads the clocks of one GPU.
class gpu_monitor {
 public:
  virtual ~gpu_monitor() = default;
  gpu_monitor(const gpu_monitor&) = delete;
  gpu_monitor& operator=(const gpu_monitor&) = delete;

  /// Reads the values that depend most on the load first. Takes a few milliseconds with a healthy
  /// driver; NVML has no time limit.
  [[nodiscard]] virtual gpu_clocks read() const = 0;

  /// The host's NUMA nodes that the GPU is nearest to (nvmlDeviceGetMemoryAffinity); nullopt if the
  /// driver does not tell.
  [[nodiscard]] virtual std::optional<std::vector<int>> nearest_nodes() const = 0;

  /// Whether the GPU is divided into instances (MIG): then CUDA's device is one of them, while the
  /// monitor reads the whole GPU. Nullopt if the driver does not tell.
  [[nodiscard]] virtual std::optional<bool> is_divided() const = 0;

 protected:
  gpu_monitor() = default;
};

/// Opens NVML, the management library of NVIDIA's driver, for the GPU with this PCI address
/// ("0000:06:00.0", or CUDA's form). Null if the library is missing, cannot be used or does not
/// know the GPU, and in programs built without nvml.h.
std::unique_ptr<gpu_monitor> monitor_gpu(std::string_view pci_bus_id,
                                         const std::string& library = "libnvidia-ml.so.1");

}  // namespace bench_transfers::machine
