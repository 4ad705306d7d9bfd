// Stands in for gpu_monitor.cpp when the program is built without NVML's header.
#include "machine/gpu_monitor.hpp"

namespace machine {

std::unique_ptr<gpu_monitor> monitor_gpu(std::string_view /*pci_bus_id*/,
                                         const std::string& /*library*/) {
  return nullptr;
}

}  // namespace machine
