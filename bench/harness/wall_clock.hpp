#pragma once

#include <chrono>

namespace bench_transfers::bench {

/// The clock of all strategies: std::chrono::steady_clock. Test programs link another definition, a
/// clock that they advance themselves (tests/unit/bench/fake_clock.hpp).
struct wall_clock : std::chrono::steady_clock {
  static time_point now() noexcept;
};

}  // namespace bench_transfers::bench
