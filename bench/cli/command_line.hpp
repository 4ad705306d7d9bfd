#pragma once

#include <memory>
#include <optional>

#include "bench/cli/arguments.hpp"
#include "bench/cli/fleet_options.hpp"
#include "bench/cli/resume.hpp"
#include "bench/harness/settings.hpp"
#include "src/command/command.hpp"

namespace bench_transfers::bench {

struct parsed_command_line {
  bench::settings settings = {};
  std::shared_ptr<const resumption> resumed = {};  ///< null: the run is a new one
  // Of the others at most one is there. Nothing is measured by the settings then, but for `fleet`.
  std::optional<answer> instead = {};
  std::shared_ptr<const commands::command> command = {};
  std::optional<fleet_request> fleet = {};
};

/// Throws usage_error with one line for an invalid command line.
parsed_command_line parse_command_line(int argc, const char* const* argv);

}  // namespace bench_transfers::bench
