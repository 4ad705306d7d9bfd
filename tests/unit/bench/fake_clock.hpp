#pragma once

#include <chrono>

namespace bench_transfers::bench {

/// While there is one, wall_clock tells only the time that advance() has moved it to, and a
/// nanosecond more with each reading, so that a loop that waits for a time ends. What is timed then
/// takes as long as it says, whatever else the machine does. Of one thread.
class fake_clock {
 public:
  fake_clock();
  ~fake_clock();
  fake_clock(const fake_clock&) = delete;
  fake_clock& operator=(const fake_clock&) = delete;

  static void advance(std::chrono::nanoseconds by);
};

}  // namespace bench_transfers::bench
