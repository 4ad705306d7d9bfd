#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/comparison/runs.hpp"
#include "src/report/run.hpp"

// By how much runs of several machines differ, at what a reader asks first.

namespace bench_transfers::report {

/// One size of a question.
struct asked_size {
  std::string benchmark;  ///< its name
  /// The same in all runs: the name without a device.
  std::string common_name;
};

/// What a reader asks of a run: at its largest size, or at one.
struct question {
  std::string text;  ///< "pinned memory to the device"
  std::string counter;
  bool is_rate;                   ///< shown as a rate, not as a time
  bool is_followed, is_compared;  ///< over time, and with other runs
  std::optional<std::size_t> at;  ///< the size; none: the largest
  std::map<std::size_t, asked_size> sizes;
};

/// What is compared with other runs.
struct comparable {
  bool is_of_gpu = true, is_falsified = false;
  std::optional<double> link_limit;
  std::vector<question> questions;
  std::map<std::string, std::string> transfers;  ///< names of benchmarks by the common name
  /// By counter, with the common names; empty where the values cannot be used.
  std::map<std::string, comparison::side> sides;
  std::string problem;  ///< why they cannot be used; empty: none
};
/// `file` is only named.
comparable comparable_of(const run& of, const std::string& file);

/// The questions whose answers are followed over time, with the names of their benchmarks.
nlohmann::ordered_json followed_questions(const comparable& of);

/// The runs with a GPU, each beside the first of them: as many as a section of a report has, and as
/// a figure has, if there are more. Empty if there are fewer than two, or if any is falsified.
nlohmann::ordered_json comparisons_of(std::vector<comparable> runs);

}  // namespace bench_transfers::report
