#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <vector>

#include "bench/harness/wall_clock.hpp"

namespace bench_transfers::bench {

/// CPU time of the whole process against wall time, over spans between start() and stop().
///
/// Google Benchmark has the process's CPU time too, read when it pauses and goes on. That is right
/// as long as one thread works. But the kernel adds a running thread's time to the process's only
/// at its own ticks, every 1 to 10 ms, except for the thread that asks (Linux,
/// kernel/sched/cputime.c, thread_group_cputime): work by other threads would be missing from
/// shorter spans, or appear in those after them. Reading a thread's own clock brings its account up
/// to date, so that is done first.
class cpu_meter {
 public:
  /// Of the threads that the process has now; of later ones time may be taken for that of another
  /// span.
  cpu_meter();

  void start();
  void stop();

  /// How many cores were busy: CPU time by wall time. Nullopt before anything has been measured.
  [[nodiscard]] std::optional<double> cores() const;

 private:
  using nanoseconds = std::chrono::nanoseconds;

  void bring_others_up_to_date() const;

  std::vector<pid_t> others_;
  wall_clock::time_point wall_started_;
  nanoseconds cpu_started_{};
  nanoseconds wall_{}, cpu_{};
};

}  // namespace bench_transfers::bench
