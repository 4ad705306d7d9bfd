#pragma once

#include <chrono>
#include <ctime>

namespace bench_transfers::bench {

/// CPU time of the calling thread.
inline std::chrono::nanoseconds thread_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

/// Uses at least this much CPU time of the calling thread, however long that takes on a busy
/// machine. Returns how much it used: the kernel's interrupts count too.
inline std::chrono::nanoseconds use_processor_for(std::chrono::nanoseconds time) {
  const auto start = thread_time();
  auto used = std::chrono::nanoseconds::zero();
  while (used < time) used = thread_time() - start;
  return used;
}

}  // namespace bench_transfers::bench
