#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "bench/cli/arguments.hpp"
#include "bench/cli/fleet_options.hpp"
#include "bench/harness/settings.hpp"
#include "bench/record/earlier_run.hpp"
#include "src/claims/file_claim.hpp"
#include "src/command/command.hpp"

namespace bench_transfers::bench {

/// A run that goes on with an earlier one. No other process writes the files meanwhile.
struct resumption {
  /// `out`: where the whole is to go; empty: nowhere. Throws usage_error for a file that cannot be
  /// resumed, also because another process writes it.
  resumption(const std::filesystem::path& file, const std::filesystem::path& out);

  claims::file_claim claim, claim_of_out;
  earlier_run earlier;
};

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
