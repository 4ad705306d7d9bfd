#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "transfers/core/workers.hpp"

// Loops over host memory on all cores, by threads of the library alone: the caller's threads, of
// OpenMP for example, are left as they are.

namespace transfers::detail {

/// Work on the indices first … first + count - 1 of a loop.
using part_of_loop = std::function<void(std::size_t first, std::size_t count)>;

/// Divides a loop over 0 … total-1 into parts and runs them on several threads; returns when all
/// are done. `bytes` is the approximate amount of memory that the loop touches: a loop over little
/// is one part, for the calling thread. Parts must not throw.
using run_loop =
    std::function<void(std::size_t total, std::size_t bytes, const part_of_loop& part)>;

/// The threads of a stream, which start for the first loop that needs them and sleep between loops.
class loop_team {
 public:
  /// As run_loop.
  void operator()(std::size_t total, std::size_t bytes, const part_of_loop& part);

  /// Parts, except the last, are whole multiples of `unit`. If no threads can be started, the
  /// calling thread does all.
  void run(std::size_t total, std::size_t unit, const part_of_loop& part);

 private:
  std::optional<worker_team> team_;
};

/// As run_loop, for the caller's thread: threads start and end within the call. Calls at the same
/// time, from an OpenMP loop for example, together start fewer than usable_processors() threads.
void on_all_cores(std::size_t total, std::size_t bytes, const part_of_loop& part);

}  // namespace transfers::detail
