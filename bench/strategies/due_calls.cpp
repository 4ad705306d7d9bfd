#include "bench/strategies/due_calls.hpp"

#include <algorithm>
#include <utility>

#include "bench/strategy/strategy.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::bench {

due_calls::due_calls(transfers::device& device, std::function<void()> call, unsigned seed)
    : device_(device), call_(std::move(call)), random_(seed) {
  constexpr int attempts = 5;
  constexpr std::chrono::microseconds least_distance{500};
  std::vector<double> times;
  call_();  // the first may have to load something
  for (int i = 0; i < attempts; ++i) {
    const auto begin = clock::now();
    call_();
    times.push_back(std::chrono::duration<double, std::nano>(clock::now() - begin).count());
  }
  mean_distance_ = std::max<std::chrono::duration<double, std::nano>>(
      least_distance, std::chrono::duration<double, std::nano>(2 * statistics::median(times)));
}

void due_calls::start() {
  has_begun_ = stopping_ = false;
  thread_ = std::jthread([this] { make_calls(); });
  has_begun_.wait(false);
}

void due_calls::stop() noexcept {
  if (!thread_.joinable()) return;
  stopped_at_ = clock::now();
  stopping_.store(true, std::memory_order_release);
  thread_.join();
}

void due_calls::rethrow() {
  if (auto failure = std::exchange(failure_, nullptr)) std::rethrow_exception(failure);
}

void due_calls::make_calls() noexcept {
  const auto begun = [this] {
    has_begun_ = true;
    has_begun_.notify_all();
  };
  try {
    const auto current = device_.make_current();
    call_();  // that of a new thread takes longer
    begun();
    std::exponential_distribution<double> distances;
    for (auto due = clock::now();;) {
      due += std::chrono::duration_cast<clock::duration>(mean_distance_ * distances(random_));
      if (!wait_until(due)) return;
      call_();
      made_.push_back({due, std::chrono::duration<double, std::nano>(clock::now() - due).count()});
    }
  } catch (...) {
    failure_ = std::current_exception();
    begun();
  }
}

bool due_calls::wait_until(clock::time_point due) const {
  // A thread that sleeps wakes up some tens of microseconds late.
  constexpr std::chrono::microseconds wakes_before{150};
  for (;;) {
    if (stopping_.load(std::memory_order_acquire) && due > stopped_at_) return false;
    const auto left = due - clock::now();
    if (left <= clock::duration::zero()) return true;
    if (left > wakes_before)
      std::this_thread::sleep_for(left - wakes_before);
    else
      wait_a_moment(device_);
  }
}

due_calls::summary due_calls::during(std::span<const span> spans) const {
  summary result;
  for (const auto& [begin, end] : spans) {
    auto call = std::ranges::lower_bound(made_, begin, {}, &made::due);
    for (; call != made_.end() && call->due < end; ++call) {
      ++result.calls;
      result.longest_ns = std::max(result.longest_ns, call->took_ns);
    }
  }
  return result;
}

}  // namespace bench_transfers::bench
