#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "bench/cli/advise.hpp"
#include "bench/harness/settings.hpp"
#include "src/common/sizes.hpp"

namespace bench_transfers::bench {

/// What a profile decides; every value can be overridden on the command line.
struct profile {
  std::string name;
  std::string sizes;                   ///< see common::parse_sizes
  std::string cold_sizes;              ///< sizes that are also measured with cold caches
  bool essential_only;                 ///< only strategies marked so, unless others are asked for
  int rounds;                          ///< repetitions of every benchmark
  std::chrono::milliseconds min_time;  ///< timed operations per repetition, in all
};

/// Text asked for instead of a run (--help, --version), printed with exit code 0.
struct answer {
  std::string text;
};

struct parsed_command_line {
  std::optional<answer> instead;
  std::optional<advice_request> advice;  ///< `advise` and its options: nothing is measured
  options chosen;
};

/// A command line as result files have it: of the program and of the file that is written, only the
/// name, because such files are handed on and where they were written repeats nothing.
std::vector<std::string> without_folders(std::vector<std::string> command_line);

/// Throws usage_error with one line for whatever is wrong.
parsed_command_line parse_command_line(int argc, const char* const* argv);

/// Hands Google Benchmark its own flags; those that we carry out ourselves are switched off there,
/// because it is called once per round. Throws usage_error for flags it does not know.
/// It keeps the pointer `program` (main's argv[0]).
void hand_to_google_benchmark(char* program, const options& chosen);

}  // namespace bench_transfers::bench
