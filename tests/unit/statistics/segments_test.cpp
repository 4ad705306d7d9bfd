#include "src/statistics/segments.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace bench_transfers::statistics::segments_test {
namespace {

/// The same by fitting a line to each segment: as it is defined.
std::vector<segment> by_definition(std::span<const measured_time> points) {
  struct choice {
    double cost = std::numeric_limits<double>::infinity();
    std::size_t first = 0;
    line fitted;
  };
  const double penalty = std::log(static_cast<double>(points.size()));
  std::vector<choice> best(points.size() + 1);
  best[0].cost = 0;
  for (std::size_t end = 1; end <= points.size(); ++end)
    for (std::size_t first = 0; first < end; ++first) {
      const auto fitted = fit_line(points.subspan(first, end - first),
                                   first == 0 ? at_zero::not_negative : at_zero::anything);
      const int parameters = fitted.coefficients + 1;
      const double cost = best[first].cost + fitted.chi_squared + penalty * parameters;
      if (cost < best[end].cost) best[end] = {cost, first, fitted};
    }
  std::vector<segment> chosen;
  for (auto end = points.size(); end > 0; end = best[end].first)
    chosen.push_back({best[end].first, end - 1, best[end].fitted});
  std::ranges::reverse(chosen);
  return chosen;
}

void expect_same(const std::vector<measured_time>& points, const std::string& title) {
  const auto chosen = choose_segments(points), expected = by_definition(points);
  ASSERT_EQ(chosen.size(), expected.size()) << title;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    EXPECT_EQ(chosen[i].first, expected[i].first) << title;
    EXPECT_EQ(chosen[i].last, expected[i].last) << title;
    const auto &fitted = chosen[i].fitted, &other = expected[i].fitted;
    EXPECT_EQ(fitted.centre, other.centre) << title;
    EXPECT_EQ(fitted.level, other.level) << title;
    EXPECT_EQ(fitted.slope, other.slope) << title;
    EXPECT_EQ(fitted.level_variance, other.level_variance) << title;
    EXPECT_EQ(fitted.slope_variance, other.slope_variance) << title;
    EXPECT_EQ(fitted.chi_squared, other.chi_squared) << title;
    EXPECT_EQ(fitted.coefficients, other.coefficients) << title;
  }
}

/// Times by size, in ns.
using curve = std::function<double(double bytes)>;

const std::map<std::string, curve>& curves() {
  static const std::map<std::string, curve> all{
      {"a line", [](double bytes) { return 6000 + bytes / 50; }},
      {"a line from nothing", [](double bytes) { return bytes / 50; }},
      {"a line from below nothing", [](double bytes) { return std::max(1.0, bytes / 50 - 3000); }},
      {"the same time", [](double) { return 700.0; }},
      {"less and less", [](double bytes) { return 1e9 / bytes; }},
      {"a kink", [](double bytes) { return 6000 + bytes / 16 + std::max(0.0, bytes - 65536) / 9; }},
      {"a jump", [](double bytes) { return (bytes < 65536 ? 6000 : 20000) + bytes / 10; }},
      {"steps", [](double bytes) { return 1000 * std::ceil(bytes / 4096); }},
      {"tiny times", [](double bytes) { return bytes * 1e-200; }},
      {"huge times", [](double bytes) { return bytes * 1e150; }},
      {"times that are no longer normal", [](double bytes) { return bytes * 1e-310; }},
  };
  return all;
}

/// Sizes in steps from `first` on, or each `factor` times the one before.
std::vector<double> sizes(std::size_t count, double first, double step, double factor) {
  std::vector<double> all;
  for (double bytes = first; all.size() < count; bytes = std::ceil(bytes * factor) + step)
    all.push_back(bytes);
  return all;
}

TEST(segments, are_those_of_fitting_every_line) {
  const std::map<std::string, std::vector<double>> every_sizes{
      {"two", sizes(2, 4, 0, 4)},
      {"three", sizes(3, 4096, 0, 2)},
      {"powers of four", sizes(15, 4, 0, 4)},
      {"dense", sizes(40, 1 << 20, 4, 1)},
      {"dense and large", sizes(40, 1e15, 1, 1)},
      {"many", sizes(90, 4, 0, 1.2)}};
  std::mt19937_64 random(7);
  for (const auto& [curve_name, cost] : curves())
    for (const auto& [sizes_name, all_sizes] : every_sizes)
      for (const double noise : {0.0, 1e-9, 0.02, 0.3})
        for (const double relative_error : {0.0, 0.05}) {
          std::normal_distribution<double> deviation(0, noise);
          std::vector<measured_time> points;
          for (const auto bytes : all_sizes)
            points.push_back({bytes, cost(bytes) * (noise > 0 ? std::exp(deviation(random)) : 1),
                              relative_error});
          expect_same(points, curve_name + ", " + sizes_name + ", noise " + std::to_string(noise));
        }
}

segment_work work_of(const curve& cost, std::size_t count) {
  std::vector<measured_time> points;
  for (const auto bytes : sizes(count, 4096, 4096, 1)) points.push_back({bytes, cost(bytes)});
  segment_work work;
  static_cast<void>(choose_segments(points, &work));
  return work;
}

// Twice as many points take four times the work at most: not each segment has all of its points
// looked at.
TEST(segments, take_at_most_the_square_of_the_points) {
  for (const auto& [name, cost] : curves()) {
    if (name.find("times") != std::string::npos)
      continue;  // numbers without digits are compared one by one
    for (const std::size_t count : {300, 600}) {
      const auto work = work_of(cost, count);
      EXPECT_LE(work.estimated, count * (count + 1) / 2) << name;
      EXPECT_LE(work.fitted, 2 * count * count) << name;
    }
  }
}

// A segment that a point has broken is tried no further.
TEST(segments, of_many_lines_take_work_in_proportion_to_the_points) {
  const auto jagged = [](double bytes) {
    return 1000 + bytes * (static_cast<int>(bytes / 4096) / 10 % 2 == 0 ? 1.0 : 0.01);
  };
  EXPECT_LE(work_of(jagged, 1200).estimated, 1200U * 40);
}

}  // namespace
}  // namespace bench_transfers::statistics::segments_test
