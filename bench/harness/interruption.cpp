#include "bench/harness/interruption.hpp"

#include <time.h>

#include <atomic>
#include <csignal>

namespace bench_transfers::bench {
namespace {

// A signal handler has access to static storage only.
std::atomic<int> noted = 0;
static_assert(std::atomic<int>::is_always_lock_free, "needed to be safe in a signal handler");

std::atomic<std::chrono::nanoseconds> noted_at{};
static_assert(decltype(noted_at)::is_always_lock_free, "likewise");

using clock_function = std::chrono::nanoseconds (*)() noexcept;
std::atomic<clock_function> now = nullptr;
static_assert(decltype(now)::is_always_lock_free, "likewise");

std::chrono::nanoseconds monotonic_time() noexcept {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

std::atomic<unsigned long> continued = 0;
static_assert(std::atomic<unsigned long>::is_always_lock_free, "likewise");

extern "C" void note_continuation(int /*signal*/) { ++continued; }

extern "C" void note_signal(int signal) {
  constexpr std::chrono::milliseconds together(300);
  const auto time = now.load()();
  if (noted == 0) {
    noted_at = time;
    noted = signal;
  } else if (time - noted_at.load() > together) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);  // takes effect when this function returns
  }
}

}  // namespace

void watch_for_interruption() { watch_for_interruption(monotonic_time); }

void watch_for_interruption(clock_function clock) {
  now = clock;
  struct sigaction action {};
  action.sa_handler = note_signal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // Waiting calls of strategies and drivers go on, as without a handler.
  action.sa_handler = note_continuation;
  action.sa_flags = SA_RESTART;
  sigaction(SIGCONT, &action, nullptr);
  // A full pipe or a closed terminal shows up as a failed write, not as a silent death.
  signal(SIGPIPE, SIG_IGN);
}

void stop_watching_for_interruption() {
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
}

int interruption() noexcept { return noted; }

unsigned long stops() noexcept { return continued; }

}  // namespace bench_transfers::bench
