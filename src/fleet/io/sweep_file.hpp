#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "src/fleet/model/sweep.hpp"

namespace bench_transfers::fleet {

/// A file that is no sweep; what() is one line that names the file, the entry and the reason.
class unusable_sweep : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A sweep as JSON: docs/answers.schema.json.
std::string to_text(const sweep& sweep);

/// Writes it, compressed with gzip if the name ends in ".gz", or prints it if the name is "-".
/// Throws common::write_error.
void write_sweep(const std::filesystem::path& file, const sweep& sweep);

/// Reads what write_sweep has written. Throws unusable_sweep.
sweep read_sweep(const std::filesystem::path& file);

/// The paths of sweeps: those among the .json and .json.gz files below these folders, each once; a
/// file that is named itself counts whatever it is. Throws nothing_to_collect (collect.hpp) for
/// what is not there, and if there are none.
std::vector<std::filesystem::path> sweeps_below(const std::vector<std::filesystem::path>& folders);

/// What read_sweep returns, from a file's text; `file` is only named. Throws unusable_sweep.
sweep sweep_from_text(std::string text, const std::filesystem::path& file);

}  // namespace bench_transfers::fleet
