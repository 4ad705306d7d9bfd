#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "src/result_file/benchmark_class.hpp"
#include "src/result_file/format.hpp"

namespace bench_transfers::fleet {

using result_file::benchmark_class;
using result_file::direction;

/// A part of transfers that a fault can slow by itself.
struct aspect {
  benchmark_class kind = benchmark_class::other;
  fleet::direction towards = direction::none;
  bool together = false;  ///< while all GPUs of the node copy

  friend auto operator<=>(const aspect&, const aspect&) = default;
};

/// A benchmark of a sweep.
struct benchmark {
  std::string name;  ///< "copy/pinned/h2d/64MiB"
  fleet::aspect aspect;
};

/// The PCIe link of a GPU under load, and what both ends could do.
struct link {
  std::optional<int> generation, width, generation_max, width_max;
};

/// A GPU, and what its rank has measured.
struct gpu {
  std::string uuid, slot;  ///< slot: "0000:c1:00.0"; may be empty
  std::string model;       ///< "NVIDIA H200"; only GPUs of one model are peers
  std::string node;
  std::string rack;  ///< empty: not known
  fleet::link link;
  /// For each benchmark of the sweep its times in ns, by repetition; empty: it was not measured.
  std::vector<std::vector<double>> times;
};

/// What the GPUs of a fleet have measured at one time.
struct sweep {
  std::vector<fleet::benchmark> benchmarks;
  std::vector<fleet::gpu> gpus;
};

}  // namespace bench_transfers::fleet
