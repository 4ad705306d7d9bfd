#include "bench/harness/interruption.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>

namespace bench_transfers::bench::interruption_test {
namespace {

using namespace std::chrono_literals;

// A handler of signals reads it.
std::atomic<std::chrono::nanoseconds> time_now{1h};

void watch() {
  watch_for_interruption([]() noexcept { return time_now.load(); });
}

/// Runs in its own process, because a recorded signal stays. Exits with the recorded signal.
[[noreturn]] void note(int signal) {
  watch();
  raise(signal);
  std::_Exit(interruption() == signal ? 42 : 1);
}

class interruption_test : public testing::TestWithParam<int> {};

TEST_P(interruption_test, is_recorded_instead_of_ending_the_program) {
  EXPECT_EXIT(note(GetParam()), testing::ExitedWithCode(42), "");
}

TEST_P(interruption_test, twice_ends_the_program) {
  EXPECT_EXIT(
      {
        watch();
        raise(GetParam());
        time_now = time_now.load() + 301ms;
        raise(GetParam());
      },
      testing::KilledBySignal(GetParam()), "");
}

TEST_P(interruption_test, twice_at_the_same_time_counts_once) {
  EXPECT_EXIT(
      {
        watch();
        raise(GetParam());
        time_now = time_now.load() + 300ms;
        note(GetParam());
      },
      testing::ExitedWithCode(42), "");
}

TEST_P(interruption_test, is_recorded_with_the_clock_of_the_computer) {
  EXPECT_EXIT(
      {
        watch_for_interruption();
        raise(GetParam());
        std::_Exit(interruption() == GetParam() ? 42 : 1);
      },
      testing::ExitedWithCode(42), "");
}

TEST(stops, are_counted) {
  EXPECT_EXIT(
      {
        watch_for_interruption();
        const bool had_none = stops() == 0;
        raise(SIGCONT);
        raise(SIGCONT);
        std::_Exit(had_none && stops() == 2 && interruption() == 0 ? 42 : 1);
      },
      testing::ExitedWithCode(42), "");
}

INSTANTIATE_TEST_SUITE_P(signals, interruption_test, testing::Values(SIGINT, SIGTERM));

}  // namespace
}  // namespace bench_transfers::bench::interruption_test
