#include "src/gate/judge/figure_verdicts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

#include "src/gate/judge/conclude.hpp"
#include "tests/unit/gate/checking.hpp"

namespace bench_transfers::gate::figure_verdicts_test {
namespace {

/// In all runs before and after.
void give_fastest(std::vector<run>& runs, double slower) {
  for (auto& run : runs)
    for (auto& [name, figures] : run.benchmarks)
      figures.fastest = 0.95 * figures.values[0] * (name == "copy/7" ? slower : 1);
}

/// Makes the median of a benchmark too noisy to tell, by other users of the machine.
void disturb(std::vector<run>& runs) {
  for (std::size_t i = 0; i < runs.size(); ++i)
    runs[i].benchmarks["copy/7"].values[0] *= 1 + 0.1 * static_cast<double>(i * i % 5);
}

TEST_F(checks, find_by_the_fastest_operation_what_noise_hides_in_the_median) {
  give_fastest(before_, 1);
  give_fastest(after_, 1.08);
  disturb(before_);
  disturb(after_);
  const auto slower = benchmark_of(answer(), "copy/7");
  EXPECT_NE(slower.judgement->verdict, outcome::slower);
  EXPECT_EQ(slower.result, verdict::slower);
  EXPECT_EQ(slower.decided_by, figure::fastest);
  EXPECT_NEAR(std::get<remarks::fastest_slower>(slower.note.value()).slowdown, 0.08, 0.005);
  EXPECT_EQ(answer().code, exit_code::regression);
  // If a run does not show it, it prevents a pass.
  *after_[1].benchmarks["copy/7"].fastest /= 1.08;
  EXPECT_EQ(benchmark_of(answer(), "copy/7").result, verdict::ambiguous);
  EXPECT_EQ(benchmark_of(answer(), "copy/7").decided_by, figure::fastest);
  // It clears nothing.
  give_fastest(after_, 1);
  after_[1].benchmarks["copy/7"].values[0] *= 20;
  EXPECT_EQ(benchmark_of(answer(), "copy/7").result, verdict::ambiguous);
}

TEST_F(checks, doubt_the_fastest_operation_where_the_median_is_not_slower) {
  give_fastest(before_, 1);
  give_fastest(after_, 1.08);
  const auto unchanged = benchmark_of(answer(), "copy/7");
  EXPECT_EQ(unchanged.judgement->verdict, outcome::unchanged);
  EXPECT_EQ(unchanged.by_fastest->verdict, outcome::slower);
  EXPECT_EQ(unchanged.result, verdict::ambiguous);
  slow_down("copy/7", 0.9);
  EXPECT_EQ(benchmark_of(answer(), "copy/7").result, verdict::faster);
}

TEST_F(checks, doubt_the_fastest_operation_where_the_class_has_shifted) {
  give_fastest(before_, 1);
  give_fastest(after_, 1.08);
  disturb(before_);
  disturb(after_);
  ASSERT_EQ(benchmark_of(answer(), "copy/7").result, verdict::slower);
  for (auto& run : after_)
    for (auto& [name, figures] : run.benchmarks) figures.values[0] *= 1.05;
  ASSERT_TRUE(answer().classes.at(0).changed());
  EXPECT_NE(benchmark_of(answer(), "copy/7").result, verdict::slower);
}

/// Other users of the machine slow down all runs of a look, but not their fastest operations.
TEST_F(checks, need_a_second_look_where_the_fastest_operation_is_not_slower) {
  for (int i = 13; i < 16; ++i) after_.push_back(of_thirty(i));
  give_fastest(before_, 1);
  give_fastest(after_, 1);
  slow_down("copy/7", 1.15);
  question first;
  first.look_runs = after_.size();
  const auto once = answer(first);
  EXPECT_EQ(benchmark_of(once, "copy/7").by_fastest->verdict, outcome::unchanged);
  EXPECT_EQ(benchmark_of(once, "copy/7").result, verdict::ambiguous);
  EXPECT_TRUE(more_runs_may_tell(once));
  EXPECT_EQ(benchmark_of(answer(), "copy/7").result, verdict::slower);
}

TEST_F(checks, need_the_fastest_operation_of_all_runs) {
  give_fastest(before_, 1);
  give_fastest(after_, 1.03);
  after_[2].benchmarks["copy/7"].fastest.reset();
  EXPECT_FALSE(benchmark_of(answer(), "copy/7").by_fastest);
  EXPECT_TRUE(benchmark_of(answer(), "copy/8").by_fastest);
}

TEST_F(checks, look_at_the_fastest_operation_where_a_class_decides) {
  for (auto* const runs : {&before_, &after_}) {
    give_fastest(*runs, 1);
    for (auto& run : *runs) run.benchmarks["copy/7"].limited_by = benchmark_class::host;
  }
  EXPECT_FALSE(benchmark_of(answer(), "copy/7").by_fastest);
}

/// A single run of which the fastest operation is slow, too, says nothing of the others.
TEST_F(checks, need_a_second_look_where_the_fastest_operation_is_slow_in_one_run) {
  for (int i = 13; i < 15; ++i) after_.push_back(of_thirty(i));  // no further look
  give_fastest(before_, 1);
  give_fastest(after_, 1);
  slow_down("copy/7", 1.15);
  *after_[0].benchmarks["copy/7"].fastest *= 1.15;
  const auto found = benchmark_of(answer(), "copy/7");
  EXPECT_EQ(found.by_fastest->verdict, outcome::ambiguous);
  EXPECT_EQ(found.result, verdict::ambiguous);
  EXPECT_LT(std::get<remarks::fastest_not_slower>(found.note.value()).at_most_95, 0.02);
}

/// Other users of the machine slow down some runs of two looks, but not their fastest operations.
TEST_F(checks, doubt_runs_of_two_looks_where_the_fastest_operation_is_not_slower) {
  for (int i = 13; i < 16; ++i) after_.push_back(of_thirty(i));
  const auto in_runs = [&](const std::vector<std::size_t>& slow) {
    for (const auto i : slow) after_[i].benchmarks["copy/7"].values[0] *= 1.3;
    const auto found = benchmark_of(answer(), "copy/7");
    for (const auto i : slow) after_[i].benchmarks["copy/7"].values[0] /= 1.3;
    return found;
  };
  ASSERT_EQ(in_runs({1, 2, 3, 5}).judgement->sighting, sighting::again);
  EXPECT_EQ(in_runs({1, 2, 3, 5}).result, verdict::slower);
  give_fastest(before_, 1);
  give_fastest(after_, 1);
  EXPECT_EQ(in_runs({1, 2, 3, 5}).result, verdict::ambiguous);
  EXPECT_EQ(in_runs({0, 1, 2, 3, 4, 5}).result, verdict::slower);
  // The same users slow down the means.
  for (std::size_t i = 0; i < after_.size(); ++i)
    after_[i].benchmarks["copy/7"].means = {after_[i].benchmarks["copy/7"].values[0] * 1.3};
  EXPECT_EQ(in_runs({1, 2, 3, 5}).by_mean->verdict, outcome::slower);
  EXPECT_EQ(in_runs({1, 2, 3, 5}).result, verdict::ambiguous);
}

/// One clean look of three makes the new runs vary.
TEST_F(checks, do_not_forget_a_mean_that_was_slower_in_most_runs) {
  for (int i = 13; i < 19; ++i) after_.push_back(of_thirty(i));
  const auto with_slow_means = [&](std::size_t runs, double slower = 1.13) {
    for (std::size_t i = 0; i < after_.size(); ++i) {
      auto& figures = after_[i].benchmarks["copy/7"];
      figures.means = {figures.values[0] * (i < runs ? slower : 1)};
    }
    return benchmark_of(answer(), "copy/7");
  };
  EXPECT_EQ(with_slow_means(5).result, verdict::ambiguous);
  EXPECT_EQ(with_slow_means(5).decided_by, figure::mean);
  EXPECT_EQ(with_slow_means(4).result, verdict::unchanged);
  const auto found = with_slow_means(5, 1.07);
  EXPECT_LT(slowdown(found.by_mean->shift), found.mean_threshold);
  EXPECT_EQ(std::get<remarks::mean_of_most_runs_slower>(found.note.value()).slow, 5);
}

TEST_F(checks, say_how_many_runs_are_slower_than_nine_tenths_of_the_baseline) {
  for (int i = 13; i < 19; ++i) after_.push_back(of_thirty(i));
  for (std::size_t i = 0; i < 5; ++i) after_[i].benchmarks["copy/7"].values[0] *= 1.05;
  const auto found = benchmark_of(answer(), "copy/7");
  EXPECT_EQ(found.result, verdict::ambiguous);
  const auto& said = std::get<remarks::most_runs_slower>(found.note.value());
  EXPECT_EQ(said.slow, 5);
  EXPECT_EQ(said.runs, 9);
  // A run that was interrupted before has no figure.
  after_[8].complete = false;
  after_[8].benchmarks.erase("copy/7");
  EXPECT_EQ(std::get<remarks::most_runs_slower>(*benchmark_of(answer(), "copy/7").note).runs, 8);
}

TEST_F(checks, do_not_excuse_a_much_slower_benchmark_by_lost_repetitions) {
  after_[1].benchmarks["copy/7"].left_out = 2;
  EXPECT_EQ(benchmark_of(answer(), "copy/7").result, verdict::not_known);
  EXPECT_EQ(answer().code, exit_code::pass);
  slow_down("copy/7", 1.1);
  const auto lost = answer();
  const auto found = benchmark_of(lost, "copy/7");
  EXPECT_EQ(found.result, verdict::ambiguous);
  EXPECT_TRUE(std::holds_alternative<remarks::few_repetitions>(found.note.value()));
  EXPECT_EQ(lost.code, exit_code::inconclusive);
  EXPECT_TRUE(more_runs_may_tell(lost));
  // One run as fast as before, and noise may explain the other.
  after_[0].benchmarks["copy/7"].values[0] /= 1.1;
  EXPECT_EQ(benchmark_of(answer(), "copy/7").result, verdict::not_known);
  // What does other work has another reason.
  auto other = after_;
  for (auto& run : after_) run.benchmarks["copy/7"].work.procedure = 2;
  EXPECT_EQ(benchmark_of(answer(), "copy/7").result, verdict::missing);
  after_ = std::move(other);
  // Or somebody expects it.
  question question;
  slow_down("copy/7", 1.1);
  question.allow_missing = "copy/7";
  EXPECT_EQ(benchmark_of(answer(question), "copy/7").result, verdict::not_known);
}

}  // namespace
}  // namespace bench_transfers::gate::figure_verdicts_test
