#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/comparison/runs.hpp"
#include "src/report/questions.hpp"
#include "src/report/run.hpp"

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

}  // namespace bench_transfers::report
