#pragma once

#include <optional>
#include <vector>

#include "bench/strategy/buffers.hpp"
#include "src/machine/gpu_monitor.hpp"
#include "transfers/core/device.hpp"

namespace bench_transfers::bench {

/// A device of the run, and what it takes to measure it.
struct measured_device {
  transfers::device& device;
  buffers& memory;
  std::optional<double> link_limit = {};          ///< in GB/s, for the metric link_percent
  const machine::gpu_monitor* monitor = nullptr;  ///< read after each round, if there is one
};

/// The devices of a run. Benchmarks name them by their index (result_file::benchmark::devices).
using device_list = std::vector<measured_device>;

}  // namespace bench_transfers::bench
