#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "advise.hpp"
#include "cache.hpp"
#include "fault.hpp"
#include "sizes.hpp"

namespace bench {

/// What a profile decides; every value can be overridden on the command line.
struct profile {
  std::string name;
  std::string sizes;                   ///< see parse_sizes
  std::string cold_sizes;              ///< sizes that are also measured with cold caches
  bool essential_only;                 ///< only strategies marked so, unless others are asked for
  int rounds;                          ///< repetitions of every benchmark
  std::chrono::milliseconds min_time;  ///< timed operations per repetition, in all
};

struct options {
  std::string device = "auto";
  std::string profile_name = "standard";
  std::vector<std::size_t> sizes;
  std::vector<std::size_t> cold_sizes;
  bool own_sizes = false;  ///< sizes were given, and are not the profile's
  bool warm = true;
  bool cold = true;
  std::vector<std::string> strategies;  ///< empty: all
  bool essential_only = false;          ///< of all, only those
  int rounds = 0;
  std::chrono::nanoseconds min_time{};
  std::uint64_t seed = 0;
  bool shuffle = true;
  bool list_strategies = false;
  bool list_benchmarks = false;
  std::string filter;  ///< regular expression; a leading '-' means "all but"
  std::string out;     ///< result file; empty: none
  std::string out_format = "json";
  std::string display_format;  ///< empty: our summary table
  bool out_aggregates_only = false;
  bool display_aggregates_only = false;
  std::vector<fault> faults;
  std::vector<std::string> command_line;          ///< without folders
  std::vector<std::string> for_google_benchmark;  ///< flags passed on as they are
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

}  // namespace bench
