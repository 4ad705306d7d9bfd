#include "src/machine/memory_type.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace bench_transfers::machine::memory_type_test {
namespace {

using enum memory_type;

constexpr double ordinary_ns = 1600;  // 16 KiB at 10 GB/s

/// Classifies memory whose plain loads take `slower` times as long as those of ordinary memory, and
/// whose streaming loads are `gain` times as fast as its plain loads.
memory_type type_with(double slower, std::optional<double> gain) {
  const double plain = slower * ordinary_ns;
  return classify({plain, gain ? std::optional(plain / *gain) : std::nullopt},
                  {ordinary_ns, ordinary_ns * 1.1});
}

/// On a processor without streaming loads: memory that is read `slower`, the second time `faster`
/// than the first, and whose stores to all words take `dearer` times as long as those to one word
/// of each line.
memory_type type_without_streaming(double slower, std::optional<double> faster,
                                   std::optional<double> dearer) {
  const double plain = slower * ordinary_ns;
  return classify(
      {.plain = plain,
       .streaming = std::nullopt,
       .again = faster ? std::optional(plain / *faster) : std::nullopt,
       .stores = dearer ? std::optional(store_times{1e4, 1e4 * *dearer}) : std::nullopt},
      {.plain = ordinary_ns, .streaming = std::nullopt, .again = ordinary_ns / 8});
}

TEST(memory_type, of_timings_as_they_are_measured) {
  // Ordinary memory, and pages on another NUMA node.
  EXPECT_EQ(type_with(1, 0.9), write_back);
  EXPECT_EQ(type_with(1.7, 1), write_back);
  // Each plain load takes a bus transaction; streaming loads take one for a line.
  EXPECT_EQ(type_with(25, 3.7), write_combined);
  EXPECT_EQ(type_with(160, 12), write_combined);
  // Each load takes a bus transaction, whatever its instruction.
  EXPECT_EQ(type_with(80, 1), uncached);
  EXPECT_EQ(type_with(20, 1.02), uncached);
}

TEST(memory_type, that_is_read_faster_than_ordinary_memory_is_cached) {
  EXPECT_EQ(type_with(0.3, 1), write_back);
  EXPECT_EQ(type_with(1e-9, 1), write_back);
}

TEST(memory_type, at_the_borders) {
  const double less = 1 - 1e-9;
  EXPECT_EQ(type_with(2 * less, 4), write_back);
  EXPECT_EQ(type_with(2, 4), unclear);
  EXPECT_EQ(type_with(6 * less, 4), unclear);
  EXPECT_EQ(type_with(6, 4), write_combined);
  EXPECT_EQ(type_with(6, 2), write_combined);
  EXPECT_EQ(type_with(6, 2 * less), unclear);
  EXPECT_EQ(type_with(6, 1.4 / less), unclear);
  EXPECT_EQ(type_with(6, 1.4 * less), uncached);
  EXPECT_EQ(type_with(6, 0.1), uncached);
}

TEST(memory_type, without_streaming_loads_is_known_only_if_it_is_cached) {
  EXPECT_EQ(type_with(1, std::nullopt), write_back);
  for (const double slower : {2.0, 3.0, 6.0, 100.0})
    EXPECT_EQ(type_with(slower, std::nullopt), unclear);
}

TEST(memory_type, that_a_cache_serves_the_second_time_is_only_far_away) {
  for (const double slower : {2.0, 5.0, 20.0, 200.0}) {
    EXPECT_EQ(type_without_streaming(slower, 8, std::nullopt), write_back);
    EXPECT_EQ(type_without_streaming(slower, 2, 8), write_back);
    // With streaming loads as well.
    EXPECT_EQ(classify({slower, slower, slower / 8}, {1, 1, 1.0 / 8}), write_back);
  }
  EXPECT_EQ(type_without_streaming(5, 1.9, 1), unclear);
  EXPECT_EQ(type_without_streaming(5, 1, 1), unclear);
}

TEST(memory_type, without_streaming_loads_follows_from_the_stores) {
  EXPECT_EQ(type_without_streaming(60, 1, 1), write_combined);  // a line leaves as a whole
  EXPECT_EQ(type_without_streaming(60, 1.05, 1.9), write_combined);
  EXPECT_EQ(type_without_streaming(60, 1, 8), uncached);  // each word leaves by itself
  EXPECT_EQ(type_without_streaming(60, std::nullopt, 4), uncached);
  EXPECT_EQ(type_without_streaming(60, 1, 2), unclear);
  EXPECT_EQ(type_without_streaming(60, 1, 3.9), unclear);
  EXPECT_EQ(type_without_streaming(60, 1, std::nullopt), unclear);
  using limits = std::numeric_limits<double>;
  for (const double no_time : {0.0, -1.0, limits::quiet_NaN(), limits::infinity()})
    EXPECT_EQ(type_without_streaming(60, 1, no_time), unclear) << no_time;
}

TEST(memory_type, with_streaming_loads_does_not_depend_on_stores) {
  EXPECT_EQ(classify({40'000, 5'000, 40'000, store_times{1, 8}}, {1'600, 1'700, 200}),
            write_combined);
}

TEST(memory_type, needs_no_streaming_loads_of_ordinary_memory) {
  EXPECT_EQ(classify({40'000, 5'000}, {1'600, std::nullopt}), write_combined);
}

TEST(memory_type, of_invalid_times_is_unclear) {
  using limits = std::numeric_limits<double>;
  for (const double no_time : {0.0, -0.0, -1.0, limits::quiet_NaN(), limits::infinity(),
                               -limits::infinity(), -limits::denorm_min()}) {
    SCOPED_TRACE(no_time);
    EXPECT_EQ(classify({no_time, 100}, {100, 100}), unclear);
    EXPECT_EQ(classify({100, 100}, {no_time, 100}), unclear);
    EXPECT_EQ(classify({no_time, no_time}, {no_time, no_time}), unclear);
    // Only times that the classification needs matter.
    EXPECT_EQ(classify({5000, no_time}, {100, 100}), unclear);
    EXPECT_EQ(classify({100, no_time}, {100, 100}), write_back);
    EXPECT_EQ(classify({5000, 1000}, {100, no_time}), write_combined);
  }
  EXPECT_EQ(classify({}, {}), unclear);
}

TEST(memory_type, does_not_depend_on_the_unit) {
  for (const double unit : {1e-300, 1e-9, 1e9, 1e300}) {
    EXPECT_EQ(classify({25 * unit, 5 * unit}, {unit, unit}), write_combined) << unit;
    EXPECT_EQ(classify({25 * unit, 25 * unit}, {unit, unit}), uncached) << unit;
    EXPECT_EQ(classify({unit, unit}, {unit, unit}), write_back) << unit;
  }
}

/// Medians of repeated timings vary by a few percent from run to run, and some vary more.
TEST(memory_type, is_the_same_whatever_the_noise) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> spread(0, 0.05);
  const auto noisy = [&](double ns) { return ns * std::exp(spread(random)); };
  struct timings {
    double plain, streaming;
    memory_type type;
  };
  for (int i = 0; i < 10'000; ++i)
    for (const auto& timing :
         {timings{1600, 1700, write_back}, timings{2400, 2500, write_back},
          timings{40'000, 9'000, write_combined}, timings{200'000, 20'000, write_combined},
          timings{60'000, 60'000, uncached}, timings{160'000, 155'000, uncached}})
      ASSERT_EQ(
          classify({noisy(timing.plain), noisy(timing.streaming)}, {noisy(1600), noisy(1700)}),
          timing.type)
          << timing.plain << " " << timing.streaming;
}

TEST(memory_type, of_slower_memory_is_never_better) {
  std::mt19937_64 random(2);
  std::lognormal_distribution<double> any(8, 6);
  for (int i = 0; i < 100'000; ++i) {
    const access_times memory{any(random), any(random)};
    const access_times ordinary{any(random), any(random)};
    const auto type = classify(memory, ordinary);
    const auto slower = classify({memory.plain * 10, *memory.streaming * 10}, ordinary);
    if (type != write_back) {
      ASSERT_NE(slower, write_back);
    }
    // If both are ten times slower, the gain of streaming loads is the same.
    if (type == write_combined || type == uncached) {
      ASSERT_EQ(slower, type);
    }
  }
}

TEST(memory_type, has_a_name) {
  EXPECT_EQ(to_string(write_back), "write-back");
  EXPECT_EQ(to_string(write_combined), "write-combined");
  EXPECT_EQ(to_string(uncached), "uncached");
  EXPECT_EQ(to_string(unclear), "unclear");
}

}  // namespace
}  // namespace bench_transfers::machine::memory_type_test
