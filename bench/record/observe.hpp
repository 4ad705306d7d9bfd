#pragma once

#include <memory>
#include <optional>

#include "bench/strategy/buffers.hpp"
#include "src/machine/clocks.hpp"
#include "src/machine/gpu_monitor.hpp"
#include "src/machine/pcie.hpp"
#include "transfers/core/device.hpp"

namespace bench_transfers::bench {

/// Of a CUDA device; null for the host device and where nothing can be read (machine::monitor_gpu).
std::unique_ptr<machine::gpu_monitor> open_monitor(const transfers::device& device);

/// What may change during a run, at one moment.
struct observation {
  /// Nullopt for the host device, for links that are not PCIe (coherent CPU–GPU links, integrated
  /// GPUs), and where the system does not tell.
  std::optional<machine::pcie_link> link;
  machine::clocks clocks;
};

/// A device of the run, its buffers and what was observed of it before the run.
struct observed_device {
  const transfers::device& device;
  const buffers& memory;
  observation start;
};

/// Looks while copies keep a CUDA device busy, for some 25 ms: a sleeping link reports a lower
/// generation, and an idle GPU lower clocks. `monitor` may be null.
observation observe_under_load(transfers::device& device, const machine::gpu_monitor* monitor);

}  // namespace bench_transfers::bench
