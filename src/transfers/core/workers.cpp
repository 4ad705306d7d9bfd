#include "transfers/core/workers.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "src/transfers/core/affinity.hpp"
#include "src/transfers/core/cpu_quota.hpp"
#include "src/transfers/core/relax.hpp"

namespace transfers {
namespace {

/// In worker_team::inside_: threads may still enter.
constexpr std::uint32_t open = 1U << 31U;

/// The CPU limit of the container; more threads than that only wait for each other.
std::optional<unsigned> quota_of_this_container() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return detail::processors_of_quota(line);
}

}  // namespace

unsigned usable_processors() {
  const auto processors = detail::processors_in_mask(
      [](std::size_t bytes, cpu_set_t* mask) { return sched_getaffinity(0, bytes, mask); });
  const auto allowed = std::max(1U, processors.value_or(std::thread::hardware_concurrency()));
  return std::min(allowed, quota_of_this_container().value_or(allowed));
}

worker_team::worker_team(unsigned threads, std::chrono::microseconds look_out)
    : look_out_(look_out) {
  try {
    for (unsigned i = 1; i < threads; ++i) others_.emplace_back([this, i] { work(i); });
  } catch (...) {
    stop();
    throw;
  }
}

worker_team::~worker_team() { stop(); }

void worker_team::stop() noexcept {
  stopping_ = true;
  tasks_begun_.fetch_add(2, std::memory_order_release);
  tasks_begun_.notify_all();
  for (auto& thread : others_) thread.join();
}

/// Returns when `value` is no longer `old`.
void worker_team::wait_while(const std::atomic<std::uint32_t>& value,
                             std::uint32_t old) const noexcept {
  using clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds soon{20};
  const auto begin = clock::now();
  for (auto time = begin; time < begin + look_out_; time = clock::now()) {
    for (int i = 0; i < 16; ++i) {
      if (value.load(std::memory_order_acquire) != old) return;
      detail::relax();
    }
    if (time > begin + soon) std::this_thread::yield();
  }
  while (value.load(std::memory_order_acquire) == old) value.wait(old, std::memory_order_acquire);
}

void worker_team::run(const std::function<void(unsigned)>& part) {
  task_ = &part;
  unfinished_.store(size(), std::memory_order_relaxed);
  begin_task(true, size());
  do_part(0);
  while (const auto unfinished = unfinished_.load(std::memory_order_acquire))
    wait_while(unfinished_, unfinished);
  rethrow_failure();
}

void worker_team::share(const std::function<void(unsigned)>& part, unsigned wake) {
  task_ = &part;
  inside_.store(open, std::memory_order_release);
  begin_task(false, wake);
  call(0);
  inside_.fetch_and(~open, std::memory_order_acq_rel);
  while (const auto inside = inside_.load(std::memory_order_acquire)) wait_while(inside_, inside);
  rethrow_failure();
}

/// Each thread to wake costs the caller about a microsecond.
void worker_team::begin_task(bool for_all, unsigned wake) {
  // Only the caller changes it.
  const auto before = tasks_begun_.load(std::memory_order_relaxed) & ~1U;
  tasks_begun_.store((before + 2) | (for_all ? 1U : 0U), std::memory_order_release);
  if (wake >= others_.size())
    tasks_begun_.notify_all();
  else
    for (; wake > 0; --wake) tasks_begun_.notify_one();
}

void worker_team::rethrow_failure() {
  if (auto failure = std::exchange(failure_, nullptr)) std::rethrow_exception(failure);
}

void worker_team::work(unsigned index) {
  for (std::uint32_t last_seen = 0;;) {
    wait_while(tasks_begun_, last_seen);
    if (stopping_) return;
    last_seen = tasks_begun_.load(std::memory_order_acquire);
    if ((last_seen & 1U) != 0) {
      do_part(index);  // run() waits for it, so this is still that task
    } else if (enter()) {
      call(index);
      leave();
    }
  }
}

/// Whether a shared task is open, which the caller's share() then waits for.
bool worker_team::enter() noexcept {
  auto inside = inside_.load(std::memory_order_relaxed);
  while ((inside & open) != 0)
    if (inside_.compare_exchange_weak(inside, inside + 1, std::memory_order_acq_rel)) return true;
  return false;
}

void worker_team::leave() noexcept {
  if (inside_.fetch_sub(1, std::memory_order_acq_rel) == 1) inside_.notify_all();
}

void worker_team::do_part(unsigned index) noexcept {
  call(index);
  if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) unfinished_.notify_all();
}

void worker_team::call(unsigned index) noexcept {
  try {
    (*task_)(index);
  } catch (...) {
    const std::scoped_lock lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
}

void in_parts(worker_team& team, std::size_t total, std::size_t unit,
              const std::function<void(std::size_t, std::size_t)>& work) {
  const auto units = (total + unit - 1) / unit;
  const auto share = (units + team.size() - 1) / team.size() * unit;
  if (total == 0) return;
  if (share >= total) return work(0, total);
  const auto part = [&](unsigned index) {
    const auto first = index * share;
    if (first < total) work(first, std::min(share, total - first));
  };
  team.run(std::cref(part));  // as a reference, for which std::function needs no memory
}

void in_parallel(std::size_t total, const shares& shares,
                 const std::function<void(std::size_t, std::size_t)>& work) {
  const auto busy = std::max<std::size_t>(1, total / shares.worth_a_thread);
  auto threads = std::min<std::size_t>({busy, shares.most_threads, usable_processors()});
  std::optional<worker_team> team;
  while (!team) {
    try {
      team.emplace(static_cast<unsigned>(threads));
    } catch (const std::system_error&) {
      threads /= 2;  // at worst the caller works alone, which needs no thread
    }
  }
  in_parts(*team, total, shares.unit, work);
}

}  // namespace transfers
