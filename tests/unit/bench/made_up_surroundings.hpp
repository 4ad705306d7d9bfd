#pragma once

#include <functional>

#include "bench/harness/surroundings.hpp"

namespace bench_transfers::bench {

/// Surroundings in which nothing happens, unless a test says so.
class made_up_surroundings final : public surroundings {
 public:
  [[nodiscard]] readings read() const override {
    if (before_reading) before_reading(now);
    return now;
  }

  mutable readings now;
  std::function<void(readings& now)> before_reading;  ///< may change what is read
};

}  // namespace bench_transfers::bench
