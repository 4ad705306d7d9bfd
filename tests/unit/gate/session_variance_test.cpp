#include "src/gate/judge/session_variance.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace bench_transfers::gate::session_variance_test {
namespace {

constexpr double process_deviation = 0.001;

session_evidence without_sessions(double deviation = process_deviation) {
  session_evidence evidence;
  evidence.process_variance = deviation * deviation;
  return evidence;
}

/// Ten runs in three sessions of the baseline and three new ones.
session_evidence with_shift(double shift, double deviation = process_deviation) {
  auto evidence = without_sessions(deviation);
  evidence.of_new_session = {.shift = shift, .process_part = 0.43, .session_part = 1.34};
  return evidence;
}

session_evidence with_sessions(double between, double degrees,
                               double deviation = process_deviation) {
  auto evidence = without_sessions(deviation);
  evidence.of_baseline = {.variance = between * between, .process_part = 0.3, .degrees = degrees};
  return evidence;
}

/// Quantiles of the normal distribution in the place of random numbers.
std::vector<session_evidence> scattered(std::size_t count, double session_deviation) {
  std::mt19937_64 random(3);
  std::vector<double> shifts;
  const double deviation = std::sqrt(0.43 * process_deviation * process_deviation +
                                     1.34 * session_deviation * session_deviation);
  for (std::size_t i = 0; i < count; ++i)
    shifts.push_back(std::normal_distribution<double>(0, deviation)(random));
  std::vector<session_evidence> suite;
  for (const double shift : shifts) suite.push_back(with_shift(shift));
  return suite;
}

double deviation_of(const std::vector<session_evidence>& suite, std::size_t index = 0) {
  return std::sqrt(session_variances(suite).at(index).variance);
}

TEST(session_variance, of_no_benchmarks_is_none) { EXPECT_TRUE(session_variances({}).empty()); }

TEST(session_variance, is_that_of_the_shifts) {
  EXPECT_NEAR(deviation_of(scattered(200, 0.02)), 0.02, 0.006);
  EXPECT_NEAR(deviation_of(scattered(200, 0.005)), 0.005, 0.002);
  EXPECT_LT(deviation_of(scattered(200, 0)), 0.0005);
}

TEST(session_variance, is_assumed_for_less_than_twenty_pieces_of_evidence) {
  auto suite = std::vector(20, with_shift(0));
  EXPECT_LT(deviation_of(suite), 0.002);
  EXPECT_EQ(session_variances(suite).front().degrees, 6);
  suite.pop_back();
  EXPECT_DOUBLE_EQ(deviation_of(suite), 5 * process_deviation);
  EXPECT_EQ(session_variances(suite).front().degrees, 30);
  EXPECT_DOUBLE_EQ(deviation_of({with_shift(0, 0.0001)}), 0.002);
  EXPECT_DOUBLE_EQ(deviation_of({without_sessions()}), 5 * process_deviation);
}

/// A class of twenty will show in the new session how much sessions differ.
TEST(session_variance, is_assumed_smaller_if_a_new_session_will_tell) {
  const auto assumed = [](std::size_t benchmarks, double deviation) {
    return session_variances(std::vector(benchmarks, without_sessions(deviation)),
                             new_session::awaited)
        .front();
  };
  EXPECT_DOUBLE_EQ(std::sqrt(assumed(20, 0.003).variance), 0.003);
  EXPECT_DOUBLE_EQ(std::sqrt(assumed(20, 0.001).variance), 0.002);
  EXPECT_DOUBLE_EQ(std::sqrt(assumed(19, 0.003).variance), 5 * 0.003);
  EXPECT_EQ(assumed(20, 0.003).degrees, 30);
  EXPECT_DOUBLE_EQ(deviation_of(std::vector(20, without_sessions(0.003))), 5 * 0.003);
}

TEST(session_variance, is_not_assumed_smaller_than_the_evidence_is) {
  // Ten shifts of which half are far away: less than the assumption does not explain them.
  std::vector<session_evidence> suite;
  for (int i = 0; i < 10; ++i) suite.push_back(with_shift(i % 2 == 0 ? 0.02 : -0.02));
  EXPECT_GT(deviation_of(suite), 2 * 5 * process_deviation);
}

TEST(session_variance, is_known_from_the_sessions_of_the_baseline_as_well) {
  const auto suite = std::vector(10, with_sessions(0.01, 2));  // twenty degrees of freedom
  EXPECT_NEAR(deviation_of(suite), 0.01, 0.005);
  EXPECT_EQ(session_variances(suite).front().degrees, 8);
  const auto fewer = std::vector(9, with_sessions(0, 2));
  EXPECT_DOUBLE_EQ(deviation_of(fewer), 5 * process_deviation);
  EXPECT_EQ(session_variances(fewer).front().degrees, 32);
}

TEST(session_variance, is_that_of_the_new_session_or_of_the_older_ones_if_the_others_are_alike) {
  auto suite = scattered(100, 0.02);
  for (auto& evidence : suite)
    evidence.of_baseline = {.variance = 0, .process_part = 0.3, .degrees = 2};
  EXPECT_GT(deviation_of(suite), 0.012);
  suite.assign(100, with_sessions(0.02, 2));
  for (auto& evidence : suite) evidence.of_new_session = with_shift(0).of_new_session;
  EXPECT_GT(deviation_of(suite), 0.012);
}

TEST(session_variance, is_larger_for_a_benchmark_whose_own_sessions_differ_more_and_never_smaller) {
  auto suite = std::vector(50, with_sessions(0.004, 3));
  const double others = session_variances(suite).front().variance;
  suite[7].of_baseline->variance = 0.05 * 0.05;
  const auto estimates = session_variances(suite);
  EXPECT_NEAR(estimates[6].variance, others, others / 2);
  EXPECT_EQ(estimates[6].degrees, 9);
  // Six degrees of the suite and three of its own, less what its processes explain.
  const double own = 0.05 * 0.05 - 0.3 * process_deviation * process_deviation;
  EXPECT_DOUBLE_EQ(estimates[7].variance, (6 * estimates[6].variance + 3 * own) / 9);
  suite.assign(50, with_sessions(0.01, 3));
  suite[7].of_baseline->variance = 0;
  const auto of_less = session_variances(suite);
  EXPECT_DOUBLE_EQ(of_less[7].variance, of_less[6].variance);
}

TEST(session_variance, may_follow_the_noise_of_processes) {
  // The noisier half of the benchmarks differs between sessions, too.
  auto suite = scattered(200, 0);
  const auto noisy = scattered(200, 0.02);
  for (std::size_t i = 0; i < 200; i += 2)
    suite[i] = with_shift(noisy[i].of_new_session->shift, 0.01);
  const auto estimates = session_variances(suite);
  EXPECT_GT(estimates[0].variance, 10 * estimates[1].variance);
}

// Changes of benchmarks are no noise of sessions.

TEST(session_variance, does_not_contain_slowdowns_nor_improvements) {
  struct changes {
    const char* what;
    std::size_t faster;  ///< so many, by `by`, and each by so much more than the one before
    double by, more;
    std::size_t slower;  ///< and so many slower by 0.1
    double most;         ///< times the deviation without them
  };
  for (const auto& [what, faster, by, more, slower, most] :
       {changes{"slowdowns", 0, 0, 0, 80, 1.5},
        {"a few improvements", 16, 0.2, 0, 0, 1.5},
        {"many improvements", 80, 0, 0.002, 0, 2},
        {"both", 80, 0, 0.002, 10, 2}}) {
    auto suite = scattered(200, 0.002);
    const double before = deviation_of(suite);
    for (std::size_t i = 0; i < faster + slower; ++i)
      suite[i].of_new_session->shift = i < faster ? -by - more * static_cast<double>(i) : 0.1;
    EXPECT_LT(deviation_of(suite), most * before) << what;
  }
}

/// Of a benchmark that is not among the new ones there is no shift.
TEST(session_variance, does_not_contain_benchmarks_without_sessions) {
  for (auto [suite, part] : {std::pair{scattered(100, 0.002), 1.0 / 2},
                             {std::vector(50, with_sessions(0.02, 2)), 1.0 / 4}}) {
    const double before = deviation_of(suite);
    suite.insert(suite.end(), 100, without_sessions());
    EXPECT_NEAR(deviation_of(suite), before, before * part);
  }
}

/// A suite of session_variance_reference.py, which computed these deviations.
struct reference_suite {
  const char* name;
  double scale, improvement, degrees, session_part;
  double first, fourth, seventh;  ///< deviations of these benchmarks
};

std::vector<session_evidence> made_up(const reference_suite& suite) {
  const auto wave = [](int i) { return std::sin(1.0 + i * i); };
  std::vector<session_evidence> all;
  for (int i = 0; i < 30; ++i) {
    const double deviation = 0.001 * (1 + i % 7);
    const double between = 0.002 * (1 + wave(i + 50));
    const double shift = suite.scale * wave(i) * (1 + i % 7) - (i == 29 ? suite.improvement : 0.0);
    auto& evidence = all.emplace_back(without_sessions(deviation));
    if (suite.session_part > 0)
      evidence.of_new_session = {
          .shift = shift, .process_part = 0.43, .session_part = suite.session_part};
    if (suite.degrees > 0)
      evidence.of_baseline = {
          .variance = between * between, .process_part = 0.3, .degrees = suite.degrees};
  }
  return all;
}

class reference : public testing::TestWithParam<reference_suite> {};

TEST_P(reference, is_met) {
  const auto suite = made_up(GetParam());
  EXPECT_NEAR(deviation_of(suite, 0) / GetParam().first, 1, 1e-9);
  EXPECT_NEAR(deviation_of(suite, 3) / GetParam().fourth, 1, 1e-9);
  EXPECT_NEAR(deviation_of(suite, 6) / GetParam().seventh, 1, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(
    session_variance, reference,
    testing::Values(reference_suite{"shifts", 0.004, 0, 0, 0.8, 0.00622464291979, 0.0223428987475,
                                    0.0391000728081},
                    reference_suite{"an_improvement", 0.004, 0.085, 0, 0.8, 0.00997528689516,
                                    0.0282842712475, 0.0494974746831},
                    reference_suite{"hardly_an_improvement", 0.004, 0.08, 0, 0.8, 0.0285484291304,
                                    0.0319717451822, 0.0494974746831},
                    reference_suite{"sessions", 0, 0, 2, 0, 0.00270101785713, 0.00286775881613,
                                    0.00270101785713},
                    reference_suite{"both", 0.004, 0, 2, 1.34, 0.00491709916368, 0.0176495664348,
                                    0.0308867412608},
                    reference_suite{"wide", 0.3, 0, 0, 0.8, 0.389383994169, 1.55753597668,
                                    2.72568795918}),
    [](const auto& suite) { return std::string(suite.param.name); });

}  // namespace
}  // namespace bench_transfers::gate::session_variance_test
