#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <thread>
#include <vector>

#include "transfers/core/device.hpp"

namespace bench_transfers::bench {

/// Makes a call in a thread of its own whenever it is due. Due times are random and drawn in
/// advance: none depends on how long a call takes, and a call that is late counts from its due
/// time.
class due_calls {
 public:
  using clock = std::chrono::steady_clock;
  struct span {
    clock::time_point begin, end;
  };
  /// What the calls due within some spans of time took.
  struct summary {
    std::size_t calls = 0;
    double longest_ns = 0;
  };
  /// Fewer calls do not tell the longest.
  static constexpr std::size_t fewest_calls = 20;

  /// Makes some calls to find out how often they may be due: 2,000 times a second, or as often as
  /// leaves half of the time. Throws what the call throws.
  due_calls(transfers::device& device, std::function<void()> call, unsigned seed);
  ~due_calls() { stop(); }
  due_calls(const due_calls&) = delete;
  due_calls& operator=(const due_calls&) = delete;

  /// Returns when the thread has made a first call, which does not count. Throws std::system_error.
  void start();
  /// Returns when all calls have been made that are due by now. Calls that fail, rethrow() throws.
  void stop() noexcept;
  void rethrow();

  /// Of the calls that were due within the spans, which are in order. They have been stopped.
  [[nodiscard]] summary during(std::span<const span> spans) const;

 private:
  struct made {
    clock::time_point due;
    double took_ns;
  };

  void make_calls() noexcept;
  bool wait_until(clock::time_point due) const;

  transfers::device& device_;
  std::function<void()> call_;
  std::minstd_rand random_;
  std::chrono::duration<double, std::nano> mean_distance_{0};
  std::vector<made> made_;
  std::exception_ptr failure_;
  clock::time_point stopped_at_;
  std::atomic<bool> has_begun_ = false, stopping_ = false;
  std::jthread thread_;  // last: uses the other members
};

}  // namespace bench_transfers::bench
