#pragma once

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

}  // namespace bench_transfers::bench
