#include "src/gate/model/baseline.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <string>
#include <utility>
#include <variant>

#include "src/gate/io/read_baseline.hpp"
#include "src/gate/io/write_baseline.hpp"
#include "src/gate/judge/check.hpp"
#include "src/gate/model/bad_input.hpp"
#include "src/gate/model/pin.hpp"
#include "src/result_file/format.hpp"
#include "tests/unit/gate/made_up_runs.hpp"

namespace bench_transfers::gate::baseline_test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;
using testing::ThrowsMessage;

/// Whether one of the messages is of this kind.
template <class Kind, class... Kinds>
bool has_message(const std::vector<std::variant<Kinds...>>& messages) {
  return std::ranges::any_of(
      messages, [](const auto& message) { return std::holds_alternative<Kind>(message); });
}

/// The first message of this kind.
template <class Kind, class... Kinds>
Kind message_in(const std::vector<std::variant<Kinds...>>& messages) {
  for (const auto& message : messages)
    if (const auto* const match = std::get_if<Kind>(&message)) return *match;
  throw std::invalid_argument("no message of this kind");
}

std::vector<process> processes_of(const std::vector<run>& runs) {
  std::vector<process> processes;
  for (const auto& run : runs) processes.push_back(origin_of(run));
  return processes;
}

TEST(baselines, take_the_median_of_each_run) {
  auto runs = made_up_runs(3);
  runs[1].benchmarks["copy"].values = {7, 9, 1};
  const auto pinned = pin(runs, {}).baseline;
  EXPECT_THAT(pinned.benchmarks.at("copy").figures,
              ElementsAre(Optional(101.0), Optional(7.0), Optional(101.0)));
  EXPECT_THAT(pinned.benchmarks.at("copy").bytes, Optional(4096.0));
}

TEST(baselines, take_the_fastest_repetition_when_asked) {
  metric times;
  times.fastest_repetition = true;
  metric rates = metric::named("gb_per_s");
  rates.fastest_repetition = true;
  EXPECT_EQ(pin(made_up_runs(3), times).baseline.benchmarks.at("copy").figures[0], 100);
  EXPECT_EQ(pin(made_up_runs(3), rates).baseline.benchmarks.at("copy").figures[0], 102);
}

TEST(baselines, take_the_bandwidth_of_the_median_time) {
  const benchmark_values benchmark{.values = {1, 4}, .failed = 0, .bytes = std::nullopt};
  EXPECT_EQ(figure_of(benchmark, metric::named("gb_per_s")), 1.6);
  EXPECT_EQ(figure_of(benchmark, metric::named("link_percent")), 2.5);
}

TEST(baselines, need_three_runs_and_ask_for_ten) {
  EXPECT_THAT([] { pin(made_up_runs(2), {}); },
              ThrowsMessage<bad_input>(HasSubstr("needs at least 3 runs")));
  EXPECT_EQ(message_in<pin_warnings::few_runs>(pin(made_up_runs(9), {}).warnings).runs, 9);
  EXPECT_FALSE(has_message<pin_warnings::few_runs>(pin(made_up_runs(10), {}).warnings));
}

TEST(baselines, warn_of_a_single_session) {
  auto runs = made_up_runs(10);
  EXPECT_TRUE(has_message<pin_warnings::one_session>(pin(runs, {}).warnings));
  for (int i = 5; i < 10; ++i) *runs[static_cast<std::size_t>(i)].started += 24h;
  EXPECT_THAT(pin(runs, {}).warnings, IsEmpty());
}

TEST(baselines, refuse_runs_with_injected_faults) {
  auto runs = made_up_runs(3);
  runs[2].faults = {"slow:1.1@copy"};
  EXPECT_THAT([&] { pin(runs, {}); },
              ThrowsMessage<bad_input>(AllOf(HasSubstr("run-2.json"), HasSubstr("slow:1.1"))));
}

TEST(baselines, refuse_the_same_measurements_twice) {
  auto runs = made_up_runs(3);
  runs[2].content = runs[0].content;
  EXPECT_THAT([&] { pin(runs, {}); }, ThrowsMessage<bad_input>(HasSubstr("not independent")));
}

