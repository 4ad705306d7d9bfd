#pragma once

#include <atomic>
#include <chrono>

#include "transfers/core/workers.hpp"
#include "transfers/fast/staged_copy.hpp"

namespace transfers::detail {

/// Tells copies that follow each other at once from others. Thread-safe.
class copy_row {
 public:
  using time = std::chrono::steady_clock::time_point;

  /// Of a copy that begins.
  [[nodiscard]] copy_pace pace(time begin = std::chrono::steady_clock::now()) const {
    return begin - last_end_.load(std::memory_order_relaxed) < worker_team::usual_look_out
               ? copy_pace::in_row
               : copy_pace::alone;
  }
  void end(time end = std::chrono::steady_clock::now()) {
    last_end_.store(end, std::memory_order_relaxed);
  }

 private:
  std::atomic<time> last_end_ = time();
};

}  // namespace transfers::detail
