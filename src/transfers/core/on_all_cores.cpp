#include "src/transfers/core/on_all_cores.hpp"

#include <algorithm>
#include <atomic>
#include <exception>

namespace transfers::detail {
namespace {

constexpr std::size_t MiB = std::size_t{1} << 20;

/// The number of indices that touch about `share` bytes; at least 1.
std::size_t indices_of(std::size_t share, std::size_t total, std::size_t bytes) {
  return std::max<std::size_t>(1, total / std::max<std::size_t>(1, bytes / share));
}

/// Parts are whole multiples of a page or so: no two threads write to the same cache line but once.
std::size_t unit_of(std::size_t total, std::size_t bytes) { return indices_of(4096, total, bytes); }

/// The threads that calls of on_all_cores() run at the moment in addition to their callers.
std::atomic<unsigned> additional_threads = 0;

/// A share of them, for one call.
class thread_allowance {
 public:
  thread_allowance() {
    const auto most = usable_processors() - 1;
    auto used = additional_threads.load(std::memory_order_relaxed);
    do {
      threads_ = most - std::min(most, used);
    } while (!additional_threads.compare_exchange_weak(used, used + threads_,
                                                       std::memory_order_relaxed));
  }
  ~thread_allowance() { additional_threads.fetch_sub(threads_, std::memory_order_relaxed); }
  thread_allowance(const thread_allowance&) = delete;
  thread_allowance& operator=(const thread_allowance&) = delete;

  [[nodiscard]] unsigned threads() const noexcept { return threads_; }

 private:
  unsigned threads_ = 0;
};

}  // namespace

void loop_team::operator()(std::size_t total, std::size_t bytes, const part_of_loop& part) {
  constexpr std::size_t worth_it = MiB;  // a thread needs as long for it as others to wake up
  if (bytes < worth_it) return part(0, total);
  run(total, unit_of(total, bytes), part);
}

void loop_team::run(std::size_t total, std::size_t unit, const part_of_loop& part) {
  if (total <= unit) return part(0, total);
  try {
    if (!team_) team_.emplace();
  } catch (const std::exception&) {  // there are no threads, or there is no memory for them
    return part(0, total);
  }
  in_parts(*team_, total, unit, part);
}

void on_all_cores(std::size_t total, std::size_t bytes, const part_of_loop& part) {
  // Starting threads takes as long as one thread needs for a few MiB (docs/GPU_ARRAYS.md).
  constexpr std::size_t worth_it = 8 * MiB;
  if (bytes < worth_it) return part(0, total);
  const thread_allowance allowance;
  in_parallel(total,
              {.worth_a_thread = indices_of(MiB, total, bytes),
               .unit = unit_of(total, bytes),
               .most_threads = std::size_t{1} + allowance.threads()},
              part);
}

}  // namespace transfers::detail
