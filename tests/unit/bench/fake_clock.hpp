#pragma once

#include <chrono>

namespace bench_transfers::bench {

/// While an instance exists, wall_clock advances only by advance(), and by a nanosecond with each
/// reading, so that a loop that waits for a time ends. Timed code then takes the time that it
/// passes to advance(), whatever else the machine does. For one thread.
class fake_clock {
 public:
  fake_clock();
  ~fake_clock();
  fake_clock(const fake_clock&) = delete;
  fake_clock& operator=(const fake_clock&) = delete;

  static void advance(std::chrono::nanoseconds time);
};

}  // namespace bench_transfers::bench
