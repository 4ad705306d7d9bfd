#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <set>

#include "transfers/host/emulated_link.hpp"

namespace transfers {

/// A clock for several threads that stands still until the test moves it.
class moved_clock {
 public:
  [[nodiscard]] emulated_link::link_clock functions() {
    return {.now = [this] { return now(); },
            .sleep_until = [this](std::chrono::nanoseconds end) { sleep_until(end); }};
  }

  [[nodiscard]] std::chrono::nanoseconds now() {
    const std::scoped_lock lock(mutex_);
    return now_;
  }

  void move(std::chrono::nanoseconds distance) {
    const std::scoped_lock lock(mutex_);
    now_ += distance;
    changed_.notify_all();
  }

  /// Returns when this many threads sleep beyond the current time.
  void wait_for_sleepers(std::size_t threads) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return sleepers() == threads; });
  }

  /// Announces threads that will sleep by this clock; each calls leave() in the end.
  void expect(std::size_t threads) {
    const std::scoped_lock lock(mutex_);
    threads_ += threads;
  }
  void leave() {
    const std::scoped_lock lock(mutex_);
    --threads_;
    changed_.notify_all();
  }

  /// Whenever all threads sleep, advances to `late` after the first wake-up time. Returns when all
  /// threads have left.
  void run(std::chrono::nanoseconds late = {}) {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return sleepers() == threads_; });
      if (threads_ == 0) return;
      now_ = *ends_.upper_bound(now_) + late;
      changed_.notify_all();
    }
  }

 private:
  /// Threads whose wake-up time has come do not count, even if they have not woken up yet.
  [[nodiscard]] std::size_t sleepers() const {
    return static_cast<std::size_t>(std::distance(ends_.upper_bound(now_), ends_.end()));
  }

  void sleep_until(std::chrono::nanoseconds end) {
    std::unique_lock lock(mutex_);
    const auto entry = ends_.insert(end);
    changed_.notify_all();
    changed_.wait(lock, [&] { return now_ >= end; });
    ends_.erase(entry);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::chrono::nanoseconds now_{0};
  std::multiset<std::chrono::nanoseconds> ends_;
  std::size_t threads_ = 0;
};

}  // namespace transfers
