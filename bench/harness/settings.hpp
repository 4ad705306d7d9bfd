#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/harness/fault.hpp"
#include "src/result_file/format.hpp"
#include "src/result_file/processes.hpp"

namespace bench_transfers::bench {

enum class listing { none, families, strategies, json };

using result_file::process_of_run;

/// The settings of a run, from the command line and its profile.
struct settings {
  std::string device = "auto";
  std::string profile_name = "standard";
  std::vector<std::size_t> sizes;
  std::vector<std::size_t> cold_sizes;
  bool own_sizes = false;  ///< the command line gives sizes; they replace the profile's
  /// Of the host's lines, that are measured.
  std::vector<result_file::cache_state> states = result_file::cache_states();
  [[nodiscard]] bool is_measured(result_file::cache_state state) const {
    return std::ranges::find(states, state) != states.end();
  }
  std::vector<std::string> strategies;  ///< empty: all
  std::vector<std::string> concurrent;  ///< sets of copies at once; empty: the usual ones
  bool essential_only = false;          ///< only essential strategies, if `strategies` is empty
  std::string chosen_for;               ///< only strategies of this profile, likewise; empty: all
  int rounds = 0;                       ///< of all processes
  int processes = 1;                    ///< that measure them
  process_of_run process;               ///< this one
  std::chrono::nanoseconds min_time{};
  /// For the turns of all ranks of a node together: slow ones have fewer rounds. None: no limit.
  std::optional<std::chrono::nanoseconds> time_of_turns = {};
  /// From the start of the run: then nothing more begins. None: any time.
  std::optional<std::chrono::nanoseconds> max_time = {};
  /// What is left of it when this process starts.
  std::optional<std::chrono::nanoseconds> time_left = {};
  std::uint64_t seed = 0;
  bool shuffle = true;
  listing list_strategies = listing::none;
  bool list_benchmarks = false;
  std::string filter;       ///< regular expression; a leading '-' negates it
  std::string out;          ///< result file; empty: none
  std::string file_of_run;  ///< that the processes of a run add to; empty: this is not one of them
  std::string resume;       ///< result file of the run that this one goes on with; empty: none
  bool chose_out = false;   ///< who runs it has named a result file, or standard output
  std::string out_format = "json";
  std::string display_format;  ///< empty: our summary table
  bool out_aggregates_only = false;
  bool display_aggregates_only = false;
  std::map<std::string, std::string> labels;  ///< of whoever runs it, for the record
  std::string note;
  bool brief = false;  ///< a summary of few numbers
  bool quiet = false;  ///< neither progress nor summary
  std::vector<fault> faults;
  std::vector<std::string> command_line;  ///< without folders
  /// Those of its options that choose what is measured and how, "--profile=quick", also where a
  /// variable has set them: with them another run measures the same.
  std::vector<std::string> options;
  std::string site_file;                  ///< name of the site file that has set some; empty: none
  std::vector<std::string> site_options;  ///< those that it has set, "--profile=quick"
  /// How many rounds are measured when this process has ended.
  [[nodiscard]] int due_rounds() const { return process.due(rounds); }

  std::vector<std::string> for_google_benchmark;  ///< flags that it gets unchanged
};

}  // namespace bench_transfers::bench
