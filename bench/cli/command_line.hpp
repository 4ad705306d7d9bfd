#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/cli/fleet_options.hpp"
#include "bench/cli/resume.hpp"
#include "bench/harness/settings.hpp"
#include "src/command/command.hpp"
#include "src/common/quantities.hpp"

namespace bench_transfers::bench {

/// Text that is printed instead of a run (--help, --version), with exit code 0.
struct answer {
  std::string text;
};

struct parsed_command_line {
  bench::settings settings = {};
  std::shared_ptr<const resumption> resumed = {};  ///< null: the run is a new one
  // Of the others at most one is there. Nothing is measured by the settings then, but for `fleet`.
  std::optional<answer> instead = {};
  std::shared_ptr<const commands::command> command = {};
  std::optional<fleet_request> fleet = {};
};

/// A command line as in result files: only the names of the program and of the output file, not
/// their folders, because result files are passed on.
std::vector<std::string> without_folders(std::vector<std::string> command_line);

/// Throws usage_error with one line for an invalid command line.
parsed_command_line parse_command_line(int argc, const char* const* argv);

}  // namespace bench_transfers::bench
