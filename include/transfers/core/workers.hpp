#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace transfers {

/// Returns the number of processors that the calling thread may run on (sched_getaffinity(2);
/// taskset, numactl and containers restrict it), or the container's CPU quota (cgroup v2), rounded
/// up, if that is less; at least 1.
[[nodiscard]] unsigned usable_processors();

/// A team of threads, the caller among them, that runs tasks one after another, each in parts.
/// After a task the other threads poll for the next task for a while, because waking up takes many
/// microseconds; then they sleep. They inherit the affinity of the thread that makes the team.
class worker_team {
 public:
  /// How long idle threads poll unless the constructor is told otherwise.
  static constexpr std::chrono::microseconds usual_look_out{20};

  /// `look_out` is how long idle threads poll, yielding to others, before they sleep. Throws
  /// std::system_error if threads cannot be started.
  explicit worker_team(unsigned threads = usable_processors(),
                       std::chrono::microseconds look_out = usual_look_out);
  ~worker_team();
  worker_team(const worker_team&) = delete;
  worker_team& operator=(const worker_team&) = delete;

  /// Returns the number of threads, the caller's included.
  [[nodiscard]] unsigned size() const noexcept { return static_cast<unsigned>(others_.size()) + 1; }

  /// Calls part(i) for each i below size(), part(0) in the caller's thread, and returns when all
  /// have returned; then rethrows the first exception that a part threw. One thread at a time may
  /// call it.
  void run(const std::function<void(unsigned)>& part);

  /// Calls part(0) in the caller's thread, and part(i) in those other threads that are awake before
  /// it returns; it wakes up to `wake` of them. A thread may make its call several times. Returns
  /// when all calls that have begun have returned, and does not wait for threads that still sleep.
  /// The parts divide the work among themselves, so that any number of them does all of it. Then
  /// rethrows the first exception that a part threw. One thread at a time may call it or run().
  void share(const std::function<void(unsigned)>& part, unsigned wake);

 private:
  void work(unsigned index);
  void begin_task(bool for_all, unsigned wake);
  [[nodiscard]] bool enter() noexcept;
  void leave() noexcept;
  void call(unsigned index) noexcept;
  void rethrow_failure();
  void wait_while(const std::atomic<std::uint32_t>& value, std::uint32_t old) const noexcept;
  void do_part(unsigned index) noexcept;
  void stop() noexcept;

  std::chrono::microseconds look_out_;
  const std::function<void(unsigned)>* task_ = nullptr;
  std::atomic<std::uint32_t> tasks_begun_ = 0;  ///< twice their number; odd: all must do the last
  std::atomic<std::uint32_t> unfinished_ = 0;   ///< parts of a task that all must do
  std::atomic<std::uint32_t> inside_ = 0;  ///< threads in a shared task; and whether it is open
  std::atomic<bool> stopping_ = false;
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::vector<std::thread> others_;  // last: the threads use all other members
};

/// Divides 0 … total-1 into at most one part for each thread, and calls work(first, count) for
/// each. Parts, except the last, are whole multiples of `unit`. Throws what `work` throws.
void in_parts(worker_team& team, std::size_t total, std::size_t unit,
              const std::function<void(std::size_t first, std::size_t count)>& work);

/// How in_parallel() divides work.
struct shares {
  std::size_t worth_a_thread;           ///< elements whose work outweighs a thread's start
  std::size_t unit = 1;                 ///< parts, except the last, are whole multiples of it
  std::size_t most_threads = SIZE_MAX;  ///< in addition to the limit usable_processors()
};

/// The same with newly started threads: as many as have enough to do, or fewer if the system cannot
/// start them.
void in_parallel(std::size_t total, const shares& shares,
                 const std::function<void(std::size_t first, std::size_t count)>& work);

}  // namespace transfers
