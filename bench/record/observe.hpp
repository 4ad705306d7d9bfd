#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "bench/strategy/buffers.hpp"
#include "src/machine/clocks.hpp"
#include "src/machine/gpu_monitor.hpp"
#include "src/machine/numa.hpp"
#include "src/machine/pcie.hpp"
#include "transfers/core/device.hpp"

namespace bench_transfers::bench {

/// Opens the monitor of a CUDA device; null for the host device and if nothing can be read
/// (machine::monitor_gpu).
std::unique_ptr<machine::gpu_monitor> open_monitor(const transfers::device& device);

/// The state, at one moment, that may change during a run.
struct observation {
  /// Nullopt for the host device, for links other than PCIe (coherent CPU–GPU links, integrated
  /// GPUs), and if the system does not report it.
  std::optional<machine::pcie_link> link;
  machine::clocks clocks;
  machine::nearest_node node;  ///< of a CUDA device; does not change
  /// Whether a CUDA device is an instance of a GPU (MIG), a part of it behind the same link.
  std::optional<bool> is_instance = {};
  /// Whether confidential computing is on in a CUDA device.
  std::optional<bool> is_confidential = {};
};

/// A device of the run, its buffers and its observation before the run.
struct observed_device {
  const transfers::device& device;
  const buffers& memory;
  observation start;
  std::string id = {};  ///< what the command line calls it
};

/// Calls `look` while copies keep a CUDA device busy, some milliseconds after they have begun. The
/// copies go on for at least 18 ms on a Gen5 x16 link. Throws transfers::error.
void look_under_load(transfers::device& device, const std::function<void()>& look);

/// Observes a CUDA device while copies keep it busy, for about 25 ms: a sleeping link reports a
/// lower generation, and an idle GPU lower clocks. `monitor` may be null.
observation observe_under_load(transfers::device& device, const machine::gpu_monitor* monitor);

}  // namespace bench_transfers::bench
