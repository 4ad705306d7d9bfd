#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "src/gate/judge/compare.hpp"

namespace bench_transfers::gate {

/// Suites of benchmarks, in logarithms of time.
class comparing : public testing::Test {
 protected:
  std::vector<double> processes(std::size_t count, double level, double deviation) {
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i)
      values.push_back(level + std::normal_distribution<double>(0, deviation)(random_));
    return values;
  }

  std::vector<observation> suite(std::size_t benchmarks, double deviation, std::size_t after = 3) {
    std::vector<observation> all(benchmarks);
    for (auto& benchmark : all) {
      benchmark.before = {processes(5, 0, deviation), processes(5, 0, deviation)};
      benchmark.after = {processes(after, 0, deviation)};
      benchmark.kind = benchmark_class::link;
    }
    return all;
  }

  /// Sessions differ far more than processes.
  std::vector<observation> with_different_sessions(std::size_t benchmarks) {
    auto all = suite(benchmarks, 0.0005);
    for (auto& benchmark : all)
      for (auto* const session :
           {&benchmark.before[0], &benchmark.before[1], &benchmark.after[0]}) {
        const double level = processes(1, 0, 0.01)[0];
        for (auto& value : *session) value += level;
      }
    return all;
  }

  static void slow_down(observation& benchmark, double part) {
    for (auto& session : benchmark.after)
      for (auto& value : session) value += std::log1p(part);
  }

  /// Three new processes in each look.
  static void part_looks(observation& benchmark) {
    const auto& values = benchmark.after[0];
    for (auto first = values.begin(); first != values.end(); first += 3)
      benchmark.looks.emplace_back(first, first + 3);
  }

  static std::size_t count(const comparison& comparison, outcome verdict) {
    return static_cast<std::size_t>(
        std::ranges::count(comparison.benchmarks, verdict, &benchmark_judgement::verdict));
  }

  std::mt19937_64 random_{11};
};

}  // namespace bench_transfers::gate
