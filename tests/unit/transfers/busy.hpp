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

/// Uses this much CPU time of the calling thread, however long that takes on a busy machine.
inline void use_processor_for(std::chrono::nanoseconds time) {
  const auto end = thread_time() + time;
  while (thread_time() < end) {
  }
}

}  // namespace bench_transfers::bench
