#include "src/gate/judge/check.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "src/gate/judge/conclude.hpp"
#include "src/gate/model/bad_input.hpp"
#include "src/gate/model/pin.hpp"
#include "src/result_file/format.hpp"
#include "tests/unit/gate/made_up_runs.hpp"

namespace bench_transfers::gate::check_test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;
using testing::ThrowsMessage;

/// Ten runs before and three after, of thirty benchmarks.
class checks : public testing::Test {
 protected:
  checks() {
    for (int i = 0; i < 10; ++i) before_.push_back(of_thirty(i));
    for (int i = 10; i < 13; ++i) after_.push_back(of_thirty(i));
  }

  static run of_thirty(int number) {
    auto run = made_up(number);
    run.benchmarks.clear();
    for (int b = 0; b < 30; ++b)
      // Scattered by up to 0.2 %, each benchmark in its own way; long enough for bandwidth.
      run.benchmarks["copy/" + std::to_string(b)] = {
          {1e6 * (1 + 0.002 * ((number * 7 + b * 5) % 11 - 5) / 5.0)}, 0, {}};
    return run;
  }

  void slow_down(const std::string& name, double times) {
    for (auto& run : after_)
      for (auto& value : run.benchmarks[name].values) value *= times;
  }

  report answer(const question& question = {}) {
    return check(pin(before_, {}).baseline, after_, question);
  }

  static question different(const std::string& key) {
    question question;
    question.allow_different = {key};
    return question;
  }

  static question missing(const std::string& names) {
    question question;
    question.allow_missing = names;
    return question;
  }

  static const finding& benchmark_of(const report& report, const std::string& name) {
    for (const auto& benchmark : report.findings)
      if (benchmark.name == name) return benchmark;
    throw std::invalid_argument(name);
  }

  std::vector<run> before_, after_;
};

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

TEST_F(checks, are_inconclusive_on_another_machine_even_when_slower) {
  slow_down("copy/7", 1.10);
  for (auto& run : after_) run.machine[0].second = "8";
  const auto result = answer();
  EXPECT_EQ(result.code, exit_code::inconclusive);
  EXPECT_EQ(result.changed.at(0).fact.key, "link.width");
  EXPECT_EQ(answer(different("link.width")).code, exit_code::regression);
}

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
  EXPECT_EQ(benchmark_of(answer(), "copy/2").result, verdict::unchanged);
}

TEST_F(checks, report_a_failed_benchmark_as_missing_and_not_as_fast) {
  after_[1].benchmarks["copy/2"].failed = 1;
  const auto result = answer();
  EXPECT_EQ(result.code, exit_code::inconclusive);
  const auto failed = std::get<remarks::failed>(benchmark_of(result, "copy/2").note.value());
  EXPECT_EQ(failed.failed, 1);
  EXPECT_EQ(failed.runs, 3);
}

