#pragma once

#include <cstddef>
#include <vector>

#include "src/gate/judge/compare.hpp"

namespace bench_transfers::gate {

/// Processes that differ by 0.0002 around each session's level.
inline costs sessions_at(const std::vector<double>& levels) {
  costs sessions;
  for (const double level : levels) sessions.push_back({level - 0.0002, level, level + 0.0002});
  return sessions;
}

inline std::vector<observation> suite(const costs& before, std::size_t benchmarks = 12) {
  const observation benchmark{
      .before = before, .after = sessions_at({0}), .kind = benchmark_class::link};
  return std::vector(benchmarks, benchmark);
}

inline std::vector<observation> slower_suite(const costs& before, double shift,
                                             benchmark_class kind = benchmark_class::link) {
  auto all = suite(before);
  for (auto& benchmark : all) {
    benchmark.after = sessions_at({shift});
    benchmark.kind = kind;
  }
  return all;
}

}  // namespace bench_transfers::gate
