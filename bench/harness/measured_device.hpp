#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/strategy/buffers.hpp"
#include "src/machine/gpu_monitor.hpp"
#include "transfers/core/device.hpp"

namespace bench_transfers::bench {

/// A device to plan for, and what the command line calls it: "cuda:1".
struct named_device {
  std::string id;
  const transfers::device& device;
};

/// A device of the run, with its buffers, link limit and monitor.
struct measured_device {
  transfers::device& device;
  buffers& memory;
  std::optional<double> link_limit = {};          ///< in GB/s, for the metric link_percent
  const machine::gpu_monitor* monitor = nullptr;  ///< read after each round unless null
  std::string id = {};                            ///< as named_device has it
};

/// The devices of a run. Benchmarks name them by their index (result_file::benchmark::devices).
using device_list = std::vector<measured_device>;

}  // namespace bench_transfers::bench