TEST(baselines, refuse_an_unfinished_file_beside_the_complete_one) {
  auto runs = made_up_runs(3);
  runs[2].started = runs[0].started;
  EXPECT_NO_THROW(pin(runs, {}));  // two short runs
  runs[2].complete = false;
  EXPECT_THAT([&] { pin(runs, {}); }, ThrowsMessage<bad_input>(HasSubstr("the same second")));
  runs[2].card = "another";
  EXPECT_NO_THROW(pin(runs, {}));
}

TEST(baselines, refuse_the_host_device_beside_a_gpu_and_other_programs) {
  auto runs = made_up_runs(3);
  runs[1].on_host = true;
  EXPECT_THAT([&] { pin(runs, {}); }, ThrowsMessage<bad_input>(HasSubstr("without a GPU")));
  runs = made_up_runs(3);
  runs[1].ours = false;
  EXPECT_THAT([&] { pin(runs, {}); }, ThrowsMessage<bad_input>(HasSubstr("different programs")));
}

TEST(baselines, refuse_machines_that_differ_unless_that_is_allowed) {
  auto runs = made_up_runs(3);
  runs[2].machine[0].second = "8";
  EXPECT_THAT([&] { pin(runs, {}); }, ThrowsMessage<bad_input>(HasSubstr("link.width")));
  const auto pinned = pin(runs, {}, {.allow_different = {"link.width"}}).baseline;
  EXPECT_THAT(pinned.machine, ElementsAre(std::pair("device.name", "GPU")));
}

TEST(baselines, leave_out_benchmarks_of_fewer_than_three_runs) {
  auto runs = made_up_runs(4);
  for (const int i : {0, 1}) runs[static_cast<std::size_t>(i)].benchmarks["rare"] = {{5}, 0, {}};
  const auto result = pin(runs, {});
  EXPECT_FALSE(result.baseline.benchmarks.contains("rare"));
  const auto left_out = message_in<pin_warnings::left_out>(result.warnings);
  EXPECT_EQ(left_out.benchmark, "rare");
  EXPECT_EQ(left_out.measured, 2);
}

TEST(baselines, do_not_use_a_run_in_which_a_benchmark_failed) {
  auto runs = made_up_runs(4);
  runs[3].benchmarks["copy"].failed = 1;
  const auto result = pin(runs, {});
  EXPECT_EQ(result.baseline.benchmarks.at("copy").figures[3], std::nullopt);
  EXPECT_EQ(message_in<pin_warnings::failed>(result.warnings).file, "'run-3.json'");
  for (auto& run : runs) run.benchmarks["copy"].failed = 1;
  EXPECT_THROW(pin(runs, {}), bad_input);
}

TEST(baselines, come_back_from_their_file_as_they_were) {
  auto runs = made_up_runs(4);
  runs[3].benchmarks["copy"].failed = 1;
  runs[2].started.reset();
  metric judged_by = metric::named("gb_per_s");
  judged_by.fastest_repetition = true;
  const auto pinned = pin(runs, judged_by).baseline;
  const auto back = baseline_in(to_text(pinned), "baseline.json");
  EXPECT_EQ(to_text(back), to_text(pinned));
  EXPECT_TRUE(back.judged_by.more_is_better);
  EXPECT_TRUE(back.judged_by.fastest_repetition);
  EXPECT_EQ(back.processes[1].content, 2);
  EXPECT_EQ(back.processes[1].started, noon + 1min);
  EXPECT_EQ(back.processes[2].started, std::nullopt);
  EXPECT_EQ(back.benchmarks.at("copy").figures[3], std::nullopt);
  EXPECT_FALSE(back.classes_by_name);
}

TEST(baselines, keep_classes_and_the_first_centres_in_their_file) {
  auto pinned = pin(made_up_runs(3), {}).baseline;
  pinned.benchmarks.at("copy").limited_by = benchmark_class::link;
  pinned.benchmarks.at("copy").reference = 97.5;
  const auto back = baseline_in(to_text(pinned), "baseline.json");
  EXPECT_EQ(back.benchmarks.at("copy").limited_by, benchmark_class::link);
  EXPECT_EQ(back.benchmarks.at("copy").reference, 97.5);
}

