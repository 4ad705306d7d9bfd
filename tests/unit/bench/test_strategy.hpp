#pragma once

#include <algorithm>
#include <functional>
#include <ranges>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {

/// A strategy for a test, "family/method" or "family/method/...".
inline strategy test_strategy(const std::string& name, sampling sampled = {},
                              requirements needs = {}, std::vector<variant> variants = {}) {
  const auto slash = name.find('/');
  strategy result;
  result.family = name.substr(0, slash);
  if (slash != std::string::npos) result.parts = {method(name.substr(slash + 1))};
  result.summary = "made for a test";
  result.variants = std::move(variants);
  result.needs = std::move(needs);
  result.sampling = sampled;
  return result;
}

/// The registered strategy of this name.
inline strategy find_strategy(const std::string& name) {
  const auto all = registered_strategies();
  const auto match = std::ranges::find(all, name, &strategy::name);
  if (match == all.end()) throw std::out_of_range(name);
  return *match;
}

/// Of strategies, their variants, benchmarks, steps and so on.
template <class List>
std::vector<std::string> names_of(const List& list) {
  std::vector<std::string> names;
  for (const auto& each : list)
    names.push_back(std::invoke(&std::ranges::range_value_t<List>::name, each));
  return names;
}

inline void run_steps(const transfer& operation) {
  for (const auto& step : operation.steps) step.run();
}

}  // namespace bench_transfers::bench
