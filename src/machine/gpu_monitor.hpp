#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/machine/clocks.hpp"
#include "src/machine/pcie.hpp"

namespace bench_transfers::machine {

/// What an administrator has set, and what the GPU has counted since its driver was loaded. Nullopt
/// for a value that the driver does not tell.
struct gpu_settings {
  std::optional<bool> persistence =
      {};  ///< the driver keeps the GPU ready while no process uses it
  std::optional<unsigned> application_sm_mhz = {}, default_application_sm_mhz = {};
  std::optional<unsigned> power_limit_mw = {}, default_power_limit_mw = {};
  std::optional<bool> ecc = {};
  std::optional<unsigned long long> uncorrected_errors = {};  ///< of ECC
  std::optional<bool> rows_to_remap = {};  ///< memory errors wait for the GPU's next reset
  std::optional<bool> confidential = {};   ///< confidential computing: bytes are encrypted
  std::optional<pcie_link> link = {};      ///< maxima: of the GPU itself
};

/// Reads the clocks and the settings of one GPU.
class gpu_monitor {
 public:
  virtual ~gpu_monitor() = default;
  gpu_monitor(const gpu_monitor&) = delete;
  gpu_monitor& operator=(const gpu_monitor&) = delete;

  /// Reads the values that depend most on the load first. Takes a few milliseconds with a healthy
  /// driver; NVML has no time limit.
  [[nodiscard]] virtual gpu_clocks read() const = 0;

  [[nodiscard]] virtual gpu_settings settings() const = 0;

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

/// False for programs built without nvml.h: then every monitor is null, whatever the driver has.
bool built_with_nvml();

}  // namespace bench_transfers::machine
