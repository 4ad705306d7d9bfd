#include "bench/strategies/beside.hpp"

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "tests/basics.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench::beside_test {
namespace {

/// Calls, and the threads that make them.
struct calls_seen {
  std::atomic<int> threads = 0;
  std::atomic<std::size_t> made = 0;

  /// A call that says of its thread whether it exists.
  void make() {
    struct guard {
      explicit guard(std::atomic<int>& counted) : threads(counted) { ++threads; }
      ~guard() { --threads; }
      std::atomic<int>& threads;
    };
    const thread_local guard present(threads);
    ++made;
    std::this_thread::yield();
  }
};

/// Work that, beside calls, lasts until one has been made during it or there are none any more.
struct work_seen {
  explicit work_seen(calls_seen& other) : calls(other) {}

  void run() {
    last_was_beside = calls.threads > 0;
    if (!last_was_beside) {
      ++alone;
      return;
    }
    const auto before = calls.made.load();
    while (calls.threads > 0 && calls.made < before + 2) std::this_thread::yield();
  }

  calls_seen& calls;
  std::size_t alone = 0;
  bool last_was_beside = false;
};

std::map<std::string, double> by_name(const std::vector<measured_metric>& metrics) {
  std::map<std::string, double> values;
  for (const auto& [metric, value] : metrics) values[metric.name] = value;
  return values;
}

using clock = beside::clock;

std::optional<std::string> no_damage() { return std::nullopt; }

class work_beside : public testing::Test {
 protected:
  beside make(std::size_t bytes = 0) {
    return beside(*device, {[this] { work.run(); }, no_damage},
                  repeated_call{[this] { calls.make(); }, no_damage, bytes});
  }

