#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "src/fleet/io/measured_gpu.hpp"
#include "src/fleet/model/sweep.hpp"

namespace bench_transfers::fleet {

/// Nothing can be collected; what() is one line.
class nothing_to_collect : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A result file, and the node that its folder stands for.
struct found_file {
  std::filesystem::path path;
  std::string node;  ///< empty: the file lies directly in the folder that was named
  std::optional<std::string> bytes = {};  ///< if it is not to be read from the disk
};

struct found_files {
  std::vector<found_file> files;
  std::vector<common::message> problems;  ///< what is named like a result and is none
};

/// The result files (.json, .json.gz) below these folders, each once, in the order of their paths;
/// a file may be named itself. Links are followed, but not in circles. Throws nothing_to_collect
/// for what is not there, and if there are none.
found_files files_below(const std::vector<std::filesystem::path>& folders);

/// Whether files_below looks at a file of this name.
bool is_named_like_a_result(const std::filesystem::path& file);

/// Their names, for a message.
std::string names_of(const std::vector<std::filesystem::path>& folders);

/// Whether `fleet_transfers` itself has written the file.
bool is_own_file(const std::filesystem::path& file);

/// How many files are read, of how many.
using progress_function = std::function<void(std::size_t done, std::size_t files)>;

/// How far the starts of runs may be from their median: last night's runs are not of this sweep.
inline constexpr std::chrono::hours usual_span{12};
/// Those of one sweep's id must be closer, unless a span is given: so many runs, for GPUs that are
/// measured one after the other, and what launchers take to start.
inline constexpr int runs_apart = 10;
inline constexpr std::chrono::minutes starting_apart{5};

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

/// Reads the files and puts them together as one sweep: that of most files.
sweep collect(found_files found, std::optional<std::chrono::hours> span = {},
              const progress_function& progress = {});

/// The same of GPUs that have been read.
sweep sweep_of(std::vector<measured_gpu> gpus, std::vector<common::message> problems,
               std::optional<std::chrono::hours> span = {});

}  // namespace bench_transfers::fleet