TEST(baselines, refuse_classes_and_centres_that_mean_nothing) {
  const auto original = to_text(pin(made_up_runs(3), {}).baseline);
  const auto complaint = [&](const std::string& before, const std::string& after) {
    auto text = original;
    text.replace(text.find(before), before.size(), after);
    try {
      static_cast<void>(baseline_in(text, "baseline.json"));
    } catch (const bad_input& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string word = R"("limited_by":"other")", centre = R"("reference":null)";
  EXPECT_THAT(complaint(word, R"("limited_by":"cpu")"), HasSubstr("its 'limited_by' is unknown"));
  EXPECT_THAT(complaint(word, R"("limited_by":null)"), HasSubstr("limited_by"));
  EXPECT_THAT(complaint(word + ",", ""), HasSubstr("it has no 'limited_by'"));
  EXPECT_THAT(complaint(centre, R"("reference":-1)"), HasSubstr("not positive"));
  EXPECT_THAT(complaint(centre, R"("reference":1e300)"), HasSubstr("nobody can have measured"));
  EXPECT_THAT(complaint(centre + ",", ""), HasSubstr("it has no 'reference'"));
  EXPECT_THAT(complaint(word, R"("limited_by":"host")"), HasSubstr("digest"));
  EXPECT_THAT(complaint(centre, R"("reference":100)"), HasSubstr("digest"));
}

/// Whether a text is read as a baseline other than the original.
bool is_taken_for_another(const std::string& text, const std::string& original) {
  try {
    return to_text(baseline_in(text, "baseline.json")) != original;
  } catch (const bad_input&) {
    return false;
  }
}

TEST(baselines, are_refused_when_any_bit_was_changed) {
  const auto original = to_text(pin(made_up_runs(3), metric::named("gb_per_s")).baseline);
  for (std::size_t position = 0; position < original.size(); ++position)
    for (unsigned bit = 0; bit < 8; ++bit) {
      auto text = original;
      text[position] = static_cast<char>(static_cast<unsigned char>(text[position]) ^ (1U << bit));
      EXPECT_FALSE(is_taken_for_another(text, original))
          << "bit " << bit << " of byte " << position;
    }
}

TEST(baselines, are_refused_if_a_line_comes_from_another_baseline) {
  auto runs = made_up_runs(3);
  metric judged_by = metric::named("gb_per_s");
  const auto lines_of = [](const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  };
  const auto lines = lines_of(to_text(pin(runs, judged_by).baseline));
  for (auto& run : runs) {
    run.on_host = true;
    run.device = "host";
    run.machine = {{"device.name", "host"}};
    run.content += 10;
    run.benchmarks["copy"].values = {200, 201, 202};
    run.benchmarks["other"] = run.benchmarks["copy"];
  }
  judged_by = {"cores", false, true};
  const auto other_lines = lines_of(to_text(pin(runs, judged_by).baseline));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i] == other_lines[i]) continue;
    auto mixed = lines;
    mixed[i] = other_lines[i];
    EXPECT_THROW(baseline_in(fmt::format("{}", fmt::join(mixed, "\n")), "baseline.json"), bad_input)
        << other_lines[i];
  }
}

/// A digest that the first format wrote. It covers only runs, names and figures.
constexpr const char* old_digest = "2a76e5b15231b6b5";

TEST(baselines, of_the_first_format_are_read_unless_contradictory) {
  const auto text = [](const std::string& judged_by, const std::string& better,
                       const std::string& device = "GPU", const std::string& digest = old_digest) {
    std::string document = R"({"format": 1, "kind": "bench_transfers baseline", )";
    document += fmt::format(R"("judged_by": "{}", "better": "{}", "of_repetitions": "median", )",
                            judged_by, better);
    document += fmt::format(R"("ours": true, "on_host": false, "device": "{}", )", device);
    document += R"("machine": {"device.name": "GPU"}, "runs": [)";
    for (const int number : {1, 2, 3})
      document +=
          fmt::format(R"({}{{"file": "r{}", "session": 0, "started_utc": null, "boot": null, )"
                      R"("card": null, "content": "000000000000000{}"}})",
                      number > 1 ? ", " : "", number, number);
    document += fmt::format(R"(], "benchmark_count": 1, "digest": "{}", )", digest);
    return document + R"("benchmarks": {"null": {"bytes": null, "figures": [1, 2, 3]}}})";
  };
  const auto read = [](const std::string& document) { return baseline_in(document, "old.json"); };
  EXPECT_EQ(read(text("real_time", "less")).benchmarks.size(), 1);
  EXPECT_TRUE(read(text("real_time", "less")).classes_by_name);
  EXPECT_TRUE(read(text("gb_per_s", "more")).judged_by.more_is_better);
  EXPECT_FALSE(read(text("errors_per_s", "less")).judged_by.more_is_better);
  EXPECT_THAT([&] { read(text("gb_per_s", "less")); },
              ThrowsMessage<bad_input>(HasSubstr("of which less is better: pin it anew")));
  EXPECT_THAT([&] { read(text("real_time", "less", "another GPU")); },
              ThrowsMessage<bad_input>(HasSubstr("its device is 'another GPU'")));
  EXPECT_THAT([&] { read(text("real_time", "less", "GPU", "7c342e081fbbcf5a")); },
              ThrowsMessage<bad_input>(HasSubstr("digest")));
}

