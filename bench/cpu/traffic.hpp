#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "bench/cpu/instructions.hpp"

namespace bench_transfers::bench::cpu {

/// Keeps work to a rate: says when its next piece may begin. Times are those of one clock.
class pace {
 public:
  using time = std::chrono::duration<double, std::nano>;

  /// Work that has been held up catches up with this much at full speed. More would be a burst that
  /// was not asked for.
  static constexpr time most_behind = std::chrono::milliseconds(1);

  pace(double bytes_per_second, time start) : bytes_per_second_(bytes_per_second), next_(start) {}

  [[nodiscard]] time next() const { return next_; }
  /// A piece has been moved by this time.
  void moved(std::size_t bytes, time now);

 private:
  double bytes_per_second_;
  time next_;
};

/// Notices that the system has kept a thread from its work: it looks at the clock much more often
/// than a scheduler changes threads. One thread calls beat(), others the rest.
class heartbeat {
 public:
  /// Several times as long as a piece takes that many threads compete for.
  static constexpr pace::time longest = std::chrono::microseconds(250);

  /// The thread begins work, or goes on with it.
  void begin(pace::time now);
  void beat(pace::time now);

  /// How often it was kept from work.
  [[nodiscard]] std::uint64_t misses() const { return misses_.load(std::memory_order_acquire); }
  /// Whether it is kept from work at this moment.
  [[nodiscard]] bool is_missing(pace::time now) const;

 private:
  std::atomic<double> last_ns_ = 0;
  std::atomic<std::uint64_t> misses_ = 0;
};

enum class traffic_kind { read, write, copy };

std::string to_string(traffic_kind kind);

/// Threads that read, write or copy memory, each its own part of it, piece by piece, while the
/// caller does something else.
class traffic {
 public:
  static constexpr double unlimited = std::numeric_limits<double>::infinity();

  /// The threads wait. Throws std::system_error if they cannot be started; std::invalid_argument
  /// if the memory is too small for them or does not begin with a line. The memory must outlive it,
  /// and its content changes.
  traffic(traffic_kind kind, std::span<std::byte> memory, unsigned threads);
  ~traffic();
  traffic(const traffic&) = delete;
  traffic& operator=(const traffic&) = delete;

  /// Returns when all threads are at work, at this rate together. They must have been waiting.
  void start(double bytes_per_second);
  /// Returns when all threads wait.
  void stop();

  /// Loaded and stored so far, counted when a piece is done.
  [[nodiscard]] std::uint64_t bytes() const;
  /// How often the system has kept a thread from its work so far; nullopt if it does so now.
  [[nodiscard]] std::optional<std::uint64_t> misses() const;
  /// Loads or stores of all threads in bytes per second, as fast as they can. They must be waiting.
  [[nodiscard]] double measure_rate();
  /// Returns when so many bytes more have been moved, by threads that are at work.
  void wait_for(std::uint64_t more_bytes) const;

  [[nodiscard]] unsigned threads() const { return static_cast<unsigned>(workers_.size()); }
  /// Moved by one thread between two looks at the clock.
  [[nodiscard]] std::size_t bytes_of_piece() const;

 private:
  enum class command { wait, work, end };
  struct alignas(line) worker {
    std::span<std::byte> memory;
    std::atomic<std::uint64_t> bytes = 0;
    heartbeat heart;
    std::uint64_t sum = 0;  ///< proves the loads to the compiler
  };

  void serve(worker& self);
  void work(worker& self);
  void move_piece(worker& self, std::size_t turn) const;
  void give(command given);

  traffic_kind kind_;
  std::vector<worker> workers_;
  std::atomic<command> command_ = command::wait;
  std::atomic<double> rate_of_each_ = unlimited;
  std::atomic<unsigned> at_work_ = 0;
  std::vector<std::jthread> threads_;  // last: they use all other members
};

}  // namespace bench_transfers::bench::cpu
