#pragma once

#include <chrono>

namespace bench_transfers::bench {

/// The one clock of all strategies: std::chrono::steady_clock. Programs of the tests are linked
/// with another definition, a clock that they move themselves (tests/unit/fake_clock.hpp).
struct wall_clock {
  using duration = std::chrono::steady_clock::duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::steady_clock::time_point;
  static constexpr bool is_steady = true;

  static time_point now() noexcept;
};

}  // namespace bench_transfers::bench
