#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace bench_transfers::bench {

/// The values of a profile; the command line can override each.
struct profile {
  std::string name;
  std::string sizes;                   ///< see common::parse_sizes
  std::string cold_sizes;              ///< sizes that are also measured with cold caches
  bool essential_only;                 ///< only essential strategies, unless others are requested
  int rounds;                          ///< repetitions of every benchmark
  std::chrono::milliseconds min_time;  ///< timed operations per repetition, in all
  bool chosen_only = false;            ///< likewise strategies that name the profile
  std::optional<std::chrono::nanoseconds> time_of_turns = {};  ///< see settings
};

/// Throws usage_error for a name that no profile has.
const profile& find_profile(const std::string& name);

std::vector<std::string> profile_names();

class option_table;

/// Sets what is measured, how often and for how long: by the command line, and by the profile where
/// that says nothing. Throws usage_error.
void set_by_profile(option_table& table);

}  // namespace bench_transfers::bench
