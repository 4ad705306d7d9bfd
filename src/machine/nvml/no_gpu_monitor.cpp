// Stands in for gpu_monitor.cpp when the program is built without NVML's header.
#include "src/machine/gpu_monitor.hpp"

namespace bench_transfers::machine {

std::unique_ptr<gpu_monitor> monitor_gpu(std::string_view /*pci_bus_id*/,
                                         const std::string& /*library*/) {
  return nullptr;
}

bool built_with_nvml() { return false; }

}  // namespace bench_transfers::machine
