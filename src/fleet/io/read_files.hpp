#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "src/fleet/io/measured_gpu.hpp"
#include "src/fleet/io/result_files.hpp"

namespace bench_transfers::fleet {

/// Whether `fleet_transfers` itself has written the file.
bool is_own_file(const std::filesystem::path& file);

/// How many files are read, of how many.
using progress_function = std::function<void(std::size_t done, std::size_t files)>;

/// What result files have, before it is put together.
struct read_results {
  std::vector<measured_gpu> gpus;
  std::vector<common::message> problems;
  std::size_t own_files = 0;  ///< of `fleet_transfers` itself, which are no results
};

/// Reads the files, on several threads. What cannot be used becomes a problem: nothing is left out
/// silently but files of `fleet_transfers` itself. Throws nothing_to_collect if no file can be
/// used.
read_results read_files(found_files found, const progress_function& progress = {});

/// Keeps what is of this sweep, and returns how many files are of others. Throws nothing_to_collect
/// if none is of it.
std::size_t keep_sweep(read_results& results, const std::string& id);

/// Throws nothing_to_collect if the files are of several sweeps, none of which has more than half.
void require_most_of_one_sweep(const read_results& results);

}  // namespace bench_transfers::fleet
