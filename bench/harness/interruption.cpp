#include "bench/harness/interruption.hpp"

#include <time.h>

#include <atomic>
#include <csignal>

namespace bench_transfers::bench {
namespace {

// A signal handler has access to static storage only.
std::atomic<int> noted = 0;
static_assert(std::atomic<int>::is_always_lock_free, "needed to be safe in a signal handler");

std::atomic<long long> noted_at = 0;  // ms of the monotonic clock
static_assert(std::atomic<long long>::is_always_lock_free, "likewise");

long long milliseconds_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1'000'000;
}

std::atomic<unsigned long> continued = 0;
static_assert(std::atomic<unsigned long>::is_always_lock_free, "likewise");

extern "C" void note_continuation(int /*signal*/) { ++continued; }

extern "C" void note_signal(int signal) {
  constexpr long long together = 300;  // ms
  if (noted == 0) {
    noted_at = milliseconds_now();
    noted = signal;
  } else if (milliseconds_now() - noted_at > together) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);  // takes effect when this function returns
  }
}

}  // namespace

void watch_for_interruption() {
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

int interruption() noexcept { return noted; }

unsigned long stops() noexcept { return continued; }

}  // namespace bench_transfers::bench
