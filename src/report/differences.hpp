#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/comparison/runs.hpp"
#include "src/report/questions.hpp"
#include "src/report/run.hpp"

// By how much runs of several machines differ, at what a reader asks first.

namespace bench_transfers::report {

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

/// The runs with a GPU, each beside the first of them: as many as a section of a report has, and as
/// a figure has, if there are more. Empty if there are fewer than two, or if any is falsified.
nlohmann::ordered_json comparisons_of(std::vector<comparable> runs);

}  // namespace bench_transfers::report
