#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/strategy/buffers.hpp"
#include "bench/strategy/cache.hpp"
#include "transfers/core/device.hpp"

namespace bench_transfers::bench {

/// What a strategy is asked to get ready.
struct job {
  transfers::device& device;
  buffers& memory;
  transfers::stream& stream;  ///< for asynchronous work; idle between operations
  std::string_view variant;   ///< one of the strategy's variants
  std::size_t bytes;          ///< 0 for a strategy without sizes
  cache_state cache = cache_state::warm;
};

/// A piece of the timed operation. Steps run in order; the operation is timed as a whole and each
/// step is a figure of its own ("<name>_ns").
struct step {
  std::string name;
  std::function<void()> run;
};

/// What is timed in turn with the operation, batch by batch, so that what drifts meanwhile touches
/// both: the plain way to do the same, or work of its own.
struct comparison {
  std::string with;  ///< figures "<with>_ns", and "over_<with>_ns" or "<with>_gb_per_s"
  std::function<void()> run;
  /// Moved by `run`, where that is other work than the operation's: its rate is the figure then,
  /// not how much longer the operation takes.
  std::optional<std::size_t> bytes = {};
  /// Run before it, untimed, in place of the transfer's `between`.
  std::function<void()> before = {};
  /// Run directly after it, untimed. False: it was not as it should be, and its time does not
  /// count.
  std::function<bool()> after = {};
};

using figures = std::map<std::string, double>;  ///< by the names of a row's counters

/// One end of a transfer: what the harness fills, poisons, flushes and checks.
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

/// Everything the timed region touches. Owned here: by value, or captured in the functions.
/// When steps return from the last one, the data must be usable at the destination.
struct transfer {
  std::vector<step> steps;
  std::optional<payload> source;
  std::optional<payload> destination;
  /// Where the destination is now, when each operation makes it anew. What was there before the
  /// first one is poisoned: an allocator that gives the same memory again gives poisoned memory.
  std::function<payload()> locate;
  /// Compares the destination with what must have arrived, when that is not the source's pattern.
  /// One line when it is wrong.
  std::function<std::optional<std::string>()> verify;
  /// Run between operations, or between batches, outside the timed region.
  std::function<void()> between;
  std::optional<std::size_t> bytes;  ///< moved by one operation; the job's bytes unless given
  bool changes_source = false;       ///< the pattern must be written to it again afterwards
  /// Writes the pattern again where the operation has left something else in a shared block, other
  /// than its source and destination.
  std::function<void()> restore;
  std::size_t accesses = 0;         ///< single ones in one operation, where their time is a figure
  std::size_t multiprocessors = 0;  ///< occupied by one operation's kernels; 0: none, or unknown
  /// The same operation, only enqueued on the job's stream: for timing by the device's own clock.
  std::function<void()> enqueue;
  std::vector<comparison> against;  ///< for operations of one step
  /// Figures besides those measured: known beforehand, such as a number of threads, or following
  /// from the others of a repetition.
  std::function<figures(const figures& measured)> further;
  bool batched = true;          ///< false: timed alone however short it is; so are several steps
  std::size_t least_batch = 1;  ///< operations between two clock readings, also when they are long
  std::size_t least_operations = 3;  ///< in each repetition, and so many batches
};

/// A way to move data. A file in strategies/ fills this table and registers it; the harness does
/// warm-up, timing, verification and counters the same way for all.
struct strategy {
  std::string name;          ///< "family/memory", the beginning of its benchmarks' names
  std::string summary = {};  ///< one line for --list
  std::vector<std::string> variants = {};                ///< none: its name alone
  bool sized = true;                                     ///< false: not repeated for every size
  std::optional<transfers::host_memory_kind> host = {};  ///< the host buffer it uses
  std::function<transfer(const job&)> prepare = {};

  std::size_t smallest = 1, largest = SIZE_MAX;  ///< sizes that make sense, in bytes
  std::size_t host_payloads = 1;    ///< how many times the size it uses of the host buffer
  std::size_t device_payloads = 1;  ///< likewise of the device's
  /// As much memory as the size, besides the buffers, in its operation.
  bool takes_host_memory = false, takes_device_memory = false;
  bool essential = false;  ///< part of the quick profile
  bool cold = true;        ///< also measured with cold caches
  std::size_t sparse = 1;  ///< of the profile's sizes, takes the largest and every n-th below it
  std::size_t leaves_out = 0;  ///< so many of the profile's largest sizes
  double effort = 1;           ///< timed operations take this part of the profile's time
  /// Repeated until the median over the repetitions is known to 5 %: five times at least, and up to
  /// three times as often as the profile says; or, for operations that take long, three times and
  /// for half a second.
  bool until_stable = false;
  bool one_way = true;  ///< it moves its bytes in one direction: GB/s relate to the link's limit
  /// Why it cannot run on a device, one line; nullopt when it can. None: it runs everywhere.
  std::function<std::optional<std::string>(const transfers::device&)> why_unsupported = {};
};

/// Why a strategy cannot run on a device: its host memory, or its own reasons.
std::optional<std::string> why_unsupported(const strategy& one, const transfers::device& device);

/// Steps "enqueue" and "wait" of an asynchronous operation: when the call returns, and the rest.
std::vector<step> enqueue_and_wait(transfers::stream& stream, std::function<void()> enqueue);

using registry = std::vector<strategy>;

/// Called by main once: runs every file's registration, ordered by name of the strategies.
registry registered_strategies();

/// One strategy "name/<kind>" for each of several kinds of host memory.
struct host_memory_family {
  std::string name;
  std::string summary;  ///< the kind's description is added
  std::vector<std::string> variants;
  std::vector<transfers::host_memory_kind> kinds;
  std::function<transfer(const job&, transfers::host_memory_kind)> prepare;
  std::function<void(strategy&)> adjust = {};  ///< sets what else they have in common
};

/// A file registers its strategies with a constant of this type at namespace scope.
struct registration {
  explicit registration(const strategy& one);
  explicit registration(const host_memory_family& several);
};

/// Payload `index` of the host buffer of a kind; see strategy::host_payloads.
payload host_payload(const job& wanted, transfers::host_memory_kind kind, std::size_t index = 0);

/// The same in device memory; see strategy::device_payloads.
payload device_payload(const job& wanted, std::size_t index = 0);

/// The same end as a kernel addresses it. Throws unsupported where the device has no address for
/// it.
std::byte* seen_by_kernel(const payload& end);

/// Both ends of a copy between host memory of a kind and the device.
struct ends {
  payload source, destination;
};
ends ends_of(const job& wanted, transfers::host_memory_kind kind, transfers::direction way);

}  // namespace bench_transfers::bench
