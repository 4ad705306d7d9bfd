#include "interruption.hpp"

#include <atomic>
#include <csignal>

namespace bench {
namespace {

// A signal handler can reach nothing but static storage.
std::atomic<int> noted = 0;
static_assert(std::atomic<int>::is_always_lock_free, "needed to be safe in a signal handler");

extern "C" void note_signal(int signal) { noted = signal; }

}  // namespace

void watch_for_interruption() {
  struct sigaction action {};
  action.sa_handler = note_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // so that a second one ends the program
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // A full pipe or a closed terminal shows up as a failed write, not as a silent death.
  signal(SIGPIPE, SIG_IGN);
}

int interruption() noexcept { return noted; }

}  // namespace bench
