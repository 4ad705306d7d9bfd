#include "src/gate/judge/new_runs.hpp"

#include <variant>

#include "src/gate/model/bad_input.hpp"
#include "tests/basics.hpp"
#include "tests/unit/gate/checking.hpp"

namespace bench_transfers::gate::new_runs_test {
namespace {

TEST_F(checks, are_inconclusive_when_benchmarks_are_missing_unless_they_may_be) {
  for (auto& run : after_) run.benchmarks.erase("copy/2");
  const auto result = answer();
  EXPECT_EQ(result.code, exit_code::inconclusive);
  EXPECT_EQ(benchmark_of(result, "copy/2").result, verdict::missing);
  EXPECT_EQ(answer(missing("copy/2$")).code, exit_code::pass);
  EXPECT_THROW(answer(missing("(")), bad_input);
}

TEST_F(checks, report_a_benchmark_that_one_run_lacks_as_missing) {
  for (int i = 13; i < 18; ++i) after_.push_back(of_thirty(i));
  after_[6].benchmarks.erase("copy/2");
  EXPECT_EQ(benchmark_of(answer(), "copy/2").result, verdict::missing);
  after_[6].complete = false;
  const auto benchmark = benchmark_of(answer(), "copy/2");
  EXPECT_EQ(benchmark.result, verdict::unchanged);
  ASSERT_EQ(benchmark.shifts.size(), 8);
  EXPECT_FALSE(benchmark.shifts[6]);
  EXPECT_TRUE(benchmark.shifts[7]);
  for (auto& run : after_) run.benchmarks.erase("copy/2");
  EXPECT_FALSE(benchmark_of(answer(), "copy/2").after);
}

TEST_F(checks, report_a_failed_benchmark_as_missing_and_not_as_fast) {
  after_[1].benchmarks["copy/2"].failed = 1;
  const auto result = answer();
  EXPECT_EQ(result.code, exit_code::inconclusive);
  const auto failed = std::get<remarks::failed>(benchmark_of(result, "copy/2").note.value());
  EXPECT_EQ(failed.failed, 1);
  EXPECT_EQ(failed.runs, 3);
}

TEST_F(checks, do_not_compare_a_benchmark_that_moves_other_bytes) {
  for (auto* runs : {&before_, &after_})
    for (auto& run : *runs) run.benchmarks["copy/2"].bytes = 1e6;
  EXPECT_EQ(answer().code, exit_code::pass);
  for (auto& run : after_) run.benchmarks["copy/2"].bytes = 9e5;
  auto result = answer();
  EXPECT_EQ(result.code, exit_code::inconclusive);
  EXPECT_EQ(benchmark_of(result, "copy/2").result, verdict::missing);
  const auto other = std::get<remarks::other_bytes>(benchmark_of(result, "copy/2").note.value());
  EXPECT_EQ(other.before, 1e6);
  EXPECT_EQ(other.after, 9e5);
  for (auto& run : after_) run.benchmarks["copy/2"].bytes = std::nullopt;
  EXPECT_EQ(benchmark_of(answer(), "copy/2").result, verdict::missing);
}

TEST_F(checks, refuse_a_baseline_of_runs_that_describe_a_benchmark_differently) {
  before_[3].benchmarks["copy/2"].limited_by = benchmark_class::latency;
  EXPECT_THAT([&] { answer(); },
              ThrowsMessage<bad_input>(AllOf(HasSubstr("run-3.json"), HasSubstr("copy/2"))));
  before_[3].benchmarks["copy/2"].limited_by = before_[2].benchmarks["copy/2"].limited_by;
  before_[3].benchmarks["copy/2"].bytes = 5;
  EXPECT_THAT([&] { answer(); }, ThrowsMessage<bad_input>(HasSubstr("copy/2")));
}

TEST_F(checks, do_not_judge_what_most_runs_were_interrupted_before) {
  for (int i = 13; i < 18; ++i) after_.push_back(of_thirty(i));
  const auto cut_off = [&](std::size_t runs) {
    for (std::size_t i = 0; i < runs; ++i) {
      after_[i].complete = false;
      after_[i].benchmarks.erase("copy/2");
    }
    return benchmark_of(answer(), "copy/2");
  };
  EXPECT_EQ(cut_off(2).result, verdict::unchanged);  // a quarter of eight
  const auto benchmark = cut_off(3);
  EXPECT_EQ(benchmark.result, verdict::missing);
  const auto remark = std::get<remarks::measured_by_some>(benchmark.note.value());
  EXPECT_EQ(remark.measured, 5);
  EXPECT_EQ(remark.runs, 8);
}

TEST_F(checks, say_why_a_benchmark_is_missing) {
  const auto note_of = [&] { return benchmark_of(answer(), "copy/2").note.value(); };
  const auto all = after_;
  after_.resize(2);
  EXPECT_EQ(answer().code, exit_code::inconclusive);
  EXPECT_TRUE(has_message<reasons::too_few_runs>(answer().reasons));
  after_ = all;
  after_[0].benchmarks.erase("copy/2");
  EXPECT_EQ(std::get<remarks::measured_by_some>(note_of()).measured, 2);
  for (auto& run : after_) run.benchmarks.erase("copy/2");
  EXPECT_TRUE(std::holds_alternative<remarks::not_measured>(note_of()));
  for (auto& run : after_) run.unjudged = {"copy/2"};
  EXPECT_EQ(std::get<remarks::no_such_field>(note_of()).field, "real_time");
  after_.resize(2);
  const auto of_two = answer();
  EXPECT_EQ(message_in<reasons::too_few_runs>(of_two.reasons).runs, 2);
  EXPECT_EQ(std::get<remarks::too_few_runs>(benchmark_of(of_two, "copy/3").note.value()).needed, 3);
}

TEST_F(checks, do_not_know_what_too_few_repetitions_show) {
  for (int i = 13; i < 18; ++i) after_.push_back(of_thirty(i));
  const auto with_few = [&](std::size_t runs) {
    for (std::size_t i = 0; i < runs; ++i) after_[i].benchmarks["copy/2"].left_out = 2;
    return benchmark_of(answer(missing("copy")), "copy/2");
  };
  EXPECT_EQ(with_few(2).result, verdict::unchanged);  // a quarter of eight
  const auto benchmark = with_few(3);
  EXPECT_EQ(benchmark.result, verdict::not_known);
  EXPECT_TRUE(benchmark.excused);  // as one that is missing
  const auto remark = std::get<remarks::few_repetitions>(benchmark.note.value());
  EXPECT_EQ(remark.few, 3);
  EXPECT_EQ(remark.runs, 8);
  // Runs that were interrupted before count with them.
  for (std::size_t i = 1; i < 3; ++i) {
    after_[i].complete = false;
    after_[i].benchmarks.erase("copy/2");
  }
  EXPECT_EQ(std::get<remarks::few_repetitions>(*benchmark_of(answer(), "copy/2").note).few, 1);
  after_.resize(1);
  EXPECT_EQ(std::get<remarks::few_repetitions>(*benchmark_of(answer(), "copy/2").note).few, 1);
}

TEST_F(checks, need_three_runs_with_enough_repetitions) {
  after_.push_back(of_thirty(13));
  after_[0].benchmarks["copy/2"].left_out = 2;
  EXPECT_EQ(benchmark_of(answer(), "copy/2").result, verdict::unchanged);
  after_.pop_back();
  EXPECT_EQ(benchmark_of(answer(), "copy/2").result, verdict::not_known);
}

}  // namespace
}  // namespace bench_transfers::gate::new_runs_test
