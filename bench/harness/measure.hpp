#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/device_clock/device_clock.hpp"
#include "bench/harness/settings.hpp"
#include "bench/harness/wall_clock.hpp"
#include "bench/strategy/strategy.hpp"
#include "bench/strategy/written_lines.hpp"

namespace bench_transfers::bench {

/// Cost and resolution of the clock, in nanoseconds.
struct clock_properties {
  double read_ns;        ///< mean cost of one reading
  double resolution_ns;  ///< smallest observed difference that is not zero
};
clock_properties measure_clock();

/// How a benchmark is repeated. Chosen once, before its first repetition, so that all repetitions
/// are alike.
struct schedule {
  std::size_t operations = 1;         ///< timed, per repetition; a multiple of batch
  std::size_t batch = 1;              ///< operations between two readings of the clock
  std::size_t settling = 1;           ///< untimed operations before them
  std::size_t device_operations = 0;  ///< timed by the device's clock
  bool lead = false;                  ///< whether each of these directly follows another operation
  std::size_t copies = 0;             ///< of copies at once: the least of each copy in an operation
};

/// Shorter operations are timed in batches: the clock's cost (about 25 ns) and resolution would be
/// more than about one percent of the time.
inline constexpr std::chrono::nanoseconds shortest_timed_alone{2500};
inline constexpr std::chrono::nanoseconds shortest_batch{25000};

/// Times a few operations to choose the schedule.
schedule settle_schedule(const transfer& transfer, const line_preparation& lines,
                         std::chrono::nanoseconds min_time);

/// Samples of one repetition, in nanoseconds for one operation.
struct samples {
  std::vector<double> operation;  ///< one value per batch: the mean of its operations
  std::vector<std::pair<std::string, std::vector<double>>> steps;  ///< if there are several
  /// Samples of the comparisons, in the order of transfer::against.
  struct comparison {
    std::vector<double> times;
    std::vector<double> differences;  ///< operation minus comparison, pair by pair
  };
  std::vector<comparison> compared;
  std::vector<double> on_device;
  /// Rates of one of several copies at once, in GB/s.
  struct flow {
    std::vector<double> at_once, alone;
  };
  std::vector<flow> flows;    ///< in the order of transfer::flows
  std::size_t discarded = 0;  ///< samples in which not all of them were busy for long enough
  std::optional<std::size_t> ranks = {};  ///< of the node, that copied at once
};

/// Starts what goes on while the transfer is timed, and owns it. Null where it needs nothing.
std::shared_ptr<const void> conditions_of(const transfer& transfer);

/// Flushes what the transfer reads and writes in host memory. DMA reads are slower if a core's
/// cache holds the lines: the previous benchmark must not decide that.
void flush_ends_on_all_cores(const transfer& transfer);

/// Runs the settling operations, untimed.
void settle(const transfer& transfer, const schedule& planned, const line_preparation& lines);

/// Runs the timed operations. `untimed` wraps the work between operations (preparing lines), so
/// that the caller can pause its accounting. Stops early when interrupted.
void time_operations(const transfer& transfer, const schedule& planned,
                     const line_preparation& lines,
                     const std::function<void(const std::function<void()>&)>& untimed,
                     samples& result);

/// Runs operations on `stream`, timed by the device's clock. Each directly follows another
/// operation, so that the engine that does the work also records the start event; the time of an
/// empty span between the same events is subtracted. For copies the result equals CUPTI's activity
/// records (tests/gpu/cupti_test.cpp). Long operations run without the preceding one.
void time_on_device(const transfer& transfer, const device_clock& clock, transfers::stream& stream,
                    const schedule& planned, samples& result);

}  // namespace bench_transfers::bench
