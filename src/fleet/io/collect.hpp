#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
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
};

/// The result files (.json, .json.gz) below these folders, in the order of their paths; a file may
/// be named itself. Throws nothing_to_collect for a folder that cannot be read, and if there are
/// none.
std::vector<found_file> files_below(const std::vector<std::filesystem::path>& folders);

/// How many files are read, of how many.
using progress_function = std::function<void(std::size_t done, std::size_t files)>;

/// Reads the files, on several threads, and puts them together as one sweep. What cannot be used
/// becomes a problem of the sweep: nothing is left out silently.
sweep collect(const std::vector<found_file>& files, const progress_function& progress = {});

/// The same of GPUs that have been read.
sweep sweep_of(std::vector<measured_gpu> gpus, std::vector<common::message> problems);

}  // namespace bench_transfers::fleet
