#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {

/// Work that is timed beside what another thread does.
struct timed_work {
  std::function<void()> run;  ///< returns when the work is done
  /// One line if what was run since the last call has done something wrong. Nothing is under way.
  std::function<std::optional<std::string>()> find_damage;
  std::function<void()> corrupt = {};  ///< makes its results wrong, for injected faults
};

/// A call that another thread makes back to back.
struct repeated_call {
  std::function<void()> run;
  /// One line if the calls have moved wrong data; may be empty. Nothing is under way.
  std::function<std::optional<std::string>()> find_damage = {};
  std::size_t bytes = 0;  ///< moved by each
};

/// Makes a call back to back in a thread of its own, as long as the object exists.
class repeating_thread {
 public:
  using clock = std::chrono::steady_clock;
  struct span {
    clock::time_point begin, end;
  };

  /// Returns when the first call has been made: that of a new thread takes longer, and is no span.
  /// The call must outlive the object. Throws what the first call throws, std::system_error.
  repeating_thread(transfers::device& device, const std::function<void()>& call);
  ~repeating_thread() { stop(); }
  repeating_thread(const repeating_thread&) = delete;
  repeating_thread& operator=(const repeating_thread&) = delete;

  /// Calls that have ended, without the first. A call that fails is the last one.
  [[nodiscard]] std::size_t made() const;
  /// No call begins any more. The one that is under way goes on.
  void let_end() noexcept { stopping_.store(true, std::memory_order_release); }
  [[nodiscard]] bool has_ended() const { return is_over_.load(std::memory_order_acquire); }
  /// Returns when so many have ended, or one has failed.
  void wait_for(std::size_t calls) const;
  [[nodiscard]] bool has_failed() const { return failed_.load(std::memory_order_acquire); }

  /// Returns when the last call has ended. Later calls do nothing.
  void stop() noexcept;
  /// The calls, in their order. They have been stopped.
  [[nodiscard]] const std::vector<span>& spans() const { return spans_; }
  /// Throws what a call has thrown. They have been stopped.
  void rethrow() const;

 private:
  void make_calls() noexcept;

  transfers::device& device_;
  const std::function<void()>& call_;
  std::vector<span> spans_;
  std::exception_ptr failure_;
  std::atomic<std::size_t> ended_ = 0;  ///< the first as well, and one that fails
  std::atomic<bool> failed_ = false, stopping_ = false, is_over_ = false;
  std::jthread thread_;  // last: uses the other members
};

/// Times work that becomes due at random, while another thread makes calls back to back, and both
/// alone, in turn: some operations beside, some alone, some calls alone. No due time depends on the
/// calls: the next one is drawn after the last work has ended. After the last operation of a turn,
/// work goes on untimed until the call that is under way has ended, and one at least counts: calls
/// that count have had work beside them from their begin to their end.
class beside {
 public:
  using clock = repeating_thread::clock;

  /// `call`: none, if the work is timed alone.
  beside(transfers::device& device, timed_work work, std::optional<repeated_call> call)
      : device_(device), work_(std::move(work)), call_(std::move(call)) {}
  beside(const beside&) = delete;
  beside& operator=(const beside&) = delete;

  /// Of a repetition, if each takes so long: as many as tell the 99th percentile if they take no
  /// more than half a second; else as many as tell the 95th, or as 150 ms have, but three at least.
  [[nodiscard]] static std::size_t operations_for(std::chrono::nanoseconds each);
  /// The same; of short operations a few more tell what each takes. Throws like prepare_next().
  [[nodiscard]] std::size_t choose_operations(std::chrono::nanoseconds first);

  /// Returns when the next work is due, while calls are made. Throws what a call has thrown,
  /// std::system_error.
  void prepare_next();
  /// The work that is due. It has taken as long as from then on.
  void run();
  [[nodiscard]] double took_ns() const { return took_ns_; }

  /// All that has been measured. From now on, turns measure both sides alone as well.
  void forget();
  /// Stops the calls. What they have thrown, compare() throws.
  void end() noexcept { end_turn(); }
  /// One line if the work or the calls since the last call have gone wrong. They have been stopped.
  std::optional<std::string> compare();

  [[nodiscard]] std::vector<measured_metric> metrics(const metric_values& known) const;

 private:
  void begin_turn();
  void end_turn() noexcept;
  [[nodiscard]] bool turn_is_over() const;
  void wait_for_due_time();

  transfers::device& device_;
  timed_work work_;
  std::optional<repeated_call> call_;
  std::minstd_rand random_;  // the same in every benchmark
  bool counts_ = false;      ///< what is measured
  clock::time_point due_;
  double took_ns_ = 0;

  std::unique_ptr<repeating_thread> calls_;  ///< of the turn that has begun
  std::size_t calls_before_ = 0;  ///< of these, when the first operation beside them was due
  clock::time_point beside_since_;
  std::size_t operations_of_turn_ = 0;

  std::vector<double> work_alone_ns_, calls_alone_ns_, calls_beside_ns_;
  double work_beside_ns_ = 0, time_beside_ns_ = 0;
  std::exception_ptr failure_;
};

/// The operation of a benchmark: the work, timed by `beside`. `more` gives a further metric.
transfer timed_beside(const job& task, timed_work work, std::optional<repeated_call> call,
                      std::function<std::optional<measured_metric>()> more = {});

/// Why no thread can make calls beside another one; nullopt if it can.
std::optional<std::string> why_no_calls_beside();

}  // namespace bench_transfers::bench