metric declared_as(const std::string& key, const declaration& counter, bool more_is_better) {
  auto judged_by = metric::named(key).with(counter);
  judged_by.more_is_better = more_is_better;
  return judged_by;
}

TEST(baselines, keep_the_declaration_of_the_runs) {
  const declaration percent{"%", result_file::metric_kind::share, false};
  const auto idle = declared_as("idle", percent, false);
  const auto text = to_text(pin(made_up_runs(3), idle).baseline);
  EXPECT_THAT(text, HasSubstr("\"unit\": \"%\",\n\"metric_kind\": \"share\",\n"));
  EXPECT_EQ(baseline_in(text, "baseline.json").judged_by.declared, percent);
  // Of runs that declare nothing there is nothing to keep.
  EXPECT_THAT(to_text(pin(made_up_runs(3), {}).baseline), testing::Not(HasSubstr("metric_kind")));
}

TEST(baselines, refuse_a_declaration_that_means_nothing) {
  const auto original =
      to_text(pin(made_up_runs(3),
                  declared_as("idle", {"%", result_file::metric_kind::share, false}, false))
                  .baseline);
  auto text = original;
  text.replace(text.find("\"share\""), 7, "\"shore\"");
  EXPECT_THAT([&] { baseline_in(text, "baseline.json"); },
              ThrowsMessage<bad_input>(HasSubstr("metric_kind")));
}

TEST(sessions, end_after_an_hour_without_a_run) {
  auto runs = made_up_runs(4);
  *runs[2].started += 1h;
  *runs[3].started += 2h + 5min;
  EXPECT_THAT(sessions_of(processes_of(runs)), ElementsAre(0, 0, 1, 2));
}

TEST(sessions, go_on_as_long_as_no_hour_passes_between_two_runs) {
  std::vector<run> runs;
  for (int i = 0; i < 5; ++i) runs.push_back(made_up(50 * i));
  EXPECT_EQ(number_of_sessions(processes_of(runs)), 1);
}

TEST(sessions, end_with_a_restart_and_with_another_card) {
  auto runs = made_up_runs(4);
  runs[2].boot = runs[3].boot = "another";
  runs[3].card = "another";
  EXPECT_THAT(sessions_of(processes_of(runs)), ElementsAre(0, 0, 1, 2));
}

TEST(sessions, of_two_cards_in_turn_are_two) {
  auto runs = made_up_runs(6);
  for (const std::size_t i : {1, 3, 5}) runs[i].card = "another";
  EXPECT_THAT(sessions_of(processes_of(runs)), ElementsAre(0, 1, 0, 1, 0, 1));
}

TEST(sessions, are_found_whatever_the_order_of_the_files) {
  auto runs = made_up_runs(3);
  *runs[0].started += 5h;
  EXPECT_THAT(sessions_of(processes_of(runs)), ElementsAre(1, 0, 0));
}

TEST(sessions, are_one_if_nothing_distinguishes_the_runs) {
  auto runs = made_up_runs(3);
  for (auto& run : runs) {
    run.started.reset();
    run.boot.clear();
    run.card.clear();
  }
  EXPECT_EQ(number_of_sessions(processes_of(runs)), 1);
}

