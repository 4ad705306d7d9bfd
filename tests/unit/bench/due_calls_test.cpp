#include "bench/strategies/due_calls.hpp"

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "tests/basics.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench::due_calls_test {
namespace {

using span = due_calls::span;

TEST(due_calls, that_wait_for_an_event_count_from_when_they_were_due_and_so_do_those_behind_them) {
  const auto device = transfers::open_host_device();
  std::atomic<bool> is_open = true;
  due_calls calls(
      *device, [&] { is_open.wait(false); }, 1);
  calls.start();
  is_open = false;
  const auto begin = due_calls::clock::now();
  std::this_thread::sleep_for(100ms);
  const auto end = due_calls::clock::now();
  is_open = true;
  is_open.notify_all();
  calls.stop();
  const auto during = calls.during(std::vector<span>{{begin, end}});
  // Two hundred on average, whether the thread could make one or none of them in the span.
  EXPECT_GE(during.calls, due_calls::fewest_calls);
  EXPECT_GE(during.longest_ns, 50e6);
  const auto half = begin + (end - begin) / 2;
  const auto first = calls.during(std::vector<span>{{begin, half}});
  const auto second = calls.during(std::vector<span>{{half, end}});
  EXPECT_EQ(first.calls + second.calls, during.calls);
  EXPECT_EQ(calls.during(std::vector<span>{{begin, half}, {half, end}}).calls, during.calls);
  EXPECT_LT(second.longest_ns, first.longest_ns);
  EXPECT_EQ(calls.during({}).calls, 0U);
}

TEST(due_calls, that_fail_are_told_once) {
  const auto device = transfers::open_host_device();
  std::atomic<bool> fails = false;
  std::atomic<bool> has_failed = false;
  due_calls calls(
      *device,
      [&] {
        if (!fails) return;
        has_failed = true;
        throw transfers::device_error("on purpose", false);
      },
      1);
  calls.start();
  fails = true;
  while (!has_failed) std::this_thread::yield();
  calls.stop();
  EXPECT_THROW(calls.rethrow(), transfers::device_error);
  EXPECT_NO_THROW(calls.rethrow());
}

TEST(due_calls, can_begin_again) {
  const auto device = transfers::open_host_device();
  std::atomic<std::size_t> made = 0;
  due_calls calls(
      *device, [&] { ++made; }, 1);
  for (int i = 0; i < 2; ++i) {
    const auto before = made.load();
    calls.start();
    while (made < before + 3) std::this_thread::yield();
    calls.stop();
    const auto after = made.load();
    EXPECT_EQ(made, after);
  }
}

}  // namespace
}  // namespace bench_transfers::bench::due_calls_test
