#include "src/gate/model/baseline.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "src/gate/io/read_baseline.hpp"
#include "src/gate/io/write_baseline.hpp"
#include "src/gate/judge/check.hpp"
#include "src/gate/model/bad_input.hpp"
#include "src/gate/model/pin.hpp"
#include "src/result_file/format.hpp"
#include "tests/basics.hpp"
#include "tests/unit/common/complaint.hpp"
#include "tests/unit/gate/made_up_runs.hpp"

namespace bench_transfers::gate::baseline_test {
namespace {

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
  EXPECT_THROW(pin(made_up_runs(2), {}), bad_input);
  EXPECT_EQ(message_in<pin_warnings::few_runs>(pin(made_up_runs(9), {}).warnings).runs, 9);
  EXPECT_FALSE(has_message<pin_warnings::few_runs>(pin(made_up_runs(10), {}).warnings));
}

/// Why runs are refused; empty if they are not.
std::string why_refused(const std::vector<run>& runs) {
  return common::complaint_of<bad_input>([&] { return pin(runs, {}); });
}

TEST(baselines, refuse_runs_that_are_not_alike) {
  using change = void (*)(std::vector<run>&);
  for (const auto& [alter, complaint] : std::vector<std::pair<change, const char*>>{
           {[](auto& runs) { runs[2].faults = {"slow:1.1@copy"}; }, "run-2.json.*slow:1.1"},
           {[](auto& runs) { runs[2].content = runs[0].content; }, "not independent"},
           {[](auto& runs) { runs[1].on_host = true; }, "."},
           {[](auto& runs) { runs[1].ours = false; }, "different programs"},
           {[](auto& runs) { runs[2].machine[0].second = "8"; },
            "'run-0.json' and 'run-2.json' differ in link.width: '16' and '8'"},
           {[](auto& runs) {
              runs[2].benchmarks = {{"other", {{5}, 0, {}}}};
            },
            "no benchmark was measured by three runs"}}) {
    auto runs = made_up_runs(3);
    alter(runs);
    EXPECT_THAT(why_refused(runs), testing::ContainsRegex(complaint));
  }
}

TEST(baselines, have_the_facts_that_are_the_same_where_others_may_differ) {
  auto runs = made_up_runs(3);
  runs[2].machine[0].second = "8";
  const auto pinned = pin(runs, {}, {.allow_different = {"link.width"}}).baseline;
  EXPECT_THAT(pinned.machine, ElementsAre(std::pair("device.name", "GPU")));
}

TEST(baselines, leave_out_benchmarks_of_fewer_than_three_runs) {
  auto runs = made_up_runs(4);
  for (const int i : {0, 1}) {
    auto& benchmarks = runs[static_cast<std::size_t>(i)].benchmarks;
    benchmarks["rare"] = benchmarks["seldom"] = {{5}, 0, {}};
  }
  const auto result = pin(runs, {});
  EXPECT_FALSE(result.baseline.benchmarks.contains("rare"));
  const auto left_out = message_in<pin_warnings::left_out>(result.warnings);
  EXPECT_EQ(left_out.first, "rare");
  EXPECT_EQ(left_out.benchmarks, 2);
  EXPECT_EQ(left_out.all, 3);
  EXPECT_EQ(left_out.measured, 2);
}

TEST(baselines, of_a_few_of_the_benchmarks_that_were_measured_are_refused) {
  auto runs = made_up_runs(3);
  for (auto& run : runs)
    for (const auto* name : {"short", "shorter"}) {
      run.benchmarks[name].values = {5};
      run.benchmarks[name].left_out = 2;
    }
  EXPECT_THAT(why_refused(runs), HasSubstr("2 benchmarks have less than half of their "
                                           "repetitions, and only 1 have a figure"));
  EXPECT_THAT(pin(runs, {}, {.allow_noisy = true}).baseline.benchmarks, testing::SizeIs(1));
}

TEST(baselines, do_not_use_a_run_in_which_a_benchmark_failed) {
  auto runs = made_up_runs(4);
  for (auto& run : runs) run.benchmarks["other"] = run.benchmarks["copy"];
  runs[3].benchmarks["copy"].failed = 1;
  const auto result = pin(runs, {});
  EXPECT_EQ(result.baseline.benchmarks.at("copy").figures[3], std::nullopt);
  EXPECT_EQ(message_in<pin_warnings::failed>(result.warnings).file, "'run-3.json'");
  runs[3].benchmarks["other"].failed = 1;
  EXPECT_THROW(pin(runs, {}), bad_input);
}

TEST(baselines, come_back_from_their_file_as_they_were) {
  auto runs = made_up_runs(4);
  for (auto& run : runs) {
    run.benchmarks["copy"].fastest = 900;
    run.benchmarks["other"] = run.benchmarks["copy"];
  }
  runs[3].benchmarks["copy"].failed = 1;
  runs[0].benchmarks["other"].fastest.reset();
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
  EXPECT_EQ(back.benchmarks.at("copy").fastest, (figures_of_processes{900, 900, 900, {}}));
  EXPECT_TRUE(back.benchmarks.at("other").fastest.empty());
}

TEST(baselines, know_the_options_that_all_runs_had) {
  auto runs = made_up_runs(4);
  const auto known = [&] {
    const auto pinned = pin(runs, {}).baseline;
    EXPECT_EQ(baseline_in(to_text(pinned), "baseline.json").options, pinned.options);
    return pinned.options;
  };
  EXPECT_EQ(known(), std::nullopt);
  for (auto& run : runs) run.options = {"--profile=quick", "--strategies=copy"};
  EXPECT_EQ(known(), runs[0].options);
  auto forged = pin(runs, {}).baseline;
  forged.options = {"--inject=slow:3@copy"};
  EXPECT_THROW(baseline_in(to_text(forged), "baseline.json"), bad_input);
  runs[3].options = {"--profile=full"};
  EXPECT_EQ(known(), std::nullopt);
}

TEST(baselines, are_refused_when_any_bit_was_changed) {
  const auto original = to_text(pin(made_up_runs(3), metric::named("gb_per_s")).baseline);
  for (std::size_t position = 0; position < original.size(); ++position)
    for (unsigned bit = 0; bit < 8; ++bit) {
      auto text = original;
      text[position] = static_cast<char>(static_cast<unsigned char>(text[position]) ^ (1U << bit));
      // Whether it is read as another one.
      const auto back = [&] { return to_text(baseline_in(text, "baseline.json")); };
      EXPECT_TRUE(common::complaint_of<bad_input>(back) != "" || back() == original)
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

TEST(baselines, are_refused_with_the_place_of_what_is_wrong) {
  auto runs = made_up_runs(3);
  for (auto& run : runs) run.benchmarks["copy"].fastest = 90;
  const auto original = nlohmann::json::parse(to_text(pin(runs, {}).baseline));
  const auto figures = [](const nlohmann::json& last) { return nlohmann::json{101, 101, last}; };
  const std::vector<std::tuple<const char*, nlohmann::json, const char*>> changes{
      {"/benchmarks/copy/figures", figures(-3), "benchmarks.copy.figures[2] is not positive"},
      {"/benchmarks/copy/figures", figures("5"), "benchmarks.copy.figures[2] is no number"},
      {"/benchmarks/copy/figures", figures(nullptr), "copy.figures has fewer than three values"},
      {"/benchmarks/copy/figures", {101, 101}, "copy.figures has fewer entries than there are"},
      {"/benchmarks/copy/figures/3", 101, "benchmarks.copy.figures has more than 3 entries"},
      {"/benchmarks/copy/fastest", nullptr, "benchmarks.copy.fastest is no list"},
      {"/benchmarks/copy/bytes", 0, "benchmarks.copy.bytes is not positive"},
      {"/benchmarks/copy/reference", 1e300, "reference is 1e+300, which nobody can have measured"},
      {"/benchmarks/copy/procedure", 0, "benchmarks.copy.procedure is 0"},
      {"/benchmarks/copy/procedure", nullptr, "copy.procedure is no whole number"},
      {"/benchmarks/copy/items_of_operation", nullptr, "copy.items_of_operation is no object"},
      {"/runs/1/content", "x", "runs[1].content is no hexadecimal number"},
      {"/runs/1/content", "", "runs[1].content is no hexadecimal number"},
      {"/runs/1/measurements", nullptr, "runs[1].measurements is no text"},
      {"/runs/1/started_utc", "noon", "runs[1].started_utc is no timestamp"},
      {"/machine/link.width", 16, "machine.link.width is no text"},
      {"/options", {"--inject=slow:3@copy"}, "options[0] is no measuring option"},
      {"/options", nullptr, "options is no list"},
      {"/options", "--profile=quick", "options is no list"},
      {"/ours", 1, "ours is neither true nor false"},
      {"/format", 3.5, "format is no whole number"}};
  for (const auto& [at, value, expected] : changes) {
    auto changed = original;
    changed[nlohmann::json::json_pointer(at)] = value;
    EXPECT_THAT([&] { baseline_in(changed.dump(), "baseline.json"); },
                ThrowsMessage<bad_input>(HasSubstr(expected)));
  }
}

TEST(baselines, keep_the_declaration_of_the_runs) {
  const declaration percent{"%", result_file::metric_kind::share, false};
  const auto idle = declared_as("idle", percent, false);
  auto text = to_text(pin(made_up_runs(3), idle).baseline);
  EXPECT_THAT(text, HasSubstr("\"unit\": \"%\",\n\"metric_kind\": \"share\",\n"));
  EXPECT_EQ(baseline_in(text, "baseline.json").judged_by.declared, percent);
  // Of runs that declare nothing there is nothing to keep.
  EXPECT_THAT(to_text(pin(made_up_runs(3), {}).baseline), testing::Not(HasSubstr("metric_kind")));
  text.replace(text.find("\"share\""), 7, "\"shore\"");
  EXPECT_THAT([&] { baseline_in(text, "baseline.json"); },
              ThrowsMessage<bad_input>(HasSubstr("metric_kind")));
}

TEST(sessions, end_after_an_hour_without_a_run_with_a_restart_and_with_another_card) {
  using change = void (*)(std::vector<run>&);
  const auto nothing_is_told = [](std::vector<run>& runs) {
    for (auto& run : runs) {
      run.started.reset();
      run.boot.clear();
      run.card.clear();
    }
  };
  for (const auto& [alter, expected] : std::vector<std::pair<change, std::vector<std::size_t>>>{
           {[](auto& runs) {
              *runs[2].started += 1h;
              *runs[3].started += 2h + 5min;
            },
            {0, 0, 1, 2}},
           {[](auto& runs) {  // no hour passes between two of them
              for (std::size_t i = 0; i < runs.size(); ++i) *runs[i].started += i * 49min;
            },
            {0, 0, 0, 0}},
           {[](auto& runs) {
              runs[2].boot = runs[3].boot = "another";
              runs[3].card = "another";
            },
            {0, 0, 1, 2}},
           {[](auto& runs) { runs[1].card = runs[3].card = "another"; }, {0, 1, 0, 1}},
           {[](auto& runs) { *runs[0].started += 5h; }, {1, 0, 0, 0}},
           {nothing_is_told, {0, 0, 0, 0}}}) {
    auto runs = made_up_runs(4);
    alter(runs);
    EXPECT_EQ(sessions_of(origins_of(runs)), expected);
    EXPECT_EQ(number_of_sessions(origins_of(runs)), std::ranges::max(expected) + 1);
  }
}

TEST(fingerprints, are_compared_in_the_order_of_their_facts) {
  const fingerprint before{{"link.width", "16"}, {"kernel", "6"}, {"gone", "x"}};
  const fingerprint after{{"kernel", "7"}, {"link.width", "8"}, {"added", "y"}};
  std::vector<std::string> keys;
  for (const auto& difference : differences(before, after)) keys.push_back(difference.key);
  EXPECT_THAT(keys, ElementsAre("link.width", "kernel", "gone", "added"));
}

TEST(fingerprints, differ_if_one_alone_says_that_confidential_computing_is_on) {
  const std::string key = "device.confidential_computing";
  const fingerprint unknown, off{{key, "false"}}, on{{key, "true"}};
  for (const auto& other : {unknown, off}) {
    EXPECT_EQ(differences(other, on).size(), 1);
    EXPECT_EQ(differences(on, other).size(), 1);
  }
  EXPECT_THAT(differences(unknown, off), IsEmpty());
  EXPECT_THAT(differences(off, unknown), IsEmpty());
  auto runs = made_up_runs(3);
  runs[1].machine.emplace_back(key, "false");
  EXPECT_EQ(pin(runs, {}).baseline.machine, runs[0].machine) << "an older run beside newer ones";
  runs[2].machine.emplace_back(key, "true");
  EXPECT_THAT(why_refused(runs), HasSubstr("differ in " + key));
}

TEST(pinning, refuses_disturbed_runs_unless_they_are_allowed) {
  for (const auto& [code, is_disturbance] : warnings_of_figures) {
    auto runs = made_up_runs(3);
    runs[1].warnings = {{"link_below_maximum", "by design"}, {code, "it was\nhot"}};
    if (is_disturbance) {
      EXPECT_THAT(why_refused(runs),
                  AllOf(HasSubstr("'run-1.json': it was\\nhot"), HasSubstr("--allow-disturbed")))
          << code;
    }
    const auto warning = message_in<pin_warnings::warned>(
        pin(runs, {}, {.allow_different = {}, .allow_disturbed = is_disturbance}).warnings);
    EXPECT_EQ(warning.file, "'run-1.json'");
    EXPECT_EQ(warning.code, code);
  }
}

TEST(baselines, keep_classes_and_the_first_centres_in_their_file) {
  auto runs = made_up_runs(3);
  for (auto& run : runs) run.benchmarks["copy"].limited_by = benchmark_class::host;
  auto pinned = pin(runs, {}).baseline;
  EXPECT_EQ(pinned.benchmarks.at("copy").limited_by, benchmark_class::host);
  EXPECT_EQ(pinned.benchmarks.at("copy").reference, std::nullopt);
  pinned.benchmarks.at("copy").limited_by = benchmark_class::link;
  pinned.benchmarks.at("copy").reference = 97.5;
  const auto back = baseline_in(to_text(pinned), "baseline.json");
  EXPECT_EQ(back.benchmarks.at("copy").limited_by, benchmark_class::link);
  EXPECT_EQ(back.benchmarks.at("copy").reference, 97.5);
}

TEST(pinning, says_which_benchmarks_lack_the_field) {
  auto runs = made_up_runs(3);
  for (auto& run : runs) run.unjudged = {"add", "scale"};
  const auto warnings = pin(runs, metric::named("cores")).warnings;
  const auto lacking = message_in<pin_warnings::lacking_field>(warnings);
  EXPECT_EQ(lacking.benchmarks, 2);
  EXPECT_EQ(lacking.field, "cores");
  EXPECT_EQ(lacking.first, "add");
  EXPECT_EQ(
      std::ranges::count_if(warnings,
                            [](const auto& warning) {
                              return std::holds_alternative<pin_warnings::no_such_field>(warning);
                            }),
      6);
  EXPECT_FALSE(has_message<pin_warnings::lacking_field>(pin(made_up_runs(3), {}).warnings));
}

TEST(pinning, says_which_runs_were_interrupted) {
  auto runs = made_up_runs(4);
  runs[1].complete = false;
  EXPECT_EQ(message_in<pin_warnings::interrupted>(pin(runs, {}).warnings).file, "'run-1.json'");
  runs[1].complete = true;
  EXPECT_FALSE(has_message<pin_warnings::interrupted>(pin(runs, {}).warnings));
}

TEST(pinning, asks_for_four_sessions) {
  for (const std::size_t sessions : {1, 2, 3, 4}) {
    auto runs = made_up_runs(10);
    for (std::size_t i = 0; i < runs.size(); ++i) *runs[i].started += (i % sessions) * 24h;
    const auto warnings = pin(runs, {}).warnings;
    EXPECT_EQ(has_message<pin_warnings::one_session>(warnings), sessions == 1);
    EXPECT_EQ(warnings.empty(), sessions == 4);
    if (sessions != 2 && sessions != 3) continue;
    const auto asked = message_in<pin_warnings::few_sessions>(warnings);
    EXPECT_EQ(asked.sessions, sessions);
    EXPECT_EQ(asked.recommended, 4);
  }
}

TEST(pinning, takes_up_to_a_thousand_runs) {
  EXPECT_NO_THROW(require_count(1000));
  EXPECT_THAT([] { require_count(1001); },
              ThrowsMessage<bad_input>(HasSubstr("at most 1000 runs; 1001 are given")));
  EXPECT_THROW(require_count(1), bad_input);
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
