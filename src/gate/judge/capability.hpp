#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "src/gate/judge/compare.hpp"
#include "src/gate/model/baseline.hpp"

namespace bench_transfers::gate {

/// How much of a class a baseline can judge.
struct capability {
  benchmark_class kind = benchmark_class::other;
  std::size_t benchmarks = 0;
  std::size_t able = 0;  ///< whose noise would not hide a slowdown of the threshold

  /// At least half.
  [[nodiscard]] bool is_enough() const { return 2 * able >= benchmarks; }
};

/// Of the classes that the baseline has, in the order of all_classes; with `new_runs` in one
/// session.
std::vector<capability> capabilities(const baseline& before, std::size_t new_runs,
                                     const limits& limits);

/// Throws bad_input if the baseline has a link that it cannot judge.
void require_judged_link(const baseline& before, const limits& limits);

/// How a baseline judges.
struct stakes {
  std::vector<capability> classes;
  std::set<benchmark_class> deciding;
  gate::limits limits;  ///< larger where a class only vetoes
};

/// `decide_by`: the classes that decide; if empty, the link, and those that the baseline can judge;
/// all if there are none.
stakes stakes_of(const baseline& before, const limits& limits = {},
                 const std::set<benchmark_class>& decide_by = {});

}  // namespace bench_transfers::gate
