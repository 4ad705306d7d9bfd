#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/strategy/strategy.hpp"
#include "bench/verification/pattern.hpp"
#include "transfers/core/workers.hpp"

namespace bench_transfers::bench {
namespace {

using result_file::better;
using result_file::metric;
using result_file::metric_kind;
using transfers::direction;
using transfers::host_memory_kind;
using clock = std::chrono::steady_clock;

/// Makes small calls of the device, one after another, in a thread of its own, and notes how long
/// the longest of each kind took.
class small_calls {
 public:
  static constexpr std::size_t bytes = 4096;
  enum call { enqueue_copy, wait_for_copy, ask_event, allocate_and_free, calls };
  static constexpr std::array<const char*, calls> names{"longest_copy_call_ns", "longest_wait_ns",
                                                        "longest_query_ns",
                                                        "longest_device_allocation_ns"};
  static constexpr std::array<const char*, calls> descriptions{
      "a small cudaMemcpyAsync of another thread: the longest call",
      "its cudaStreamSynchronize afterwards: the longest", "its cudaEventQuery: the longest",
      "its cudaMalloc and cudaFree of a page: the longest"};

  explicit small_calls(const job& task)
      : device_(task.device),
        pattern_(task.memory.pattern()),
        host_(device_.allocate_host(bytes, transfers::pinned())),
        on_device_(device_.allocate(bytes)),
        stream_(device_.create_stream()),
        event_(stream_->record(transfers::event_timing::off)) {
    write_host_pattern(host_.data(), 0, bytes, pattern_);
    poison();
  }

  void start() {
    stopping_ = false;
    const auto made_before = made_.load();
    longest_before_ = longest_;
    thread_ = std::jthread([this] { make_all(); });
    made_.wait(made_before);  // it has made each call again, or failed
  }
  void stop() noexcept {
    stopping_ = true;
    if (thread_.joinable()) thread_.join();
  }

  /// Since the last forget(), in ns. They have stopped.
  [[nodiscard]] double longest(call which) const { return longest_[which]; }
  /// How often all calls have been made since then.
  [[nodiscard]] std::size_t made() const { return made_; }
  void forget() {
    const std::scoped_lock lock(mutex_);
    longest_ = {};
    made_ = 0;
  }

  /// Makes later copies send wrong data, for injected faults.
  void corrupt() { write_host_pattern(host_.data(), 0, bytes, poisoned()); }

  /// One line if the copies have moved wrong data. Throws what a call threw.
  std::optional<std::string> compare() {
    if (auto failure = std::exchange(failure_, nullptr)) std::rethrow_exception(failure);
    const auto check = check_pattern(device_, on_device_.data(), 0, bytes, pattern_);
    poison();
    if (check.wrong_bytes == 0) return std::nullopt;
    return std::to_string(check.wrong_bytes) + " bytes of the small copies differ";
  }

 private:
  [[nodiscard]] pattern poisoned() const { return {pattern_.seed, !pattern_.inverted}; }
  void poison() { write_pattern(device_, on_device_.data(), 0, bytes, poisoned()); }

  void make_all() noexcept {
    try {
      make_each();  // those of a new thread take longer
      longest_ = longest_before_;
      count();
      while (!stopping_) {
        make_each();
        count();
      }
    } catch (...) {
      failure_ = std::current_exception();
      count();
    }
  }
  void count() {
    ++made_;
    made_.notify_one();
  }
  void make_each() {
    note(enqueue_copy,
         [&] { stream_->copy(on_device_.data(), host_.data(), bytes, direction::h2d); });
    note(wait_for_copy, [&] { stream_->synchronize(); });
    note(ask_event, [&] { static_cast<void>(event_->done()); });
    note(allocate_and_free, [&] { static_cast<void>(device_.allocate(bytes)); });
  }
  template <class Call>
  void note(call which, Call&& make) {
    const auto begin = clock::now();
    make();
    const std::chrono::duration<double, std::nano> time = clock::now() - begin;
    const std::scoped_lock lock(mutex_);
    longest_[which] = std::max(longest_[which], time.count());
  }

  transfers::device& device_;
  pattern pattern_;
  transfers::host_memory host_;
  transfers::device_memory on_device_;
  std::unique_ptr<transfers::stream> stream_;
  std::unique_ptr<transfers::event> event_;
  std::mutex mutex_;  ///< of longest_ while the thread runs
  std::array<double, calls> longest_{}, longest_before_{};
  std::atomic<std::size_t> made_ = 0;
  std::exception_ptr failure_;
  std::atomic<bool> stopping_ = false;
  std::jthread thread_;  // last: uses the other members
};

std::vector<measured_metric> metrics_of(const small_calls& calls) {
  std::vector<measured_metric> metrics;
  for (std::size_t which = 0; which < small_calls::names.size(); ++which)
    metrics.push_back({metric{small_calls::names.at(which), "ns", metric_kind::duration,
                              better::less, small_calls::descriptions.at(which), true},
                       calls.longest(static_cast<small_calls::call>(which))});
  metrics.push_back({metric{"calls_made", "1", metric_kind::count, std::nullopt,
                            "times that the other thread made these calls"},
                     static_cast<double>(calls.made())});
  return metrics;
}

transfer prepare(const job& task, host_memory_kind kind) {
  struct shared_state {
    small_calls calls;
    transfers::host_memory memory = {};
    explicit shared_state(const job& measured) : calls(measured) {}
  };
  const auto state = std::make_shared<shared_state>(task);
  transfer operation;
  operation.amount.bytes = task.bytes;
  operation.timing.batched = false;
  operation.timing.least_operations = 1;
  operation.timing.conditions = [state] {
    state->calls.start();
    return std::shared_ptr<const void>(nullptr, [state](const void*) { state->calls.stop(); });
  };
  operation.timing.forget_settling = [state] { state->calls.forget(); };
  operation.steps = {{"allocate", [state, &device = task.device, bytes = task.bytes,
                                   kind] { state->memory = device.allocate_host(bytes, kind); }},
                     {"free", [state] { state->memory = {}; }}};
  operation.check.compare = [state] { return state->calls.compare(); };
  operation.check.corrupt = [state] { state->calls.corrupt(); };
  operation.derive = [state](const metric_values&) {
    auto metrics = metrics_of(state->calls);
    state->calls.forget();
    return metrics;
  };
  return operation;
}

std::optional<std::string> why_unsupported(const transfers::device& device, host_memory_kind kind) {
  if (transfers::usable_processors() < 2)
    return "a thread allocates and another one makes calls: there is one processor";
  return device.why_unsupported(kind);
}

const result_file::role role{"stalls", "host memory allocated and freed beside other calls",
                             result_file::table::times};

strategy strategy_for(host_memory_kind kind) {
  return {.family = "stalls",
          .parts = {in_memory(kind)},
          .summary = "allocating and freeing while another thread makes small calls, " +
                     transfers::describe(kind),
          .role = role,
          .plainness = options_of(kind),
          .shares_link = false,
          .prepare = [kind](const job& task) { return prepare(task, kind); },
          .needs = {.more_host_memory = 1,
                    .fixed_host_memory = small_calls::bytes,
                    .why_unsupported =
                        [kind](const transfers::device& device) {
                          return why_unsupported(device, kind);
                        }},
          .sampling = {.smallest = std::size_t{1} << 20, .cold = false, .on_request = true}};
}

const struct stall_strategies {
  stall_strategies() {
    for (const auto kind :
         {transfers::pageable_huge, transfers::pinned(), transfers::registered_huge})
      registration{strategy_for(kind)};
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench
