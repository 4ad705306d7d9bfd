#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "buffers.hpp"
#include "transfers/device.hpp"

namespace bench {

/// What a strategy is asked to get ready.
struct job {
  transfers::device& device;
  buffers& memory;
  transfers::stream& stream;  ///< for asynchronous work; idle between operations
  std::string_view variant;   ///< one of the strategy's variants
  std::size_t bytes;          ///< 0 for a strategy without sizes
};

/// A piece of the timed operation. Steps run in order; the operation is timed as a whole and, when
/// there are several, each step is a figure of its own ("<name>_ns").
struct step {
  std::string name;
  std::function<void()> run;
};

/// One end of a transfer: what the harness fills, poisons, flushes and checks.
struct payload {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  bool on_device = false;
  const transfers::host_memory* host = nullptr;  ///< the block it lies in, for host memory
};

/// Everything the timed region touches. Owned here: by value, or captured in the functions.
/// When steps return from the last one, the data must be usable at the destination.
struct transfer {
  std::vector<step> steps;
  std::optional<payload> source;
  std::optional<payload> destination;
  /// The same operation, only enqueued on the job's stream: for timing by the device's own clock.
  std::function<void()> enqueue;
  bool batched = true;  ///< false: timed alone however short it is; so are several steps
};

/// A way to move data. A file in strategies/ fills this table and registers it; the harness does
/// warm-up, timing, verification and counters the same way for all.
struct strategy {
  std::string name;     ///< "family/memory", the beginning of its benchmarks' names
  std::string summary;  ///< one line for --list
  std::vector<std::string> variants;
  bool sized = true;                                ///< false: not repeated for every size
  std::optional<transfers::host_memory_kind> host;  ///< the host buffer it uses
  std::function<transfer(const job&)> prepare;
};

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
};

/// A file registers its strategies with a constant of this type at namespace scope.
struct registration {
  explicit registration(const strategy& one);
  explicit registration(const host_memory_family& several);
};

/// Both ends of a copy between host memory of a kind and the device.
struct ends {
  payload source, destination;
};
ends ends_of(const job& wanted, transfers::host_memory_kind kind, transfers::direction way);

}  // namespace bench
