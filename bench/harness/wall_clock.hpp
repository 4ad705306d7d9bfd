#pragma once

#include <chrono>

namespace bench_transfers::bench {

/// The clock of all strategies: std::chrono::steady_clock. Test programs link another definition, a
/// clock that they advance themselves (tests/unit/bench/fake_clock.hpp).
struct wall_clock {
  using duration = std::chrono::steady_clock::duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::steady_clock::time_point;
  static constexpr bool is_steady = true;

  static time_point now() noexcept;
};

}  // namespace bench_transfers::bench
