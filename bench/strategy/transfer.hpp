#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/strategy/buffers.hpp"
#include "bench/strategy/cache.hpp"
#include "src/machine/numa.hpp"
#include "src/result_file/format.hpp"
#include "transfers/core/device.hpp"

namespace bench_transfers::bench {

/// Of what goes in one direction.
constexpr transfers::direction direction_of(result_file::direction direction) {
  return direction == result_file::direction::d2h ? transfers::direction::d2h
                                                  : transfers::direction::h2d;
}

/// What a job says of one of several copies at once.
struct flow_job {
  std::size_t device_index;  ///< in the run's list of devices
  std::string name;          ///< "cuda:1:h2d"
  transfers::device& device;
  buffers& memory;
  transfers::direction direction;
  /// Its host memory, if that is not the strategy's, and the node where that lies.
  std::optional<transfers::host_memory_kind> host = {};
  std::optional<machine::numa_node> host_node = {};
};

/// The benchmark that a strategy prepares.
struct job {
  transfers::device& device;
  buffers& memory;
  transfers::stream& stream;  ///< for asynchronous work; idle between operations
  std::string_view variant;   ///< one of the strategy's variants; empty where it has none
  std::size_t bytes;          ///< 0 for a strategy without sizes
  cache_state cache = cache_state::warm;
  transfers::direction direction =
      transfers::direction::h2d;                       ///< of the benchmark, where it has one
  std::vector<flow_job> flows = {};                    ///< for a strategy of several copies at once
  std::vector<transfers::device*> other_devices = {};  ///< of the run
};

/// A part of the timed operation. Steps run in order. The operation is timed as a whole, and the
/// time of each step is a metric ("<name>_ns").
struct step {
  std::string name;
  std::function<void()> run;
};

/// Work that is timed in turn with the operation, batch by batch, so that drift affects both: the
/// plainest form of the operation, or other work.
struct comparison {
  std::string name;         ///< metrics "<name>_ns", and "over_<name>_ns" or "<name>_gb_per_s"
  std::string description;  ///< of these metrics: "one empty kernel by <<<>>>"
  std::function<void()> run;
  /// Bytes moved by `run`, if it is not a form of the operation: then its rate is a metric instead
  /// of the difference to the operation.
  std::optional<std::size_t> bytes = {};
  /// Runs before `run`, untimed, instead of the transfer's `timing.between`.
  std::function<void()> before = {};
  /// Runs directly after `run`, untimed. Returns false if the time does not count.
  std::function<bool()> after = {};
};

/// Values of a repetition by metric name.
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
  const transfers::host_memory* host = nullptr;  ///< the block that contains it, for host memory
  std::size_t offset = 0;                        ///< of `data` in its block: the pattern's place
  std::size_t guard = buffers::guard;  ///< bytes behind it that must stay untouched; 0 for memory
                                       ///< of the strategy's own, outside the shared blocks

  [[nodiscard]] bool lies_in_block() const { return guard > 0; }
};

/// One of several copies at once, which the harness repeats, times (harness/flow_team.hpp) and
/// verifies. Source and destination have the same offset in their blocks.
struct flow {
  std::size_t device = 0;  ///< index into the run's list
  std::string name;        ///< "cuda:1:h2d"
  transfers::direction direction = transfers::direction::h2d;
  std::shared_ptr<transfers::stream> stream;  ///< of this flow alone
  std::function<void()> enqueue;              ///< one copy on the stream
  payload source, destination;
  /// As operation_timing::conditions, called by the thread that makes the copies.
  std::function<std::shared_ptr<const void>()> conditions = {};
};

/// Checks of an operation's result beyond the pattern at its destination.
struct verification {
  /// Compares the destination with the expected data, if that is not the source's pattern. Returns
  /// one line if it is wrong.
  std::function<std::optional<std::string>()> compare;
  /// Restores the pattern where the operation changed a shared block outside its source and
  /// destination.
  std::function<void()> restore;
  /// Makes the results of later operations wrong, for injected faults: for a transfer that compares
  /// them by itself, where the harness knows no destination.
  std::function<void()> corrupt;
  bool changes_source = false;  ///< the harness writes the pattern to the source again
};

/// How operations are repeated and grouped for timing.
struct operation_timing {
  /// Runs between operations, or between batches, outside the timed region.
  std::function<void()> between;
  /// Called before the operations of a repetition. What it returns is kept until they have ended:
  /// the owner of what goes on meanwhile, such as other threads' work.
  std::function<std::shared_ptr<const void>()> conditions;
  /// For a transfer that collects figures of its own: drops what it has until now. The harness
  /// calls it before the timed operations, so that those which settle never count.
  std::function<void()> forget_settling;
  /// Of a transfer that times itself: what the operation that has just run took, in ns. Otherwise
  /// it is the wall time of the steps.
  std::function<double()> own_time;
  bool polls = false;           ///< its threads poll while they wait: `cores` would count them
  bool batched = true;          ///< false: each is timed alone; so are operations of several steps
  std::size_t least_batch = 1;  ///< least operations between two clock readings
  std::size_t least_operations = 3;  ///< in each repetition; also the least number of batches
  /// Instead of that and of the time that a repetition has, if given: the number of batches, where
  /// the first operations have taken so long. May run more of them.
  std::function<std::size_t(std::chrono::nanoseconds)> choose_operations;
};

/// For operation_timing::conditions: the last owner of the result calls the function.
inline std::shared_ptr<const void> at_end(std::function<void()> function) {
  return {nullptr, [function = std::move(function)](const void*) { function(); }};
}

/// The amount that one operation moves and occupies.
struct operation_amount {
  std::optional<std::size_t> bytes;  ///< moved; the job's bytes unless given
  std::size_t elements = 0;          ///< if their rate is a metric
  std::size_t accesses = 0;          ///< single accesses, if their time is a metric
  std::size_t multiprocessors = 0;   ///< occupied by its kernels; 0: none, or unknown
};

/// Everything that the timed region touches. The transfer owns it, by value or in the captures of
/// its functions. When the last step returns, the data must be usable at the destination.
struct transfer {
  std::vector<step> steps;
  std::vector<flow> flows;  ///< instead of steps, source and destination: copies at once
  std::optional<payload> source;
  std::optional<payload> destination;
  /// Returns the current destination, if each operation allocates it. The memory before the first
  /// operation is poisoned: an allocator that returns it again returns poisoned memory.
  std::function<payload()> locate;
  verification check;
  operation_timing timing;
  operation_amount amount;
  /// Enqueues the same operation on the job's stream, for timing by the device's clock.
  std::function<void()> enqueue;
  std::vector<comparison> against;  ///< for operations of one step
  /// Further metrics: known in advance, such as a number of threads, or derived from the other
  /// metrics of a repetition.
  std::function<std::vector<measured_metric>(const metric_values&)> derive;
};

}  // namespace bench_transfers::bench