  std::unique_ptr<transfers::device> device = transfers::open_host_device();
  calls_seen calls;
  work_seen work{calls};
};

TEST_F(work_beside, calls_is_timed_while_they_are_made_and_alone_in_turn_while_none_is) {
  auto timed = make();
  EXPECT_EQ(calls.threads, 0) << "after the estimate";
  timed.forget();
  work.alone = 0;
  constexpr std::size_t operations = 550;
  for (std::size_t i = 0; i < operations; ++i) {
    timed.prepare_next();
    timed.run();
    ASSERT_TRUE(work.last_was_beside) << i;
  }
  timed.end();
  EXPECT_EQ(calls.threads, 0);
  EXPECT_GE(work.alone, 40U) << "two turns at least";
  const auto metrics = by_name(timed.metrics({{"median_ns", 3e9}, {"p99_ns", 4e9}}));
  EXPECT_EQ(metrics.at("work_p99_ns"), 4e9);
  EXPECT_NEAR(metrics.at("slowdown_percent"), 100 * (3e9 / metrics.at("work_alone_ns") - 1), 1);
  EXPECT_GT(metrics.at("calls_beside"), 0);
  EXPECT_GT(metrics.at("call_ns"), 0);
  EXPECT_GT(metrics.at("call_alone_ns"), 0);
  EXPECT_GT(metrics.at("work_percent"), 0);
  EXPECT_LE(metrics.at("work_percent"), 100);
  EXPECT_FALSE(metrics.contains("copies_gb_per_s")) << "the calls move nothing";
  EXPECT_EQ(timed.compare(), std::nullopt);
}

TEST_F(work_beside, copies_tells_their_rate_beside_and_alone) {
  auto timed = make(1000);
  timed.forget();
  for (int i = 0; i < 120; ++i) {
    timed.prepare_next();
    timed.run();
  }
  timed.end();
  const auto metrics = by_name(timed.metrics({}));
  EXPECT_GT(metrics.at("copies_gb_per_s"), 0);
  EXPECT_GT(metrics.at("copies_alone_gb_per_s"), 0);
  EXPECT_FALSE(metrics.contains("slowdown_percent")) << "no time of the work is known";
}

TEST_F(work_beside, nothing_that_was_forgotten_counts) {
  auto timed = make();
  timed.prepare_next();
  timed.run();
  timed.forget();
  EXPECT_EQ(calls.threads, 0);
  EXPECT_THAT(timed.metrics({{"median_ns", 1}}), IsEmpty());
}

TEST_F(work_beside, no_call_is_alone_and_has_no_figures_of_calls) {
  beside timed(*device, {[this] { work.run(); }, no_damage}, std::nullopt);
  timed.prepare_next();
  timed.run();
  EXPECT_FALSE(work.last_was_beside);
  const auto metrics = by_name(timed.metrics({{"median_ns", 1}, {"p99_ns", 2}}));
  EXPECT_THAT(metrics, ElementsAre(Pair("work_p99_ns", 2)));
}

TEST_F(work_beside, counts_from_when_it_was_due) {
  beside timed(*device, {[] { std::this_thread::sleep_for(2ms); }, no_damage}, std::nullopt);
  timed.prepare_next();
  std::this_thread::sleep_for(3ms);
  timed.run();
  EXPECT_GE(timed.took_ns(), 5e6);
}

TEST_F(work_beside, is_repeated_as_often_as_percentiles_need_and_time_allows) {
  EXPECT_EQ(beside::operations_for(10us), 500U);
  EXPECT_EQ(beside::operations_for(899us), 500U);
  EXPECT_EQ(beside::operations_for(901us), 100U) << "500 would take more than half a second";
  EXPECT_EQ(beside::operations_for(2900us), 50U);
  EXPECT_EQ(beside::operations_for(360ms), 3U);
}

TEST_F(work_beside, that_is_short_is_repeated_to_tell_how_long_it_takes) {
  std::size_t runs = 0;
  const auto count = [&](std::chrono::nanoseconds first) {
    beside timed(*device, {[&] { ++runs; }, no_damage}, std::nullopt);
    runs = 0;
    return timed.choose_operations(first);
  };
  EXPECT_EQ(count(360ms), 3U);
  EXPECT_EQ(runs, 0U);
  static_cast<void>(count(1ms));
  EXPECT_GT(runs, 0U);
}

/// A call is longer than the operations that are timed: it has begun before them.
TEST_F(work_beside, goes_on_until_a_call_has_had_work_beside_it_throughout) {
  clock::time_point call_ended, work_ended;
  beside timed(*device, {[&] { work_ended = clock::now(); }, no_damage}, repeated_call{[&] {
    std::this_thread::sleep_for(20ms);
    call_ended = clock::now();
  }});
  timed.forget();
  timed.prepare_next();
  timed.run();
  timed.end();
  EXPECT_GE(work_ended, call_ended);
  const auto metrics = by_name(timed.metrics({}));
  EXPECT_GE(metrics.at("calls_beside"), 1);
  EXPECT_GE(metrics.at("call_ns"), 20e6);
}

TEST_F(work_beside, a_call_that_fails_is_an_exception) {
  for (const std::size_t which : {1, 2, 1000}) {
    std::atomic<std::size_t> made = 0;
    const auto fail_then = [&] {
      if (++made >= which) throw transfers::device_error("on purpose", false);
    };
    EXPECT_THROW(
        {
          beside timed(*device, {[] {}, no_damage}, repeated_call{fail_then});
          for (;;) {
            timed.prepare_next();
            timed.run();
          }
        },
        transfers::device_error)
        << which;
  }
}

TEST_F(work_beside, a_call_that_fails_at_the_end_is_an_exception_of_the_comparison) {
  std::atomic<bool> fails = false;
  std::atomic<std::size_t> failed = 0;
  beside timed(*device, {[] {}, no_damage}, repeated_call{[&] {
    if (!fails) return;
    ++failed;
    throw transfers::device_error("on purpose", false);
  }});
  timed.prepare_next();
  timed.run();
  fails = true;
  while (failed == 0) std::this_thread::yield();
  timed.end();
  EXPECT_THROW(static_cast<void>(timed.compare()), transfers::device_error);
  EXPECT_EQ(timed.compare(), std::nullopt) << "it has been told";
}

TEST_F(work_beside, tells_whose_data_are_wrong) {
  const auto damage = [] { return std::optional<std::string>("3 bytes differ"); };
  beside of_work(*device, {[] {}, damage}, repeated_call{[] {}, no_damage});
  EXPECT_EQ(of_work.compare(), "the work beside: 3 bytes differ");
  beside of_calls(*device, {[] {}, no_damage}, repeated_call{[] {}, damage});
  EXPECT_EQ(of_calls.compare(), "the other thread: 3 bytes differ");
}

TEST_F(work_beside, calls_follow_one_another_without_a_pause) {
  const std::function<void()> call = [this] { calls.make(); };
  repeating_thread repeated(*device, call);
  repeated.wait_for(20);
  EXPECT_GE(repeated.made(), 20U);
  repeated.stop();
  const auto& spans = repeated.spans();
  ASSERT_GE(spans.size(), 20U);
  EXPECT_EQ(spans.size() + 1, calls.made) << "all but the first";
  for (std::size_t i = 1; i < spans.size(); ++i) EXPECT_EQ(spans[i].begin, spans[i - 1].end);
}

}  // namespace
}  // namespace bench_transfers::bench::beside_test
