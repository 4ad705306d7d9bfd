#include "bench/record/observe.hpp"

#include "src/machine/pci_device.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench {
namespace {

/// The observation of a CUDA device's link and clocks. Throws transfers::error.
observation observe_busy(transfers::device& device, const machine::gpu_monitor* monitor) {
  const auto& cuda = *device.description().cuda;
  observation observed;
  look_under_load(device, [&] {
    if (!cuda.integrated && !cuda.host_page_tables)
      observed.link = machine::read_pcie_link(cuda.pci_bus_id);
    if (observed.link) observed.link->settings = machine::pcie_settings_of(cuda.pci_bus_id);
    if (monitor) observed.clocks.gpu = monitor->read();
  });
  return observed;
}

machine::nearest_node nearest_node(const transfers::cuda_properties& cuda,
                                   const machine::gpu_monitor* monitor) {
  return {.sysfs = machine::numa_node_of(cuda.pci_bus_id),
          .cuda = cuda.host_numa_node,
          .nvml = monitor ? monitor->nearest_nodes() : std::nullopt};
}

}  // namespace

std::unique_ptr<machine::gpu_monitor> open_monitor(const transfers::device& device) {
  const auto& cuda = device.description().cuda;
  return cuda ? machine::monitor_gpu(cuda->pci_bus_id) : nullptr;
}

void look_under_load(transfers::device& device, const std::function<void()>& look) {
  // A copy keeps a Gen5 x16 link busy for 0.3 ms, a slower one longer. Clocks need some
  // milliseconds to rise; the copies after those last for as long as it takes to read them.
  constexpr std::size_t bytes = std::size_t{16} << 20;
  constexpr int copies_before = 16;
  constexpr int copies = 64;
  const auto host = device.allocate_host(bytes, transfers::pinned());
  const auto device_block = device.allocate(bytes);
  const auto stream = device.create_stream();
  const auto copy = [&](int times) {
    for (int i = 0; i < times; ++i)
      stream->copy(device_block.data(), host.data(), bytes, transfers::direction::h2d);
  };
  copy(copies_before);
  const auto awake = stream->record(transfers::event_timing::off);
  copy(copies);
  awake->wait();
  look();
  stream->synchronize();
}

observation observe_under_load(transfers::device& device, const machine::gpu_monitor* monitor) {
  observation observed;
  if (device.description().cuda) {
    try {
      observed = observe_busy(device, monitor);
    } catch (const transfers::error&) {
      // Not known. The measurement reports errors of the device.
    }
    observed.node = nearest_node(*device.description().cuda, monitor);
    if (monitor) {
      observed.is_instance = monitor->is_divided();
      observed.is_confidential = monitor->settings().confidential;
    }
  }
  observed.clocks.cpu_throttle_events = machine::cpu_throttle_events();
  return observed;
}

}  // namespace bench_transfers::bench
