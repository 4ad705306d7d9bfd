#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <vector>

#include "bench/harness/wall_clock.hpp"

namespace bench_transfers::bench {

/// Measures the CPU time of the whole process and wall time, over spans between start() and stop().
///
/// Google Benchmark also reads the process's CPU time, when it pauses and resumes. That is correct
/// as long as one thread works. But the kernel adds a running thread's time to the process's only
/// at its ticks, every 1 to 10 ms, except for the calling thread (Linux, kernel/sched/cputime.c,
/// thread_group_cputime): work of other threads would be missing from shorter spans or appear in
/// later ones. Reading a thread's own clock updates its account, so cpu_meter does that first.
class cpu_meter {
 public:
  /// Accounts for the threads that the process has now. Time of later threads may be attributed to
  /// another span.
  cpu_meter();

  void start();
  void stop();

  /// The number of busy cores: CPU time divided by wall time. Nullopt before the first span.
  [[nodiscard]] std::optional<double> cores() const;

 private:
  using nanoseconds = std::chrono::nanoseconds;

  void update_other_threads() const;

  std::vector<pid_t> others_;
  wall_clock::time_point wall_started_;
  nanoseconds cpu_started_{};
  nanoseconds wall_{}, cpu_{};
};

}  // namespace bench_transfers::bench
