#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/cli/options.hpp"

namespace bench_transfers::bench {

/// A command line as in result files: only the names of the program and of the output file, not
/// their folders, because result files are passed on.
std::vector<std::string> without_folders(std::vector<std::string> command_line);

/// Text that is printed instead of a run (--help, --version), with exit code 0.
struct answer {
  std::string text;
};

/// Reads a command line into a table, which is one of fleet's options if the line is; its values
/// are not taken yet. Returns the text that it asks for instead. Throws usage_error for a line that
/// cannot be read.
std::optional<answer> read_options(option_table& table, std::span<const char* const> command_line);

}  // namespace bench_transfers::bench
