#include "bench/harness/cpu_meter.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <thread>

#include "tests/basics.hpp"
#include "tests/unit/bench/fake_clock.hpp"
#include "tests/unit/transfers/busy.hpp"
#include "transfers/core/workers.hpp"

namespace bench_transfers::bench::cpu_meter_test {
namespace {

double cores_of(const std::function<void()>& work) {
  cpu_meter meter;
  meter.start();
  work();
  meter.stop();
  return meter.cores().value();
}

/// CPU seconds: the number of cores if the work takes a second of wall time.
double cpu_seconds_of(const std::function<void()>& work) {
  const fake_clock clock;
  return cores_of([&] {
    work();
    fake_clock::advance(1s);
  });
}

TEST(cpu_meter, knows_nothing_before_it_has_measured) {
  EXPECT_EQ(cpu_meter().cores(), std::nullopt);
}

TEST(cpu_meter, counts_the_calling_thread) {
  const double seconds = cpu_seconds_of([] { use_processor_for(20ms); });
  EXPECT_NEAR(seconds, 0.020, 0.004);
  EXPECT_LT(cores_of([] { use_processor_for(20ms); }), 1.1);
}

TEST(cpu_meter, counts_a_sleeping_thread_as_none) {
  EXPECT_LT(cores_of([] { std::this_thread::sleep_for(20ms); }), 0.2);
}

TEST(cpu_meter, counts_every_thread_that_is_busy) {
  transfers::worker_team team(4);
  const double seconds =
      cpu_seconds_of([&] { team.run([](unsigned) { use_processor_for(20ms); }); });
  EXPECT_NEAR(seconds, 4 * 0.020, 0.016);
}

/// A thread works in each span, is still awake at its end, and sleeps afterwards. When it sleeps,
/// the kernel adds its time to the process's; before, that time would be missing.
TEST(cpu_meter, misses_nothing_in_spans_shorter_than_the_kernels_ticks) {
  // Work of a known length that never reads its own time, because that would update the account.
  const auto work = [](std::uint64_t steps) {
    for (volatile std::uint64_t i = 0; i < steps;) i = i + 1;
  };
  constexpr std::uint64_t steps = 1'000'000;
  double expected = std::numeric_limits<double>::max();
  for (int i = 0; i < 5; ++i) {
    const auto before = thread_time();
    work(steps);
    expected = std::min(expected, std::chrono::duration<double>(thread_time() - before).count());
  }

  enum phase : int { asleep, working, finished, ended };
  std::atomic<int> now = asleep;
  std::thread worker([&] {
    for (;;) {
      now.wait(asleep);
      if (now == ended) return;
      work(steps);
      now = finished;
      now.notify_all();
      while (now == finished) {
      }
    }
  });
  constexpr int spans = 20;
  const fake_clock clock;
  cpu_meter meter;
  for (int i = 0; i < spans; ++i) {
    meter.start();
    now = working;
    now.notify_all();
    now.wait(working);
    fake_clock::advance(1s);
    meter.stop();
    now = asleep;
    std::this_thread::sleep_for(2ms);
  }
  now = ended;
  now.notify_all();
  worker.join();
  EXPECT_GT(meter.cores().value() * spans, 0.7 * spans * expected);
}

TEST(cpu_meter, leaves_out_work_between_its_spans) {
  cpu_meter meter;
  for (int i = 0; i < 5; ++i) {
    meter.start();
    std::this_thread::sleep_for(4ms);
    meter.stop();
    use_processor_for(10ms);
  }
  EXPECT_LT(meter.cores().value(), 0.3);
}

}  // namespace
}  // namespace bench_transfers::bench::cpu_meter_test
