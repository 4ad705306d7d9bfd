#include "src/gate/judge/runs_told.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "src/gate/model/bad_input.hpp"
#include "src/result_file/format.hpp"
#include "tests/basics.hpp"
#include "tests/unit/gate/checking.hpp"

namespace bench_transfers::gate::runs_told_test {
namespace {

TEST_F(checks, are_inconclusive_on_another_machine_even_when_slower) {
  slow_down("copy/7", 1.10);
  for (auto& run : after_) run.machine[0].second = "8";
  const auto result = answer();
  EXPECT_EQ(result.code, exit_code::inconclusive);
  EXPECT_EQ(result.changed.at(0).fact.key, "link.width");
  EXPECT_EQ(answer(different("link.width")).code, exit_code::regression);
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

TEST_F(checks, tell_what_is_odd_about_the_runs) {
  EXPECT_FALSE(has_message<notes::in_parts>(answer().notes));
  after_[0].warnings = {{"link_below_maximum", "by design"}};  // that is the machine
  EXPECT_FALSE(has_message<notes::warned>(answer().notes));
  after_[0].faults = {"slow:1.1@copy"};
  after_[1].parts = 2;
  after_[2].complete = false;
  const auto told = answer().notes;
  EXPECT_THAT(message_in<notes::faults_injected>(told).faults, ElementsAre("slow:1.1@copy"));
  EXPECT_EQ(message_in<notes::in_parts>(told).file, "run-11.json");
  EXPECT_EQ(message_in<notes::in_parts>(told).parts, 2);
  EXPECT_EQ(message_in<notes::interrupted>(told).file, "run-12.json");
}

TEST_F(checks, tell_what_is_odd_about_the_baseline) {
  EXPECT_TRUE(has_message<notes::one_session>(answer().notes));
  for (std::size_t i = 5; i < 10; ++i) *before_[i].started -= 24h;
  EXPECT_FALSE(has_message<notes::one_session>(answer().notes));
  EXPECT_FALSE(has_message<notes::no_fingerprint>(answer().notes));
  auto pinned = pin(before_, {}).baseline;
  pinned.machine.clear();
  EXPECT_TRUE(has_message<notes::no_fingerprint>(check(pinned, after_, {}).notes));
}

TEST_F(checks, tell_of_a_file_of_several_processes_once) {
  for (int number = 1; number <= 3; ++number) {
    auto& run = after_[static_cast<std::size_t>(number) - 1];
    run.file = "file.json";
    run.process = {number, 3};
    run.faults = {"slow:1.1@copy"};
    run.complete = false;
    run.parts = number == 3 ? 2 : 1;
    run.warnings = {{"gpu_throttled", "hot"}};
  }
  const auto result = answer();
  EXPECT_EQ(result.disturbed_runs, 3);
  std::vector<std::string> told;
  for (const auto& note : result.notes)
    std::visit(
        [&](const auto& of) {
          if constexpr (requires { of.file; }) told.push_back(of.file);
        },
        note);
  EXPECT_EQ(told, std::vector<std::string>(4, "file.json"));
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
  for (const std::string was : {"", "false", "true"})
    for (const std::string is : {"", "false", "true"}) {
      const auto result = checked(was, is);
      SCOPED_TRACE(was + ", " + is);
      if ((was == "true") == (is == "true")) {
        EXPECT_EQ(result.code, exit_code::regression);
        EXPECT_THAT(result.changed, IsEmpty());
        continue;
      }
      EXPECT_EQ(result.code, exit_code::inconclusive);
      ASSERT_EQ(result.changed.size(), 1);
      EXPECT_EQ(result.changed[0].fact.key, key);
      EXPECT_EQ(result.changed[0].fact.before, was);
      EXPECT_EQ(result.changed[0].fact.after, is);
      EXPECT_EQ(answer(different(key)).code, exit_code::regression);
    }
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

}  // namespace
}  // namespace bench_transfers::gate::runs_told_test
