#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "bench/cli/advise.hpp"
#include "bench/cli/compare.hpp"
#include "bench/cli/doctor.hpp"
#include "bench/cli/export.hpp"
#include "bench/cli/fleet.hpp"
#include "bench/cli/map.hpp"
#include "bench/harness/settings.hpp"
#include "src/common/sizes.hpp"

namespace bench_transfers::bench {

/// The values of a profile; the command line can override each.
struct profile {
  std::string name;
  std::string sizes;                   ///< see common::parse_sizes
  std::string cold_sizes;              ///< sizes that are also measured with cold caches
  bool essential_only;                 ///< only essential strategies, unless others are requested
  int rounds;                          ///< repetitions of every benchmark
  std::chrono::milliseconds min_time;  ///< timed operations per repetition, in all
  bool sweep_only = false;             ///< likewise what is part of a sweep
  std::optional<std::chrono::nanoseconds> time_of_turns = {};  ///< see settings
};

/// Text that is printed instead of a run (--help, --version), with exit code 0.
struct answer {
  std::string text;
};

struct parsed_command_line {
  bench::settings settings = {};
  // Of the others at most one is there. Nothing is measured by the settings then, but for `fleet`.
  std::optional<answer> instead = {};
  std::optional<advice_request> advice = {};
  std::optional<map_request> map = {};
  std::optional<fleet_request> fleet = {};
  std::optional<doctor_request> doctor = {};
  std::optional<export_request> exported = {};
  std::optional<comparison_request> compared = {};
};

/// A command line as in result files: only the names of the program and of the output file, not
/// their folders, because result files are passed on.
std::vector<std::string> without_folders(std::vector<std::string> command_line);

/// Throws usage_error with one line for an invalid command line.
parsed_command_line parse_command_line(int argc, const char* const* argv);

/// Passes Google Benchmark's own flags to it. Flags that this program implements are switched off
/// there, because it runs once per repetition. Throws usage_error for flags that it does not know.
/// Google Benchmark keeps the pointer `program` (main's argv[0]).
void hand_to_google_benchmark(char* program, const settings& settings);

}  // namespace bench_transfers::bench
