#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness/settings.hpp"
#include "bench/harness/wall_clock.hpp"
#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {

/// What reading the clock costs and what it can tell apart, in nanoseconds.
struct clock_properties {
  double read_ns;        ///< median cost of one reading
  double resolution_ns;  ///< smallest difference seen that is not zero
};
clock_properties measure_clock();

/// How one benchmark is repeated, settled once before its first repetition so that all repetitions
/// are alike.
struct schedule {
  std::size_t operations = 1;         ///< timed, per repetition; a multiple of batch
  std::size_t batch = 1;              ///< operations between two readings of the clock
  std::size_t settling = 1;           ///< untimed operations before them
  std::size_t device_operations = 0;  ///< timed by the device's clock
  bool lead = false;                  ///< whether each of these follows another one directly
};

/// Short operations are timed in batches: below this the clock's own cost (some 25 ns) and
/// resolution would be more than about one percent of the figure.
inline constexpr std::chrono::nanoseconds shortest_timed_alone{2500};
inline constexpr std::chrono::nanoseconds shortest_batch{25000};

/// Times a few operations to settle the schedule.
schedule settle_schedule(const transfer& what, cache_state cache,
                         std::chrono::nanoseconds min_time);

/// Samples of one repetition, in nanoseconds for one operation.
struct samples {
  std::vector<double> operation;  ///< one each; for batches one per batch, its mean
  std::vector<std::pair<std::string, std::vector<double>>> steps;  ///< when there are several
  /// Of what the operation is compared with, in the order of transfer::against.
  struct comparison {
    std::vector<double> times;
    std::vector<double> over;  ///< differences, operation less comparison, pair by pair
  };
  std::vector<comparison> compared;
  std::vector<double> on_device;
};

/// Runs the settling operations, not timed.
void settle(const transfer& what, const schedule& planned, cache_state cache);

/// Runs the timed operations. `untimed` wraps what is done between operations (flushing caches), so
/// that the caller can stop its own accounting meanwhile. Stops early when interrupted.
void time_operations(const transfer& what, const schedule& planned, cache_state cache,
                     const std::function<void(const std::function<void()>&)>& untimed,
                     samples& into);

/// Runs the operations timed by the device's clock, enqueued on `stream`. Each follows another one
/// directly, so that the engine that does the work also stamps its beginning; what an empty span
/// takes in the same place is subtracted. For copies this gives what CUPTI's activity records
/// give (tests/gpu/cupti_test.cpp). Long operations go without the other one.
void time_on_device(const transfer& what, transfers::stream& stream, const schedule& planned,
                    samples& into);

}  // namespace bench_transfers::bench
