#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/common/message.hpp"
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
  /// What one copy of page-locked memory in one direction moves; none if it is something else.
  std::optional<std::size_t> copied_bytes = {};
  unsigned procedure = 1;  ///< that has measured it on all GPUs

  friend bool operator==(const benchmark&, const benchmark&) = default;
};

/// The PCIe link of a GPU under load, and what both ends could do.
struct link {
  std::optional<int> generation, width, generation_max, width_max;

  friend bool operator==(const link&, const link&) = default;
};

/// The times of a benchmark in ns, by run and repetition; empty: it was not measured.
using benchmark_times = std::vector<std::vector<double>>;

/// A GPU, and what its rank has measured.
struct gpu {
  std::string uuid, slot;  ///< slot: "0000:c1:00.0"; may be empty
  std::string model;       ///< "NVIDIA H200"; only GPUs of one model are peers
  std::string node;
  std::string rack;                 ///< empty: not known
  std::optional<std::size_t> rank;  ///< of the process; none: it was not started by a launcher
  std::optional<std::size_t> local_rank = {};  ///< of the process on its node
  std::optional<std::size_t> local_size = {};  ///< ranks of the node
  bool on_host = false;                        ///< no GPU, but host memory that stands in for one
  fleet::link link;
  std::size_t parts = 1;               ///< in which a run was measured, one after another
  std::set<std::string> warnings;      ///< codes of its files
  std::set<std::string> wrong_data;    ///< benchmarks whose bytes did not arrive as they were sent
  std::vector<benchmark_times> times;  ///< for each benchmark of the sweep

  friend bool operator==(const gpu&, const gpu&) = default;
};

/// What the GPUs of a fleet have measured at one time.
struct sweep {
  std::string id;  ///< empty: the files name none
  /// The median of the times at which the runs began; none if the files do not tell.
  std::optional<std::chrono::sys_seconds> begin = {};
  std::optional<std::size_t> world_size;  ///< how many ranks there should be
  std::vector<fleet::benchmark> benchmarks;
  std::vector<fleet::gpu> gpus;
  /// Ranks that have left results which are of no GPU here: those that are left out, or of a GPU
  /// that has another rank.
  std::set<std::size_t> other_ranks;
  /// Nodes that could take no part, such as drained ones: whoever has made the sweep says so.
  std::set<std::string> absent_nodes = {};
  /// What could not be used, or is doubtful. A sweep with problems is not healthy.
  std::vector<common::message> problems;

  friend bool operator==(const sweep&, const sweep&) = default;
};

/// A rank without results.
struct missing_rank {
  std::size_t rank;
  std::string node;       ///< empty: not known
  std::string uuid = {};  ///< of a GPU that earlier sweeps have on the node; empty: not known
  std::string slot = {};  ///< of this GPU; may be empty

  friend bool operator==(const missing_rank&, const missing_rank&) = default;
};

/// The code of a problem: a file that cannot be used. Its data have `gpu` (the only one), `gpus`,
/// `node`, `rank` and `sweep` as far as the file tells.
inline constexpr const char* unusable_file_code = "unusable_file";

/// The code of a problem: a run that was slowed or spoilt on purpose.
inline constexpr const char* faults_injected_code = "faults_injected";

/// A rank, or a run without one, that has left results which cannot be read.
struct unread_result {
  std::set<std::string> gpus;  ///< UUIDs; empty: not known
  std::string node;            ///< empty: not known
  std::optional<std::size_t> rank;
};
/// By the problems of the sweep; those of other sweeps do not count.
std::vector<unread_result> unread_results(const sweep& sweep);

// What a sweep can have.
inline constexpr std::size_t most_gpus = 1'000'000;
inline constexpr std::size_t most_parts = 1'000'000;
inline constexpr std::size_t most_ranks = 100'000'000;
inline constexpr double shortest_time = 1e-3;   ///< in ns; ratios of times must stay finite
inline constexpr double longest_time = 3.2e16;  ///< a year, in ns

/// The ranks below the world size that have left no results. Local ranks tell the nodes of those
/// between two ranks of a node, and local sizes those before and behind them; without local ranks,
/// that the ranks of each node follow each other. A rank that has left results which cannot be read
/// is not missing; where a file does not tell its rank, those of its node are not, unless they are
/// more than such files. A rank without a place may have left the file of a node that has fewer
/// ranks than another, or no result.
std::vector<missing_rank> missing_ranks(const sweep& sweep);

}  // namespace bench_transfers::fleet
