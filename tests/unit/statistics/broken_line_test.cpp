#include "src/statistics/broken_line.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include "tests/basics.hpp"

namespace bench_transfers::statistics::broken_line_test {
namespace {

/// 4 B to 1 GiB, each `factor` times the one before.
std::vector<double> sizes(double factor) {
  std::vector<double> all;
  for (double bytes = 4; bytes <= (1 << 30); bytes *= factor) all.push_back(bytes);
  return all;
}

template <class Cost>
std::vector<measured_time> measured(const std::vector<double>& at, Cost&& cost,
                                    double relative_error = 0) {
  std::vector<measured_time> points;
  for (const auto bytes : at) points.push_back({bytes, cost(bytes), relative_error});
  return points;
}

double affine(double bytes) { return 6000 + bytes / 50; }

/// Slower from 16 MiB on, as where a cache ends; without a jump.
double kinked(double bytes) {
  constexpr double end = 16 << 20;
  return 6000 + std::min(bytes, end) / 16 + std::max(0.0, bytes - end) / 9;
}

/// Another way is taken from 64 KiB on, which begins later.
double jumping(double bytes) { return bytes < 65536 ? 6000 + bytes / 10 : 20000 + bytes / 10; }

TEST(broken_line, finds_the_line_it_was_given) {
  const broken_line line(measured(sizes(4), affine));
  EXPECT_EQ(line.lines(), 1U);
  EXPECT_NEAR(line.t0().value, 6000, 1e-6);
  ASSERT_TRUE(line.bandwidth());
  EXPECT_NEAR(line.bandwidth()->value, 50, 1e-9);
  ASSERT_TRUE(line.half_bandwidth_bytes());
  EXPECT_NEAR(*line.half_bandwidth_bytes(), 300e3, 1e-3);
  // At n½ it is half of the bandwidth: that is what the name says.
  EXPECT_NEAR(300e3 / line.at(300e3).value, 25, 1e-9);
  for (const auto bytes : {1.0, 4.0, 1000.0, 1e6, 1e9, 1e11})
    EXPECT_NEAR(line.at(bytes).value, affine(bytes), 1e-9 * affine(bytes)) << bytes;
}

TEST(broken_line, does_not_depend_on_the_order_of_the_points) {
  auto points = measured(sizes(4), kinked);
  const broken_line ordered(points);
  std::ranges::reverse(points);
  const broken_line reversed(points);
  EXPECT_EQ(ordered.lines(), reversed.lines());
  EXPECT_EQ(ordered.at(12345), reversed.at(12345));
}

TEST(broken_line, follows_lines_to_where_they_meet) {
  const broken_line line(measured(sizes(4), kinked));
  EXPECT_EQ(line.lines(), 2U);
  EXPECT_NEAR(line.bandwidth()->value, 9, 1e-6);
  for (const double mib : {5, 10, 15, 20, 40, 60, 200})
    EXPECT_NEAR(line.at(mib * (1 << 20)).value / kinked(mib * (1 << 20)), 1, 1e-6) << mib;
}

TEST(broken_line, reaches_half_of_the_last_bandwidth_on_the_first_line_that_does) {
  const broken_line kink(measured(sizes(4), kinked));
  const auto half = kink.half_bandwidth_bytes();
  ASSERT_TRUE(half);
  EXPECT_NEAR(*half / kinked(*half), 9.0 / 2, 1e-6) << "far before the last line";
  const broken_line jump(measured(sizes(4), jumping));
  EXPECT_NEAR(jump.half_bandwidth_bytes().value_or(0), 200e3, 1) << "the first line ends before";
}

TEST(broken_line, reaches_half_of_the_bandwidth_where_a_line_begins) {
  const auto faster = [](double bytes) { return 6000 + (bytes < (1 << 20) ? bytes : bytes / 100); };
  EXPECT_EQ(broken_line(measured(sizes(4), faster)).half_bandwidth_bytes(), 1 << 20);
}

TEST(broken_line, does_not_begin_below_zero_and_has_no_half_bandwidth_size_there) {
  const broken_line line({{1000, 100}, {2000, 250}});
  EXPECT_GE(line.t0().value, 0);
  EXPECT_GE(line.at(1).value, 0);
  EXPECT_FALSE(line.half_bandwidth_bytes());
}

TEST(broken_line, keeps_to_both_sides_of_a_jump) {
  const broken_line line(measured(sizes(4), jumping));
  for (const auto bytes : sizes(4))
    EXPECT_NEAR(line.at(bytes).value / jumping(bytes), 1, 0.02) << bytes;
  // Where in between it jumps is not known, and the interval says so.
  const auto between = line.at(40000);
  EXPECT_LE(between.low, 6000 + 40000 / 10.0);
  EXPECT_GE(between.high, 20000 + 40000 / 10.0 - 2000);
}

TEST(broken_line, steps_down_where_large_ones_go_another_way) {
  // As pinned copies do at 32 KiB: what is copied through the command buffer gets dearer with each
  // byte than a copy engine's start.
  const auto time = [](double b) { return b < 30000 ? 6000 + b / 8 : 7000 + b / 50; };
  const broken_line line(measured(sizes(1.5), time));
  for (const auto bytes : sizes(1.5)) EXPECT_NEAR(line.at(bytes).value / time(bytes), 1, 0.02);
}

TEST(broken_line, is_positive_and_inside_its_interval_whatever_the_noise) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> noise(0.7, 1.3);
  for (int round = 0; round < 50; ++round) {
    const broken_line line(measured(sizes(4), [&](double b) { return affine(b) * noise(random); }));
    for (const auto bytes : sizes(1.3)) {
      const auto here = line.at(bytes);
      ASSERT_GT(here.value, 0) << round << " at " << bytes;
      ASSERT_THAT(here.value, AllOf(Ge(here.low), Le(here.high)));
      ASSERT_GE(here.low, 0);
    }
  }
}

TEST(broken_line, needs_as_many_lines_as_there_are_and_no_more_when_noise_is_added) {
  int single_lines = 0;
  int two = 0;
  constexpr int rounds = 100;
  for (int seed = 0; seed < rounds; ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    std::normal_distribution<double> noise(1, 0.01);
    const auto with_noise = [&](auto cost) {
      return [&, cost](double bytes) { return cost(bytes) * noise(random); };
    };
    single_lines += broken_line(measured(sizes(2), with_noise(affine))).lines() == 1 ? 1 : 0;
    two += broken_line(measured(sizes(2), with_noise(kinked))).lines() == 2 ? 1 : 0;
  }
  EXPECT_GE(single_lines, 95);
  EXPECT_GE(two, 95);
}

/// How many in a hundred intervals contain what is true.
struct coverage {
  int rounds = 0, t0 = 0, bandwidth = 0, prediction = 0;
};

coverage coverage_with(double noise_level) {
  coverage coverage;
  const auto contains = [](const estimate& estimate, double value) {
    return estimate.low <= value && value <= estimate.high ? 1 : 0;
  };
  for (int seed = 0; seed < 400; ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    std::normal_distribution<double> noise(1, noise_level);
    const broken_line fitted(
        measured(sizes(4), [&](double bytes) { return affine(bytes) * noise(random); }));
    ++coverage.rounds;
    coverage.t0 += contains(fitted.t0(), 6000);
    coverage.bandwidth += contains(*fitted.bandwidth(), 50);
    coverage.prediction += contains(fitted.at(500e3), affine(500e3) * noise(random));
  }
  return coverage;
}

TEST(broken_line, has_intervals_that_contain_the_truth_19_times_in_20) {
  for (const double noise : {0.001, 0.01, 0.02}) {
    const auto coverage = coverage_with(noise);
    const auto share = [&](int covered) { return 100.0 * covered / coverage.rounds; };
    EXPECT_THAT(share(coverage.t0), AllOf(Ge(90), Le(99))) << noise;
    EXPECT_THAT(share(coverage.bandwidth), AllOf(Ge(90), Le(99))) << noise;
    EXPECT_THAT(share(coverage.prediction), AllOf(Ge(90), Le(99))) << noise;
  }
}

TEST(broken_line, trusts_uncertain_points_less) {
  auto points = measured(sizes(4), affine);
  points[10].ns *= 1.1;
  points[10].relative_error = 0.3;
  const broken_line line(points);
  EXPECT_EQ(line.lines(), 1U);
  EXPECT_NEAR(line.at(points[10].bytes).value / affine(points[10].bytes), 1, 0.005);
}

TEST(broken_line, goes_through_two_points) {
  const broken_line line({{1000, 100}, {2000, 150}});
  EXPECT_NEAR(line.at(1000).value, 100, 1e-9);
  EXPECT_NEAR(line.at(1500).value, 125, 1e-9);
  EXPECT_NEAR(line.t0().value, 50, 1e-9);
  EXPECT_LT(line.at(1500).low, 125);  // two points leave no residuals, but are not exact either
}

TEST(broken_line, has_no_bandwidth_where_time_does_not_grow) {
  const broken_line line({{1000, 100}, {2000, 100}, {4000, 90}});
  EXPECT_FALSE(line.bandwidth());
  EXPECT_FALSE(line.half_bandwidth_bytes());
  EXPECT_GT(line.at(1e9).value, 0);
}

TEST(broken_line, refuses_what_cannot_be_a_measurement) {
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  const auto infinity = std::numeric_limits<double>::infinity();
  const auto refuses = [](std::vector<measured_time> points) {
    EXPECT_THROW(broken_line{std::move(points)}, std::invalid_argument);
  };
  refuses({});
  refuses({{1000, 100}});
  refuses({{1000, 100}, {1000, 110}});
  for (const auto invalid : {0.0, -1.0, nan, infinity}) {
    refuses({{1000, 100}, {2000, invalid}});
    refuses({{1000, 100}, {invalid, 150}});
  }
  refuses({{1000, 100}, {2000, 150, -0.1}});
  refuses({{1000, 100}, {2000, 150, nan}});
}

}  // namespace
}  // namespace bench_transfers::statistics::broken_line_test
