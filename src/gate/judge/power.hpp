#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "src/gate/judge/compare.hpp"
#include "src/gate/model/baseline.hpp"

namespace bench_transfers::gate {

/// The slowdowns of one benchmark that checks can find, as parts.
struct power_line {
  std::string name;
  benchmark_class kind = benchmark_class::other;
  double threshold = 0;
  double before = 0;                             ///< centre, in the metric's unit
  double detectable = 0, detectable_surely = 0;  ///< found with a probability of 80 and 95 %
  double process_deviation = 0, session_deviation = 0;
  bool advisory = false;  ///< as in `finding`
  /// The least number of new runs in one session with which it is not advisory; none if 50 are not
  /// enough because sessions or processes differ too much.
  std::optional<std::size_t> runs_needed = {};
};

std::vector<power_line> power(const baseline& before, std::size_t new_runs, const limits& limits);

}  // namespace bench_transfers::gate
