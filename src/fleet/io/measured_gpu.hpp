#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/fleet/model/sweep.hpp"
#include "src/result_file/contents.hpp"

namespace bench_transfers::fleet {

/// Times of a benchmark, and what is known of it before the other GPUs are.
struct measured_benchmark {
  benchmark_class limited_by = benchmark_class::other;  ///< of a long operation
  fleet::direction towards = direction::none;
  bool together = false;
  std::optional<std::size_t> copied_bytes;  ///< as a sweep's benchmark has it
  unsigned procedure = 1;
  benchmark_times times;
};

/// A GPU by one result file.
struct measured_gpu {
  fleet::gpu gpu;    ///< without times
  std::string file;  ///< that says so
  std::string sweep, version;
  std::optional<std::chrono::sys_seconds> started, finished;
  std::optional<std::size_t> world_size;
  std::map<std::string, measured_benchmark> benchmarks;
  std::vector<std::string> failed;   ///< benchmarks
  std::set<std::string> ran;         ///< benchmarks that have not failed, and their strategies
  std::vector<std::string> skipped;  ///< benchmarks, or strategies, that could not run
  std::vector<std::string> faults;   ///< injected on purpose
};

/// The GPUs of a result file. `node`: its name, if the file has none. A benchmark of several copies
/// at once counts for each of its GPUs, if it is of all of the run's; its time is that of the same
/// bytes at the rate of this GPU's copy. So does one of all processes of the node at once. Throws
/// result_file::bad_entry for what no sweep can have.
std::vector<measured_gpu> gpus_of(const result_file::contents& read, const std::string& node);

}  // namespace bench_transfers::fleet
