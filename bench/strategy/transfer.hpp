#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/strategy/buffers.hpp"
#include "bench/strategy/cache.hpp"
#include "src/result_file/format.hpp"
#include "transfers/core/device.hpp"

namespace bench_transfers::bench {

/// What a strategy is asked to prepare.
struct job {
  transfers::device& device;
  buffers& memory;
  transfers::stream& stream;  ///< for asynchronous work; idle between operations
  std::string_view variant;   ///< one of the strategy's variants; empty where it has none
  std::size_t bytes;          ///< 0 for a strategy without sizes
  cache_state cache = cache_state::warm;
  transfers::direction direction =
      transfers::direction::h2d;  ///< of the benchmark, where it has one
};

/// A part of the timed operation. Steps run in order; the operation is timed as a whole, and the
/// time of each step is a metric of its own ("<name>_ns").
struct step {
  std::string name;
  std::function<void()> run;
};

/// Work that is timed in turn with the operation, batch by batch, so that drift touches both: the
/// plainest form of the operation, or other work.
struct comparison {
  std::string name;         ///< metrics "<name>_ns", and "over_<name>_ns" or "<name>_gb_per_s"
  std::string description;  ///< of these metrics: "one empty kernel by <<<>>>"
  std::function<void()> run;
  /// Bytes moved by `run`, where it is other work than the operation: then its rate is a metric,
  /// not the difference to the operation.
  std::optional<std::size_t> bytes = {};
  /// Runs before it, untimed, in place of the transfer's `timing.between`.
  std::function<void()> before = {};
  /// Runs directly after it, untimed. False: the time does not count.
  std::function<bool()> after = {};
};

/// Values of a repetition by the names of their metrics.
using metric_values = std::map<std::string, double>;

/// A metric and its value.
struct measured_metric {
  result_file::metric metric;
  double value;
};

/// One end of a transfer: memory that the harness fills, poisons, flushes and checks.
struct payload {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  bool on_device = false;
  const transfers::host_memory* host = nullptr;  ///< the block it lies in, for host memory
  std::size_t offset = 0;                        ///< of `data` in its block: the pattern's place
  std::size_t guard = buffers::guard;  ///< bytes behind it that must stay untouched; 0 for memory
                                       ///< of the strategy's own, outside the shared blocks

  [[nodiscard]] bool lies_in_block() const { return guard > 0; }
};

/// How the result of an operation is checked beyond the pattern at its destination.
struct verification {
  /// Compares the destination with what must have arrived, when that is not the source's pattern.
  /// One line when it is wrong.
  std::function<std::optional<std::string>()> compare;
  /// Writes the pattern again where the operation has left something else in a shared block, other
  /// than its source and destination.
  std::function<void()> restore;
  bool changes_source = false;  ///< the pattern must be written to the source again afterwards
};

/// How operations are repeated and grouped for timing.
struct operation_timing {
  /// Runs between operations, or between batches, outside the timed region.
  std::function<void()> between;
  bool batched = true;          ///< false: timed alone however short; so are several steps
  std::size_t least_batch = 1;  ///< operations between two clock readings, also when they are long
  std::size_t least_operations = 3;  ///< in each repetition, and so many batches
};

/// What one operation moves and occupies.
struct operation_amount {
  std::optional<std::size_t> bytes;  ///< moved; the job's bytes unless given
  std::size_t accesses = 0;          ///< single accesses, where their time is a metric
  std::size_t multiprocessors = 0;   ///< occupied by its kernels; 0: none, or unknown
};

/// Everything that the timed region touches. Owned here: by value, or captured in the functions.
/// When the last step returns, the data must be usable at the destination.
struct transfer {
  std::vector<step> steps;
  std::optional<payload> source;
  std::optional<payload> destination;
  /// Where the destination is now, when each operation makes it anew. The memory before the first
  /// operation is poisoned: an allocator that returns it again returns poisoned memory.
  std::function<payload()> locate;
  verification check;
  operation_timing timing;
  operation_amount amount;
  /// The same operation, only enqueued on the job's stream: for timing by the device's own clock.
  std::function<void()> enqueue;
  std::vector<comparison> against;  ///< for operations of one step
  /// Further metrics: known beforehand, such as a number of threads, or derived from the others of
  /// a repetition.
  std::function<std::vector<measured_metric>(const metric_values&)> derive;
};

}  // namespace bench_transfers::bench
