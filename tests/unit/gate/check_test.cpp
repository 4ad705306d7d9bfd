#include "src/gate/judge/check.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "src/gate/judge/conclude.hpp"
#include "src/gate/model/bad_input.hpp"
#include "tests/basics.hpp"
#include "tests/unit/gate/checking.hpp"

namespace bench_transfers::gate::check_test {
namespace {

TEST_F(checks, pass_when_nothing_changed) {
  const auto result = answer();
  EXPECT_EQ(result.code, exit_code::pass);
  EXPECT_EQ(result.reasons.size(), 0);
  EXPECT_EQ(result.count(verdict::unchanged), 30);
}

TEST_F(checks, find_a_regression_and_put_it_first) {
  slow_down("copy/7", 1.10);
  const auto result = answer();
  EXPECT_EQ(result.code, exit_code::regression);
  EXPECT_EQ(result.findings.front().name, "copy/7");
  EXPECT_EQ(result.findings.front().result, verdict::slower);
  EXPECT_NEAR(*result.findings.front().after / *result.findings.front().before, 1.10, 0.005);
}

TEST_F(checks, take_larger_rates_for_faster) {
  for (auto* runs : {&before_, &after_})
    for (auto& run : *runs)
      for (auto& [name, figures] : run.benchmarks)
        for (auto& value : figures.values) value = 5e7 / value;
  slow_down("copy/7", 0.9);
  slow_down("copy/3", 1.1);
  const auto pinned = pin(before_, metric::named("gb_per_s")).baseline;
  const auto result = check(pinned, after_, {});
  EXPECT_EQ(benchmark_of(result, "copy/7").result, verdict::slower);
  EXPECT_EQ(benchmark_of(result, "copy/3").result, verdict::faster);
}

TEST_F(checks, report_new_benchmarks) {
  for (auto& run : after_) run.benchmarks["copy/new"] = {{5}, 0, {}};
  const auto result = answer();
  EXPECT_EQ(result.code, exit_code::pass);
  EXPECT_EQ(benchmark_of(result, "copy/new").result, verdict::added);
}

TEST_F(checks, do_not_pass_when_all_are_slower_together) {
  for (int b = 0; b < 30; ++b) slow_down("copy/" + std::to_string(b), 1.10);
  const auto result = answer();
  EXPECT_EQ(result.code, exit_code::environment);
  EXPECT_NEAR(message_in<reasons::environment_changed>(result.reasons).slowdown, 0.1, 0.01);
}

TEST_F(checks, do_not_pass_if_noise_hides_everything) {
  int number = 0;
  for (auto* runs : {&before_, &after_})
    for (auto& run : *runs) {
      ++number;
      for (auto& [name, figures] : run.benchmarks) figures.values[0] *= 1 + 0.1 * (number % 5);
    }
  const auto result = answer();
  EXPECT_EQ(result.code, exit_code::inconclusive);
  EXPECT_TRUE(has_message<reasons::too_noisy>(result.reasons));
}

TEST_F(checks, recognise_latency_by_the_time_of_an_operation) {
  for (auto* runs : {&before_, &after_})
    for (auto& run : *runs)
      for (auto& value : run.benchmarks["copy/1"].values) value /= 100;
  const auto result = answer();
  EXPECT_EQ(benchmark_of(result, "copy/1").kind, benchmark_class::latency);
  EXPECT_EQ(benchmark_of(result, "copy/1").threshold, 0.05);
  EXPECT_EQ(benchmark_of(result, "copy/2").kind, benchmark_class::other);
}

TEST_F(checks, take_the_classes_of_the_baseline) {
  for (auto& run : before_)
    for (auto& [name, figures] : run.benchmarks) figures.limited_by = benchmark_class::link;
  const auto result = answer();  // whatever the new runs say
  ASSERT_EQ(result.classes.size(), 1);
  EXPECT_EQ(result.classes[0].kind, benchmark_class::link);
  EXPECT_TRUE(result.classes[0].decides);
  EXPECT_EQ(result.classes[0].benchmarks, 30);
  EXPECT_EQ(result.classes[0].tested, 30);
  ASSERT_TRUE(result.classes[0].shared);
  EXPECT_EQ(result.classes[0].shared->benchmarks, 30);
}

TEST_F(checks, are_decided_by_the_requested_classes) {
  for (auto& run : before_)
    for (int b = 0; b < 24; ++b)
      run.benchmarks["copy/" + std::to_string(b)].limited_by = benchmark_class::link;
  slow_down("copy/27", 1.05);  // a class that only vetoes does so from 10 %
  question question;
  question.decide_by = {benchmark_class::link};
  const auto result = answer(question);
  EXPECT_EQ(result.code, exit_code::pass);
  ASSERT_EQ(result.classes.size(), 2);
  EXPECT_TRUE(result.classes[0].decides);
  EXPECT_FALSE(result.classes[1].decides);
  EXPECT_EQ(benchmark_of(result, "copy/27").threshold, 0.1);
  slow_down("copy/27", 1.05);
  question.decide_by = {benchmark_class::other, benchmark_class::link};
  EXPECT_EQ(answer(question).code, exit_code::regression);
}

TEST_F(checks, are_not_decided_by_a_class_that_the_baseline_lacks) {
  question question;
  question.decide_by = {benchmark_class::other, benchmark_class::link};
  EXPECT_THAT([&] { answer(question); },
              ThrowsMessage<bad_input>(HasSubstr("--decide-by=link: the baseline has no")));
}

TEST_F(checks, do_not_believe_in_speedups_by_more_than_twenty) {
  slow_down("copy/7", 1 / 19.9);
  EXPECT_EQ(benchmark_of(answer(), "copy/7").result, verdict::faster);
  slow_down("copy/7", 19.9 / 21);
  const auto result = answer();
  EXPECT_EQ(result.code, exit_code::inconclusive);
  const auto& benchmark = benchmark_of(result, "copy/7");
  EXPECT_EQ(benchmark.result, verdict::ambiguous);
  EXPECT_NEAR(std::get<remarks::implausibly_fast>(benchmark.note.value()).factor, 21, 0.1);
}

TEST_F(checks, remark_on_runs_that_are_much_slower_than_all_of_the_baseline) {
  after_[1].benchmarks["copy/7"].values[0] *= 5;
  after_[2].benchmarks["copy/9"].values[0] *= 2;
  after_[2].benchmarks["copy/7"].values[0] *= 1.01;
  const auto result = answer();
  const auto& benchmark = benchmark_of(result, "copy/7");
  EXPECT_EQ(benchmark.result, verdict::ambiguous);
  EXPECT_EQ(message_in<reasons::seen_slower>(result.reasons).count, 2);
  EXPECT_TRUE(more_runs_may_tell(result));
  const auto remark = std::get<remarks::slow_runs>(benchmark.note.value());
  EXPECT_EQ(remark.slow, 1);
  EXPECT_EQ(remark.runs, 3);
  EXPECT_NEAR(remark.slowdown, 4, 0.02);
  EXPECT_EQ(message_in<notes::slow_runs>(result.notes).benchmarks, 2);
}

TEST_F(checks, do_not_remark_on_slow_runs_of_what_is_slower) {
  slow_down("copy/7", 1.5);
  const auto result = answer();
  EXPECT_EQ(benchmark_of(result, "copy/7").note, std::nullopt);
  EXPECT_FALSE(has_message<notes::slow_runs>(result.notes));
}

TEST_F(checks, have_the_shift_of_each_run) {
  after_[1].benchmarks["copy/7"].values[0] = 2e6;
  const auto result = answer();
  const auto& benchmark = benchmark_of(result, "copy/7");
  ASSERT_EQ(benchmark.shifts.size(), 3);
  EXPECT_NEAR(*benchmark.shifts[1], std::log(2e6 / *benchmark.before), 1e-12);
}

TEST_F(checks, do_not_look_for_absurd_names_in_what_may_be_missing) {
  const std::string name(4097, 'x');
  for (auto& run : before_) run.benchmarks[name] = run.benchmarks["copy/1"];
  EXPECT_FALSE(benchmark_of(answer(missing("x")), name).excused);
  const std::string shorter(4096, 'y');
  for (auto& run : before_) run.benchmarks[shorter] = run.benchmarks["copy/1"];
  EXPECT_TRUE(benchmark_of(answer(missing("y")), shorter).excused);
}

TEST_F(checks, mark_benchmarks_whose_noise_hides_the_threshold) {
  for (auto* const runs : {&before_, &after_})
    for (std::size_t i = 0; i < runs->size(); ++i)
      (*runs)[i].benchmarks["copy/7"].values[0] *= 1 + 0.1 * static_cast<double>(i * i % 5);
  const auto result = answer();
  EXPECT_TRUE(benchmark_of(result, "copy/7").advisory);
  EXPECT_FALSE(benchmark_of(result, "copy/8").advisory);
  EXPECT_EQ(result.advisory(), 1);
}

TEST_F(checks, say_by_how_much_the_slowest_run_is_slower) {
  after_[1].benchmarks["copy/7"].values[0] *= 1.5;
  const auto result = answer();
  const auto& note = benchmark_of(result, "copy/7").note;
  EXPECT_NEAR(std::get<remarks::slow_runs>(note.value()).slowdown, 0.5, 0.01);
}

TEST_F(checks, find_by_the_mean_what_the_median_does_not_show) {
  const auto with_mean = [&](double times, std::size_t runs = 3) {
    for (std::size_t i = 0; i < after_.size(); ++i) {
      auto& figures = after_[i].benchmarks["copy/7"];
      figures.means = {figures.values[0] * (i < runs ? times : 1)};
    }
    return benchmark_of(answer(), "copy/7");
  };
  const auto slower = with_mean(1.3);
  EXPECT_EQ(slower.judgement->verdict, outcome::unchanged);
  EXPECT_EQ(slower.by_mean->verdict, outcome::slower);
  EXPECT_EQ(slower.result, verdict::ambiguous);  // in one look
  EXPECT_EQ(slower.decided_by, figure::mean);
  EXPECT_NEAR(std::get<remarks::mean_slower>(slower.note.value()).slowdown, 0.3, 0.005);
  EXPECT_EQ(answer().code, exit_code::inconclusive);
  EXPECT_TRUE(more_runs_may_tell(answer()));
  const auto once = with_mean(1.5, 1);
  EXPECT_EQ(once.result, verdict::ambiguous);
  EXPECT_EQ(once.decided_by, figure::mean);
  const auto& runs = std::get<remarks::mean_slow_runs>(once.note.value());
  EXPECT_EQ(runs.slow, 1);
  EXPECT_EQ(runs.runs, 3);
  EXPECT_NEAR(runs.slowdown, 0.5, 0.01);
  // The limits of means are wider.
  const auto accepted = with_mean(1.03);
  EXPECT_EQ(accepted.result, verdict::unchanged);
  EXPECT_EQ(accepted.decided_by, figure::own);
  EXPECT_DOUBLE_EQ(accepted.mean_threshold, 0.05);
  EXPECT_DOUBLE_EQ(answer().classes.at(0).mean_threshold, 0.05);

  for (int i = 13; i < 16; ++i) after_.push_back(of_thirty(i));
  EXPECT_EQ(with_mean(1.3, 6).result, verdict::slower);
  EXPECT_EQ(answer().code, exit_code::regression);
  // Where single runs are much slower by chance, so may be the means of all.
  after_[4].benchmarks["copy/7"].values[0] *= 2;
  EXPECT_EQ(with_mean(1.3, 6).result, verdict::ambiguous);
}

/// Neighbours slow down a few operations of some runs; a slower program slows down all runs.
TEST_F(checks, do_not_doubt_a_mean_where_the_new_runs_vary_by_more) {
  for (int i = 13; i < 19; ++i) after_.push_back(of_thirty(i));
  const auto with_means = [&](std::vector<double> times) {
    for (std::size_t i = 0; i < after_.size(); ++i) {
      auto& figures = after_[i].benchmarks["copy/7"];
      figures.means = {figures.values[0] * times[i % times.size()]};
    }
    return benchmark_of(answer(), "copy/7");
  };
  const auto varied = with_means({1, 1.04, 1.14});
  EXPECT_GT(varied.by_mean->shift, std::log1p(0.05));
  EXPECT_EQ(varied.by_mean->verdict, outcome::not_known);
  EXPECT_EQ(varied.result, verdict::unchanged);
  EXPECT_EQ(with_means({1.06, 1.1, 1.14}).result, verdict::slower);
}

TEST_F(checks, keep_what_the_median_shows_where_the_mean_shows_no_more) {
  slow_down("copy/7", 1.3);
  after_[1].benchmarks["copy/9"].values[0] *= 2;
  const auto result = answer();
  for (const auto& [name, verdict] :
       {std::pair{"copy/7", verdict::slower}, std::pair{"copy/9", verdict::ambiguous}}) {
    const auto& benchmark = benchmark_of(result, name);
    EXPECT_EQ(benchmark.result, verdict) << name;
    EXPECT_EQ(benchmark.decided_by, figure::own) << name;
  }
  EXPECT_TRUE(std::holds_alternative<remarks::slow_runs>(*benchmark_of(result, "copy/9").note));
  for (auto& run : after_) run.benchmarks["copy/7"].means = {1e6};
  EXPECT_EQ(benchmark_of(answer(), "copy/7").result, verdict::slower);
}

TEST_F(checks, share_the_rate_of_false_alarms_between_medians_and_means) {
  auto pinned = pin(before_, {}).baseline;
  const auto both = benchmark_of(check(pinned, after_, {}), "copy/7");
  EXPECT_TRUE(check(pinned, after_, {}).has_means);
  for (auto& [name, history] : pinned.benchmarks) history.means.clear();
  const auto bound_at = [&](double false_alarm) {
    question question;
    question.limits.false_alarm = false_alarm;
    const auto result = check(pinned, after_, question);
    EXPECT_FALSE(result.has_means);
    EXPECT_FALSE(benchmark_of(result, "copy/7").by_mean);
    return benchmark_of(result, "copy/7").judgement->at_least;
  };
  EXPECT_NEAR(both.judgement->at_least, bound_at(0.009), 1e-12);
  EXPECT_NEAR(both.by_mean->at_least, bound_at(0.001), 1e-12);
}

TEST_F(checks, know_a_class_that_is_slower_by_its_means) {
  for (auto& run : after_)
    for (auto& [name, figures] : run.benchmarks) figures.means = {1.2 * figures.values[0]};
  const auto result = answer();
  EXPECT_EQ(result.code, exit_code::environment);
  EXPECT_FALSE(result.classes.at(0).shared->changed);
  EXPECT_TRUE(result.classes.at(0).shared_by_mean->changed);
}

/// Seven runs, in any order of their files, and the runs that were slow.
TEST_F(checks, look_again_in_the_order_of_time) {
  for (int i = 13; i < 17; ++i) after_.push_back(of_thirty(i));
  std::ranges::reverse(after_);
  struct look_case {
    std::size_t look_runs;
    std::vector<std::size_t> slow;  ///< places in the order of time
    sighting state;
  };
  for (const auto& [look_runs, slow, state] :
       std::vector<look_case>{{3, {0}, sighting::cleared},
                              {3, {2}, sighting::cleared},
                              {3, {3}, sighting::open},
                              {3, {6}, sighting::open},  // no look of its own
                              {3, {0, 6}, sighting::again},
                              {3, {3, 6}, sighting::open},
                              {2, {3}, sighting::cleared},
                              {2, {4, 6}, sighting::open},
                              {7, {0, 6}, sighting::open},
                              {8, {0, 6}, sighting::open}}) {
    const auto quick = after_;
    for (const auto place : slow)
      after_[after_.size() - 1 - place].benchmarks["copy/7"].values[0] *= 2;
    question question;
    question.look_runs = look_runs;
    const auto result = answer(question);
    const auto& benchmark = benchmark_of(result, "copy/7");
    EXPECT_EQ(benchmark.judgement->sighting, state) << look_runs << ' ' << slow.front();
    const auto remark = std::get<remarks::slow_runs>(benchmark.note.value());
    EXPECT_EQ(remark.slow, slow.size());
    EXPECT_EQ(message_in<notes::slow_runs>(result.notes).benchmarks, 1);
    after_ = quick;
  }
}

TEST_F(checks, are_inconclusive_if_a_class_has_crept) {
  auto pinned = pin(before_, {}).baseline;
  for (auto& [name, history] : pinned.benchmarks) history.reference = 0.8e6;
  const auto result = check(pinned, after_, {});
  EXPECT_EQ(result.code, exit_code::inconclusive);
  EXPECT_NEAR(result.classes.at(0).crept.value(), 0.25, 0.005);
}

}  // namespace
}  // namespace bench_transfers::gate::check_test
