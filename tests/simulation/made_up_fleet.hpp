#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "src/fleet/model/sweep.hpp"

namespace bench_transfers::simulation {

struct range {
  double least, most;
};

/// How times of a class differ in a healthy fleet, as parts of them. A GPU differs from others by
/// what it and its node have in common for all benchmarks, and by something for each benchmark.
struct class_noise {
  fleet::benchmark_class kind;
  double nanoseconds;
  double common;     ///< deviation from machine to machine, half of whose variance is the node's
  range benchmark;   ///< deviations of benchmarks from machine to machine beyond that
  range repetition;  ///< deviations of repetitions
};

/// The classes of results/nvidia-h200, as gate_machines has them.
std::vector<class_noise> recorded_noise();

struct fleet_kind {
  std::size_t nodes = 1000, gpus_in_node = 8, nodes_in_rack = 16;
  std::size_t models = 1;  ///< in turn, node by node
  std::size_t repetitions = 3;
  std::size_t runs = 1;
  /// Student's t instead of normal noise: 6 degrees of freedom for what a GPU's benchmarks have in
  /// common, 3 for each benchmark and repetition.
  bool heavy_tails = false;
  double dead = 0;          ///< part of the ranks without results
  double outliers = 0.001;  ///< part of times that are 2 to 50 % longer
  /// Deviations of a class from one sweep of the fleet to the next, as parts of its common one: of
  /// each GPU, and of all of them together.
  double between_sweeps = 0, of_sweeps = 0;
};

/// What is wrong with a part of a made-up fleet.
struct fault {
  enum class where { gpu, node, rack, slot, fleet } at;
  std::string name;       ///< of the part: made-up UUIDs are "GPU-node7-3"; empty of the fleet
  double slower;          ///< as a part of the time
  bool link_only = true;  ///< copies of pinned memory alone
  std::vector<fleet::direction> towards = {fleet::direction::h2d, fleet::direction::d2h};
  bool together_only = false;  ///< while all GPUs of the node copy
};

std::string name_of_gpu(std::size_t node, std::size_t number);
std::string name_of_node(std::size_t node);
std::string name_of_rack(std::size_t rack);
std::string name_of_slot(std::size_t number);

/// A sweep of a fleet with these faults.
fleet::sweep make_up(const fleet_kind& kind, const std::vector<fault>& faults,
                     std::mt19937_64& random);

/// The same, of a fleet that is swept several times: `parts` draws what its parts differ by, and
/// begins with one seed in each sweep; `measurements` draws what one sweep measures.
fleet::sweep make_up(const fleet_kind& kind, const std::vector<fault>& faults,
                     std::mt19937_64& parts, std::mt19937_64& measurements);

/// All that was measured takes this many times as long.
void slow_down(fleet::benchmark_times& runs, double factor);
void slow_down(fleet::gpu& gpu, double factor);

}  // namespace bench_transfers::simulation
