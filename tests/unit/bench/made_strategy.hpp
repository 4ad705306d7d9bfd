#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {

/// A strategy for a test, "family/method" or "family/method/...".
inline strategy made_strategy(const std::string& name, sampling sampled = {},
                              requirements needs = {}, std::vector<variant> variants = {}) {
  const auto slash = name.find('/');
  strategy made;
  made.family = name.substr(0, slash);
  if (slash != std::string::npos) made.parts = {method(name.substr(slash + 1))};
  made.summary = "made for a test";
  made.variants = std::move(variants);
  made.needs = std::move(needs);
  made.sampling = sampled;
  return made;
}

}  // namespace bench_transfers::bench