TEST(fingerprints, are_compared_in_the_order_of_their_facts) {
  const fingerprint before{{"link.width", "16"}, {"kernel", "6"}, {"gone", "x"}};
  const fingerprint after{{"kernel", "7"}, {"link.width", "8"}, {"added", "y"}};
  std::vector<std::string> keys;
  for (const auto& difference : differences(before, after)) keys.push_back(difference.key);
  EXPECT_THAT(keys, ElementsAre("link.width", "kernel", "gone", "added"));
}

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
  EXPECT_EQ(result.code, exit_code::inconclusive);
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
  EXPECT_THAT([&] { answer(); }, ThrowsMessage<bad_input>(HasSubstr("of the baseline")));
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
  slow_down("copy/27", 1.1);
  EXPECT_EQ(answer().code, exit_code::regression);
  question question;
  question.decide_by = {benchmark_class::link};
  const auto result = answer(question);
  EXPECT_EQ(result.code, exit_code::pass);
  ASSERT_EQ(result.classes.size(), 2);
  EXPECT_TRUE(result.classes[0].decides);
  EXPECT_FALSE(result.classes[1].decides);
  EXPECT_EQ(result.classes[1].code, exit_code::regression);
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
  slow_down("copy/7", 1 / 19.0);
  EXPECT_EQ(benchmark_of(answer(), "copy/7").result, verdict::faster);
  slow_down("copy/7", 19.0 / 21);
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
  EXPECT_EQ(benchmark.result, verdict::not_known);
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

/// Warnings that concern figures, and whether they tell of a disturbance.
constexpr std::array<std::pair<const char*, bool>, 7> warnings_of_figures{
    {{"gpu_throttled", true},
     {"gpu_clock_fell", true},
     {"cpu_throttled", true},
     {"link_changed", true},
     {"pcie_replays", false},
     {"other_load", false},
     {"repetitions_disturbed", false}}};

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
  EXPECT_THAT([&] { check(pinned, {}, {}); }, ThrowsMessage<bad_input>(HasSubstr("no runs")));
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

TEST_F(checks, say_that_a_baseline_has_one_session) {
  EXPECT_TRUE(has_message<notes::one_session>(answer().notes));
  for (std::size_t i = 5; i < 10; ++i) *before_[i].started -= 24h;
  EXPECT_FALSE(has_message<notes::one_session>(answer().notes));
}

TEST_F(checks, say_that_runs_were_interrupted) {
  after_[2].complete = false;
  EXPECT_EQ(message_in<notes::interrupted>(answer().notes).file, "run-12.json");
}

TEST_F(checks, say_that_classes_follow_from_names) {
  auto pinned = pin(before_, {}).baseline;
  EXPECT_FALSE(has_message<notes::classes_by_name>(check(pinned, after_, {}).notes));
  pinned.classes_by_name = true;
  EXPECT_TRUE(has_message<notes::classes_by_name>(check(pinned, after_, {}).notes));
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

TEST(pinning, refuses_disturbed_runs_unless_they_are_allowed) {
  for (const auto& [code, is_disturbance] : warnings_of_figures) {
    auto runs = made_up_runs(3);
    runs[1].warnings = {{"link_below_maximum", "by design"}, {code, "it was\nhot"}};
    if (is_disturbance) {
      EXPECT_THAT([&] { pin(runs, {}); },
                  ThrowsMessage<bad_input>(AllOf(HasSubstr("'run-1.json': it was\\nhot"),
                                                 HasSubstr("--allow-disturbed"))))
          << code;
    }
    const auto warning = message_in<pin_warnings::warned>(
        pin(runs, {}, {.allow_different = {}, .allow_disturbed = is_disturbance}).warnings);
    EXPECT_EQ(warning.file, "'run-1.json'");
    EXPECT_EQ(warning.code, code);
  }
}

TEST(pinning, keeps_what_limits_a_benchmark) {
  auto runs = made_up_runs(3);
  for (auto& run : runs) run.benchmarks["copy"].limited_by = benchmark_class::host;
  const auto pinned = pin(runs, {}).baseline;
  EXPECT_EQ(pinned.benchmarks.at("copy").limited_by, benchmark_class::host);
  EXPECT_EQ(pinned.benchmarks.at("copy").reference, std::nullopt);
}

TEST(classes, are_latency_below_50_us) {
  using enum benchmark_class;
  EXPECT_EQ(class_of(link, 49'999), latency);
  EXPECT_EQ(class_of(link, 50'000), link);
  EXPECT_EQ(class_of(latency, 1e9), latency);
  EXPECT_EQ(class_of(host, std::nullopt), host);
  EXPECT_EQ(class_of(other, 1), latency);
}

TEST(classes, have_their_words) {
  for (const auto kind : all_classes) EXPECT_EQ(benchmark_class_from(to_string(kind)), kind);
  EXPECT_EQ(to_string(benchmark_class::link), "link");
  EXPECT_EQ(benchmark_class_from("bandwidth"), std::nullopt);
}

}  // namespace
}  // namespace bench_transfers::gate::baseline_test