TEST_F(checks, need_three_runs) {
  after_.pop_back();
  const auto result = answer();
  EXPECT_EQ(result.code, exit_code::inconclusive);
  EXPECT_EQ(message_in<reasons::too_few_runs>(result.reasons).runs, 2);
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

TEST_F(checks, refuse_runs_that_disagree_about_the_metric) {
  using result_file::metric_kind;
  const declaration rate{"GB/s", metric_kind::rate, true};
  auto judged_by = declared_as("rate", rate, true);
  const auto pinned = pin(before_, judged_by).baseline;
  for (auto& run : after_) run.declared = rate;
  EXPECT_NO_THROW(check(pinned, after_, {}));
  after_[2].declared = declaration{"GB/s", metric_kind::rate, false};
  EXPECT_THAT([&] { check(pinned, after_, {}); },
              ThrowsMessage<bad_input>(AllOf(HasSubstr("run-10.json"), HasSubstr("run-12.json"),
                                             HasSubstr("disagree about rate: a rate in 'GB/s', "
                                                       "more is better, and a rate in 'GB/s', "
                                                       "less is better"))));
  for (auto& run : after_) run.declared = declaration{"MB/s", metric_kind::rate, true};
  EXPECT_THAT([&] { check(pinned, after_, {}); },
              ThrowsMessage<bad_input>(AllOf(HasSubstr("'MB/s'"), HasSubstr("'GB/s'"))));
}

TEST_F(checks, take_no_unit_from_the_runs_if_the_baseline_has_none) {
  const auto pinned = pin(before_, metric::named("wait")).baseline;
  for (auto& run : after_)
    run.declared = declaration{"us", result_file::metric_kind::duration, false};
  // A time could be judged by the threshold of latencies: no run chooses that for itself.
  const auto answer = check(pinned, after_, {});
  EXPECT_FALSE(answer.judged_by.is_time());
  EXPECT_EQ(answer.findings.front().kind, benchmark_class::other);
}

TEST_F(checks, refuse_runs_whose_unit_contradicts_the_name) {
  const auto pinned = pin(before_, metric::named("gb_per_s")).baseline;
  for (auto& run : after_)
    run.declared = declaration{"us", result_file::metric_kind::duration, true};
  EXPECT_THAT([&] { check(pinned, after_, {}); },
              ThrowsMessage<bad_input>(AllOf(HasSubstr("'us'"), HasSubstr("'GB/s'"))));
}

TEST_F(checks, refuse_runs_of_the_baseline_itself) {
  after_[0] = before_[4];
  EXPECT_THROW(answer(), bad_input);
}

TEST_F(checks, say_that_faults_were_injected) {
  after_[0].faults = {"slow:1.1@copy"};
  EXPECT_THAT(message_in<notes::faults_injected>(answer().notes).faults,
              ElementsAre("slow:1.1@copy"));
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

TEST_F(checks, do_not_blame_the_program_for_disturbed_runs) {
  slow_down("copy/7", 1.10);
  for (const auto& [code, is_disturbance] : warnings_of_figures) {
    after_[1].warnings = {{"link_below_maximum", "by design"}, {code, "hot"}};
    const auto result = answer();
    EXPECT_EQ(result.code, is_disturbance ? exit_code::inconclusive : exit_code::regression)
        << code;
    EXPECT_EQ(result.disturbed_runs, is_disturbance ? 1 : 0) << code;
    EXPECT_EQ(has_message<reasons::runs_disturbed>(result.reasons), is_disturbance) << code;
    const auto warned = message_in<notes::warned>(result.notes);
    EXPECT_EQ(warned.file, "run-11.json");
    EXPECT_EQ(warned.code, code);
    EXPECT_EQ(warned.text, "hot");
  }
}

TEST_F(checks, pass_in_spite_of_disturbed_runs) {
  for (auto& run : after_) run.warnings = {{"gpu_throttled", "hot"}};
  EXPECT_EQ(answer().code, exit_code::pass);
  EXPECT_EQ(answer().disturbed_runs, 3);
}

TEST_F(checks, say_nothing_of_warnings_about_the_machine) {
  after_[0].warnings = {{"link_below_maximum", "by design"}};
  EXPECT_FALSE(has_message<notes::warned>(answer().notes));
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
  after_[0].benchmarks.erase("copy/2");
  EXPECT_EQ(std::get<remarks::measured_by_some>(note_of()).measured, 2);
  for (auto& run : after_) run.benchmarks.erase("copy/2");
  EXPECT_TRUE(std::holds_alternative<remarks::not_measured>(note_of()));
  for (auto& run : after_) run.unjudged = {"copy/2"};
  EXPECT_EQ(std::get<remarks::no_such_field>(note_of()).field, "real_time");
  after_.resize(2);
  EXPECT_EQ(std::get<remarks::too_few_runs>(benchmark_of(answer(), "copy/3").note.value()).needed,
            3);
}

TEST_F(checks, do_not_look_for_absurd_names_in_what_may_be_missing) {
  const std::string name(4097, 'x');
  for (auto& run : before_) run.benchmarks[name] = run.benchmarks["copy/1"];
  EXPECT_FALSE(benchmark_of(answer(missing("x")), name).excused);
  const std::string shorter(4096, 'y');
  for (auto& run : before_) run.benchmarks[shorter] = run.benchmarks["copy/1"];
  EXPECT_TRUE(benchmark_of(answer(missing("y")), shorter).excused);
}

TEST_F(checks, need_runs_of_the_same_kind) {
  const auto pinned = pin(before_, {}).baseline;
  EXPECT_THROW(check(pinned, {}, {}), bad_input);
  auto others = after_;
  for (auto& run : others) run.ours = false;
  EXPECT_THAT([&] { check(pinned, others, {}); },
              ThrowsMessage<bad_input>(HasSubstr("another program")));
  for (auto& run : after_) run.on_host = true;
  EXPECT_THAT([&] { check(pinned, after_, {}); },
              ThrowsMessage<bad_input>(HasSubstr("was made without a GPU, the baseline's runs "
                                                 "with one")));
}

TEST_F(checks, do_not_compare_a_fact_that_the_baseline_lacks) {
  for (auto& run : after_) run.machine.emplace_back("kernel.release", "6.1");
  EXPECT_THAT(answer().changed, IsEmpty());
  after_[1].machine[0].second = "8";
  after_[2].machine[0].second = "4";
  EXPECT_EQ(answer().changed.size(), 2);
  after_[2].machine[0].second = "8";
  EXPECT_EQ(answer().changed.size(), 1);
}

TEST_F(checks, notice_that_confidential_computing_was_switched) {
  const std::string key = "device.confidential_computing";
  slow_down("copy/7", 1.10);
  const auto checked = [&](const std::string& was, const std::string& is) {
    for (auto [runs, value] : {std::pair(&before_, was), std::pair(&after_, is)})
      for (auto& run : *runs) {
        std::erase_if(run.machine, [&](const auto& fact) { return fact.first == key; });
        if (!value.empty()) run.machine.emplace_back(key, value);
      }
    return answer();
  };
  const std::string unknown;
  const std::vector<std::pair<std::string, std::string>> switched{
      {"false", "true"}, {"true", "false"}, {"true", unknown}, {unknown, "true"}};
  for (const auto& [was, is] : switched) {
    const auto result = checked(was, is);
    EXPECT_EQ(result.code, exit_code::inconclusive) << was << ", " << is;
    ASSERT_EQ(result.changed.size(), 1) << was << ", " << is;
    EXPECT_EQ(result.changed[0].fact.key, key);
    EXPECT_EQ(result.changed[0].fact.before, was);
    EXPECT_EQ(result.changed[0].fact.after, is);
    EXPECT_EQ(answer(different(key)).code, exit_code::regression);
  }
  const std::vector<std::pair<std::string, std::string>> same{{"false", "false"},
                                                              {"true", "true"},
                                                              {unknown, unknown},
                                                              {"false", unknown},
                                                              {unknown, "false"}};
  for (const auto& [was, is] : same) {
    const auto result = checked(was, is);
    EXPECT_EQ(result.code, exit_code::regression) << was << ", " << is;
    EXPECT_THAT(result.changed, IsEmpty()) << was << ", " << is;
  }
}

TEST_F(checks, say_that_a_baseline_has_one_session) {
  EXPECT_TRUE(has_message<notes::one_session>(answer().notes));
  for (std::size_t i = 5; i < 10; ++i) *before_[i].started -= 24h;
  EXPECT_FALSE(has_message<notes::one_session>(answer().notes));
}

TEST_F(checks, say_that_runs_were_interrupted) {
  after_[2].complete = false;
  EXPECT_EQ(message_in<notes::interrupted>(answer().notes).file, "run-12.json");
}

TEST_F(checks, say_that_a_baseline_names_no_machine) {
  const auto whole = answer();
  EXPECT_FALSE(has_message<notes::no_fingerprint>(whole.notes));
  auto pinned = pin(before_, {}).baseline;
  pinned.machine.clear();
  const auto result = check(pinned, after_, {});
  EXPECT_TRUE(has_message<notes::no_fingerprint>(result.notes));
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

TEST_F(checks, say_that_the_baseline_is_slower_than_the_first_of_its_line) {
  auto pinned = pin(before_, {}).baseline;
  pinned.benchmarks.at("copy/3").reference = 0.9e6;
  pinned.benchmarks.at("copy/4").reference = 0.99e6;  // less than the threshold
  const auto note = message_in<notes::baseline_crept>(check(pinned, after_, {}).notes);
  EXPECT_EQ(note.benchmarks, 1);
  EXPECT_EQ(note.worst, "copy/3");
  EXPECT_NEAR(note.slowdown, 1 / 0.9 - 1, 0.005);
}

// The means.

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
  EXPECT_EQ(slower.result, verdict::slower);
  EXPECT_TRUE(slower.is_by_mean);
  EXPECT_NEAR(std::get<remarks::mean_slower>(slower.note.value()).slowdown, 0.3, 0.005);
  EXPECT_EQ(answer().code, exit_code::regression);
  const auto once = with_mean(1.5, 1);
  EXPECT_EQ(once.result, verdict::ambiguous);
  EXPECT_TRUE(once.is_by_mean);
  // The limits of means are wider.
  const auto accepted = with_mean(1.03);
  EXPECT_EQ(accepted.result, verdict::unchanged);
  EXPECT_FALSE(accepted.is_by_mean);
  EXPECT_DOUBLE_EQ(accepted.mean_threshold, 0.05);
  EXPECT_DOUBLE_EQ(answer().classes.at(0).mean_threshold, 0.05);
}

TEST_F(checks, keep_what_the_median_shows_where_the_mean_shows_no_more) {
  slow_down("copy/7", 1.3);
  after_[1].benchmarks["copy/9"].values[0] *= 2;
  const auto result = answer();
  for (const auto& [name, verdict] :
       {std::pair{"copy/7", verdict::slower}, std::pair{"copy/9", verdict::ambiguous}}) {
    const auto& benchmark = benchmark_of(result, name);
    EXPECT_EQ(benchmark.result, verdict) << name;
    EXPECT_FALSE(benchmark.is_by_mean) << name;
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

// Looks.

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

// What the answer says of its runs.

TEST_F(checks, count_runs_and_sessions) {
  for (std::size_t i = 5; i < 10; ++i) *before_[i].started -= 24h;
  *after_[2].started += 2h;
  const auto result = answer();
  EXPECT_EQ(result.processes_before, 10);
  EXPECT_EQ(result.sessions_before, 2);
  EXPECT_EQ(result.processes_after, 3);
  EXPECT_EQ(result.sessions_after, 2);
  EXPECT_EQ(result.device, "GPU");
  EXPECT_FALSE(result.on_host);
  EXPECT_TRUE(result.has_fingerprint);
  EXPECT_EQ(result.classes.at(0).able, 30);
}

TEST_F(checks, count_runs_that_are_older_than_the_baseline) {
  for (const std::size_t i : {0, 2}) *after_[i].started -= 24h;
  const auto result = answer();
  EXPECT_EQ(result.code, exit_code::inconclusive);
  EXPECT_EQ(result.older_runs, 2);
  EXPECT_EQ(result.changed.size(), 1);
  EXPECT_EQ(answer(different("run.started_utc")).older_runs, 0);
  EXPECT_EQ(answer(different("run.started_utc")).code, exit_code::pass);
}

TEST_F(checks, say_that_a_run_was_ended_and_resumed) {
  EXPECT_FALSE(has_message<notes::in_parts>(answer().notes));
  after_[1].parts = 2;
  const auto note = message_in<notes::in_parts>(answer().notes);
  EXPECT_EQ(note.file, "run-11.json");
  EXPECT_EQ(note.parts, 2);
}

TEST_F(checks, know_other_machines_by_their_cards) {
  const auto is_other = [&] { return answer().question.limits.other_machine; };
  EXPECT_FALSE(is_other());
  after_[1].card.clear();
  EXPECT_FALSE(is_other());
  after_[1].card = "another";
  EXPECT_TRUE(is_other());
  before_[3].card = "another";
  EXPECT_FALSE(is_other());
  before_[3].card.clear();
  EXPECT_FALSE(is_other());
  EXPECT_THAT(answer().cards, testing::UnorderedElementsAre("another", "card"));
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

TEST_F(checks, have_no_shift_of_a_run_without_the_benchmark) {
  for (int i = 13; i < 18; ++i) after_.push_back(of_thirty(i));
  after_[6].complete = false;
  after_[6].benchmarks.erase("copy/2");
  const auto benchmark = benchmark_of(answer(), "copy/2");
  ASSERT_EQ(benchmark.shifts.size(), 8);
  EXPECT_FALSE(benchmark.shifts[6]);
  EXPECT_TRUE(benchmark.shifts[7]);
  for (auto& run : after_) run.benchmarks.erase("copy/2");
  EXPECT_FALSE(benchmark_of(answer(), "copy/2").after);
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
