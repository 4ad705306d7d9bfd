#include "src/gate/report/reports.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "src/gate/report/figures.hpp"
#include "src/gate/report/wording.hpp"
#include "tests/unit/gate/made_up_report.hpp"

namespace bench_transfers::gate::reports_test {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::chrono::sys_seconds some_time{std::chrono::seconds{1'800'000'000}};

std::vector<std::string> lines_in(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

report one_of_each() {
  auto allowed = without_figures("e/allowed", verdict::missing, remarks::not_measured{});
  allowed.excused = true;
  return report_of(
      exit_code::regression,
      {compared("a/slower", verdict::slower, 0.1),
       compared("b/ambiguous", verdict::ambiguous, 0.04),
       without_figures("d/missing", verdict::missing, remarks::not_measured{}), allowed,
       compared("f/faster", verdict::faster, -0.1), without_figures("g/new", verdict::added),
       compared("h/unchanged", verdict::unchanged, 0)},
      {reasons::ambiguous{benchmark_class::link, 1}});
}

class junit {
 public:
  explicit junit(const report& answer) {
    const auto text = junit_of(answer, some_time);
    if (!document_.load_string(text.c_str())) throw std::runtime_error("not XML: " + text);
    suite_ = document_.child("testsuites").child("testsuite");
  }
  [[nodiscard]] pugi::xml_node suite() const { return suite_; }
  /// "failure", "error", "skipped"; "passed"; "" where there is no such test case.
  [[nodiscard]] std::string result_of(const std::string& name) const {
    const auto test = suite_.find_child_by_attribute("testcase", "name", name.c_str());
    if (!test) return "";
    return test.first_child() ? test.first_child().name() : "passed";
  }

 private:
  pugi::xml_document document_;
  pugi::xml_node suite_;
};

// Terminal

TEST(gate_text, changes_of_the_machine_come_first_and_the_verdict_last) {
  auto answer = one_of_each();
  answer.changed.push_back({{"link.generation", "5", "4"}, false});
  answer.changed.push_back({{"kernel.release", "6.1", ""}, true});
  answer.classes.front().shared = shift_of_all(0.03, 0.01, true);
  answer.notes.emplace_back(notes::interrupted{"run.json"});
  const auto text = text_of(answer);
  std::size_t last = 0;
  for (const auto* part :
       {"Made-up GPU: 3 runs", "link.generation: was 5, is 4",
        "kernel.release: was 6.1, is unknown (allowed)",
        "link: REGRESSION, 1 of 4 benchmarks slower, a/slower by 10.0 %", "SLOWER", "a/slower  ",
        "AMBIGUOUS", "MISSING\nd/missing  not measured", "e/allowed  not measured, allowed",
        "FASTER", "NEW\ng/new", "7 benchmarks: 1 slower", "Note: run.json did not reach its end.",
        "\nREGRESSION: link: 1 of 4 benchmarks slower"}) {
    const auto place = text.find(part);
    ASSERT_NE(place, std::string::npos) << part << " in\n" << text;
    EXPECT_GE(place, last) << part;
    last = place;
  }
  EXPECT_THAT(text, Not(HasSubstr("h/unchanged")));
  EXPECT_THAT(text_of(answer, true), HasSubstr("UNCHANGED"));
}

TEST(gate_text, fits_100_columns_whatever_the_length_of_names) {
  std::vector<finding> lines;
  for (const std::size_t length : {1U, 23U, 38U, 39U, 40U, 60U, 61U, 62U, 99U, 100U})
    lines.push_back(compared(std::string(length, 'n'), verdict::slower, 123.456));
  for (const std::size_t length : {1U, 86U, 87U, 99U, 100U})
    lines.push_back(
        without_figures(std::string(length, 'm'), verdict::missing, remarks::failed{1, 3}));
  const auto text = text_of(report_of(exit_code::regression, lines), true);
  for (const auto& line : lines_in(text)) {
    EXPECT_LE(columns_of(line), 100U) << line;
    EXPECT_THAT(line, Not(EndsWith(" ")));
  }
}

TEST(gate_text, slowdowns_hidden_by_noise_are_shown_unless_the_environment_explains_them) {
  auto answer =
      report_of(exit_code::inconclusive,
                {compared("a", verdict::not_known, 0.5), compared("b", verdict::not_known, 0.01)},
                {reasons::too_noisy{benchmark_class::link}});
  EXPECT_THAT(text_of(answer), HasSubstr("WITHIN THE NOISE"));
  EXPECT_THAT(text_of(answer), Not(HasSubstr("\nb ")));
  answer.classes.front().shared = shift_of_all(0.4, 0, true);
  EXPECT_THAT(text_of(answer), Not(HasSubstr("WITHIN THE NOISE")));
}

TEST(gate_text, suspects_that_were_cleared_are_shown) {
  auto cleared = compared("a/cleared", verdict::unchanged, 0.001);
  cleared.note = remarks::measured_in_turn{0.001, 0.5};
  const auto answer = report_of(exit_code::pass, {compared("b", verdict::unchanged, 0), cleared});
  EXPECT_THAT(text_of(answer), HasSubstr("UNCHANGED, MEASURED AGAIN"));
  EXPECT_THAT(text_of(answer), HasSubstr("  in turn: +0.10 %, p 0.50\n"));
  EXPECT_THAT(text_of(answer), Not(HasSubstr("\nb ")));
}

TEST(gate_text, long_lists_are_cut_unless_all_is_requested) {
  std::vector<finding> lines;
  for (int i = 0; i < 30; ++i)
    lines.push_back(without_figures(fmt::format("new/{}/", i), verdict::added));
  const auto answer = report_of(exit_code::pass, lines);
  EXPECT_THAT(text_of(answer), HasSubstr("new/19/\nand 10 more (--all lists them)\n"));
  EXPECT_THAT(text_of(answer, true), HasSubstr("new/29/"));
  lines.resize(21);
  EXPECT_THAT(text_of(report_of(exit_code::pass, lines)), HasSubstr("new/20/"));
}

TEST(gate_text, of_too_few_runs_it_does_not_list_every_benchmark) {
  auto answer = report_of(exit_code::inconclusive,
                          {without_figures("a", verdict::missing, remarks::too_few_runs{2, 2, 3})},
                          {reasons::too_few_runs{2, 3}});
  answer.processes_after = 2;
  EXPECT_THAT(text_of(answer), Not(HasSubstr("NOT JUDGED")));
  EXPECT_THAT(text_of(answer, true), HasSubstr("NOT JUDGED"));
}

TEST(gate_text, power_shows_detectable_slowdowns) {
  baseline baseline;
  baseline.device = "Made-up GPU";
  baseline.processes.resize(5);
  power_line sensitive{"a/good", benchmark_class::link, 0.02, 1e6, 0.025, 0.03, 0.001, 0.002, false,
                       3};
  power_line noisy{"a/bad", benchmark_class::link, 0.02, 1e6, 2000, 3000, 0.1, 0.2,
                   true,    std::nullopt};
  const std::vector lines{sensitive, noisy};
  const auto text = text_of(baseline, lines, 3, {});
  EXPECT_THAT(text, HasSubstr("5 runs of 1 session (Made-up GPU)"));
  EXPECT_THAT(text, testing::ContainsRegex("a/good .* 2.50 % .* 3.00 % +3\n"));
  EXPECT_THAT(text, testing::ContainsRegex("a/bad .* > 100 % \\* +> 100 % +-\n"));
  EXPECT_THAT(text, HasSubstr("  link        1 of    2 at 2 %\n"));
  for (const auto& line : lines_in(text)) EXPECT_LE(columns_of(line), 100U) << line;
}

// Markdown

/// The cells of the row that has this in its first one.
std::vector<std::string> row_with(const std::string& markdown, const std::string& part) {
  for (const auto& line : lines_in(markdown)) {
    if (!line.starts_with("| <code>") || line.find(part) == std::string::npos) continue;
    std::vector<std::string> cells;
    std::istringstream in(line.substr(1));
    for (std::string cell; std::getline(in, cell, '|');) cells.push_back(cell);
    return cells;
  }
  return {};
}

TEST(gate_markdown, shows_regressions_and_folds_everything_else) {
  const auto text = markdown_of(one_of_each());
  EXPECT_THAT(text, StartsWith("## Transfers: REGRESSION\n\n"));
  const auto folded = text.find("<details>");
  EXPECT_LT(text.find("<code>a/slower</code>"), folded);
  for (const auto* name :
       {"b/ambiguous", "d/missing", "e/allowed", "f/faster", "g/new", "h/unchanged"})
    EXPECT_GT(text.find(name), folded) << name;
  EXPECT_THAT(row_with(text, "a/slower"),
              ElementsAre(" <code>a/slower</code> ", " 1.000 ms ", " 1.100 ms ", " +10.0 % ",
                          " &#60;0.0001 ", " 2.50 % "));
  EXPECT_THAT(row_with(text, "e/allowed"),
              ElementsAre(" <code>e/allowed</code> ", " not measured, allowed "));
}

TEST(gate_markdown, names_are_no_markup) {
  const auto text =
      markdown_of(report_of(exit_code::regression,
                            {compared("a|b`c`<b>*d*_e_\n[f](g)@h #12 https://i.j www.k.l &amp; \\|",
                                      verdict::slower, 0.1)}));
  const auto cells = row_with(text, "a&#124;b");
  ASSERT_EQ(cells.size(), 6U);
  EXPECT_EQ(cells.front(),
            " <code>a&#124;b&#96;c&#96;&#60;b&#62;&#42;d&#42;&#95;e&#95;&#92;n[f&#93;(g)"
            "&#64;<!-- -->h &#35;<!-- -->12 https&#58;//i.j www&#46;k.l &#38;amp; "
            "&#92;&#124;</code> ");
}

TEST(gate_markdown, ordinary_names_stay_readable) {
  const auto text = markdown_of(report_of(
      exit_code::regression, {compared("copy_async/pinned_wc/h2d/1MiB", verdict::slower, 0.1)}));
  EXPECT_THAT(text, HasSubstr("<code>copy_async/pinned_wc/h2d/1MiB</code>"));
}

TEST(gate_markdown, stays_below_the_limit_of_a_comment) {
  auto answer = one_of_each();
  for (int i = 0; i < 2000; ++i) {
    const auto name = fmt::format("{}/{}", std::string(300, '|'), i);
    answer.findings.push_back(compared(name, verdict::slower, 0.1));
    answer.findings.push_back(compared(name, verdict::ambiguous, 0.1));
    answer.findings.push_back(
        without_figures(name, verdict::missing, remarks::no_such_field{name}));
    answer.findings.push_back(compared(name, verdict::faster, 0.1));
    answer.findings.push_back(without_figures(name, verdict::added));
    answer.findings.push_back(compared(name, verdict::unchanged, 0));
    answer.notes.emplace_back(notes::interrupted{name});
  }
  const auto text = markdown_of(answer);
  EXPECT_LT(text.size(), 65'536U);
  EXPECT_THAT(text, HasSubstr("more, for which there is no room here"));
  EXPECT_THAT(text, HasSubstr("and 1980 more notes"));
  std::size_t opened = 0;
  std::size_t closed = 0;
  for (const auto& line : lines_in(text)) {
    if (line.starts_with("<details>")) ++opened;
    if (line == "</details>") ++closed;
  }
  EXPECT_EQ(opened, 4U);  // what is missing is not folded away
  EXPECT_EQ(closed, opened);
}

TEST(gate_markdown, of_the_host_device_the_heading_says_so) {
  auto answer = report_of(exit_code::pass, {compared("a", verdict::unchanged, 0)});
  answer.on_host = true;
  EXPECT_THAT(markdown_of(answer), StartsWith("## Transfers: PASS (host device, no GPU)\n"));
}

// JUnit

TEST(gate_junit, every_verdict_has_its_kind_of_result) {
  const junit junit_file(one_of_each());
  EXPECT_EQ(junit_file.result_of("a/slower"), "failure");
  EXPECT_EQ(junit_file.result_of("b/ambiguous"), "error");
  EXPECT_EQ(junit_file.result_of("d/missing"), "error");
  EXPECT_EQ(junit_file.result_of("e/allowed"), "skipped");
  EXPECT_EQ(junit_file.result_of("f/faster"), "passed");
  EXPECT_EQ(junit_file.result_of("g/new"), "passed");
  EXPECT_EQ(junit_file.result_of("h/unchanged"), "passed");
  // Why it would be inconclusive does not matter where something is slower.
  EXPECT_EQ(junit_file.result_of("link: 1 benchmark is ambiguous"), "");
  EXPECT_STREQ(junit_file.suite().attribute("tests").value(), "7");
  EXPECT_STREQ(junit_file.suite().attribute("failures").value(), "1");
  EXPECT_STREQ(junit_file.suite().attribute("errors").value(), "2");
  EXPECT_STREQ(junit_file.suite().attribute("skipped").value(), "1");
  EXPECT_STREQ(junit_file.suite().attribute("timestamp").value(), "2027-01-15T08:00:00");
}

TEST(gate_junit, is_not_green_when_nothing_but_a_reason_is_wrong) {
  const junit junit_file(report_of(exit_code::inconclusive, {compared("a", verdict::unchanged, 0)},
                                   {reasons::machine_differs{1}}));
  EXPECT_STREQ(junit_file.suite().attribute("failures").value(), "0");
  EXPECT_STREQ(junit_file.suite().attribute("errors").value(), "1");
  EXPECT_EQ(junit_file.result_of(sentence_of(reasons::machine_differs{1}, limits{})), "error");
}

TEST(gate_junit, any_name_can_be_read_back) {
  const std::string name = "a<b>&amp;\"'|]]>µ日";
  const junit junit_file(report_of(exit_code::regression, {compared(name, verdict::slower, 0.1)}));
  EXPECT_EQ(junit_file.result_of(name), "failure");
  // Two characters that printable text may have and XML must not.
  const auto text =
      junit_of(report_of(exit_code::regression,
                         {compared("x\xef\xbf\xbf\xef\xbf\xbey", verdict::slower, 0.1)}),
               some_time);
  EXPECT_THAT(text, HasSubstr("name=\"x\\uffff\\ufffey\""));
  EXPECT_THAT(text, Not(HasSubstr("\xef\xbf\xbf")));
}

TEST(gate_reports, the_note_of_a_benchmark_is_in_every_form) {
  auto benchmark = compared("a/b", verdict::slower, 0.1);
  benchmark.note = remarks::measured_in_turn{0.09, 0.001};
  const auto answer = report_of(exit_code::regression, {benchmark});
  EXPECT_THAT(text_of(answer), HasSubstr("  in turn: +9.00 %, p 0.001\n"));
  EXPECT_THAT(markdown_of(answer), HasSubstr("<code>a/b</code><br>in turn: +9.00 %, p 0.001 |"));
  EXPECT_THAT(junit_of(answer, some_time), HasSubstr("; in turn: +9.00 %, p 0.001\""));
  const auto document = nlohmann::json::parse(json_of(answer));
  EXPECT_EQ(document.at("benchmarks").at(0).at("note"),
            nlohmann::json({{"code", "measured_in_turn"},
                            {"data", {{"slowdown", 0.09}, {"p", 0.001}}},
                            {"text", "in turn: +9.00 %, p 0.001"}}));
}

// JSON

TEST(gate_json, has_everything_as_numbers) {
  auto answer = one_of_each();
  answer.changed.push_back({{"link.generation", "5", ""}, true});
  answer.classes.front().shared = shift_of_all(0.03, 0.01, false);
  const auto document = nlohmann::json::parse(json_of(answer));
  EXPECT_EQ(document.at("format"), 3);
  EXPECT_EQ(document.at("exit_code"), 1);
  EXPECT_EQ(document.at("verdict"), "REGRESSION");
  EXPECT_EQ(document.at("runs"), nlohmann::json({{"before", 10}, {"after", 3}}));
  EXPECT_EQ(document.at("counts").at("slower"), 1);
  EXPECT_EQ(document.at("counts").at("new"), 1);
  EXPECT_TRUE(document.at("changed").at(0).at("after").is_null());
  const auto& link = document.at("classes").at(0);
  EXPECT_EQ(link.at("class"), "link");
  EXPECT_EQ(link.at("decides"), true);
  EXPECT_EQ(link.at("verdict"), "REGRESSION");
  EXPECT_EQ(link.at("exit_code"), 1);
  EXPECT_EQ(link.at("threshold"), 0.02);
  EXPECT_EQ(link.at("of_baseline"), 5);
  EXPECT_EQ(link.at("compared"), 4);
  EXPECT_EQ(link.at("tested"), 3);
  EXPECT_NEAR(link.at("slowdown").get<double>(), std::expm1(0.03), 1e-12);
  EXPECT_NEAR(link.at("explained").get<double>(), std::expm1(0.01), 1e-12);
  EXPECT_EQ(link.at("changed"), false);
  const auto& slower = document.at("benchmarks").at(0);
  EXPECT_NEAR(slower.at("slowdown").get<double>(), 0.1, 1e-12);
  EXPECT_EQ(slower.at("before"), 1e6);
  EXPECT_EQ(slower.at("verdict"), "slower");
  EXPECT_EQ(slower.at("class"), "link");
  const auto& missing = document.at("benchmarks").at(2);
  EXPECT_EQ(missing.at("allowed"), false);
  EXPECT_TRUE(missing.at("before").is_null());
  EXPECT_FALSE(missing.contains("slowdown"));
}

/// The code of each thing that can be said, and the keys of its data.
std::vector<std::string> shapes_of(const nlohmann::ordered_json& messages) {
  std::vector<std::string> shapes;
  for (const auto& message : messages) {
    auto shape = message.at("code").get<std::string>();
    for (const auto& [key, value] : message.at("data").items()) shape += " " + key;
    EXPECT_NE(message.at("text"), "");
    shapes.push_back(shape);
  }
  return shapes;
}

TEST(gate_json, has_the_documented_codes_and_data) {
  auto answer = report_of(
      exit_code::inconclusive,
      {without_figures("a", verdict::missing, remarks::failed{1, 3}),
       without_figures("b", verdict::missing, remarks::no_such_field{"gb_per_s"}),
       without_figures("c", verdict::missing, remarks::not_measured{}),
       without_figures("d", verdict::missing, remarks::measured_by_some{1, 3}),
       without_figures("e", verdict::missing, remarks::too_few_runs{2, 2, 3}),
       without_figures("f", verdict::missing, remarks::measured_in_turn{0.1, 0.01}),
       without_figures("g", verdict::missing, remarks::not_measured_again{}),
       without_figures("h", verdict::added),
       without_figures("i", verdict::ambiguous, remarks::implausibly_fast{25}),
       without_figures("j", verdict::not_known, remarks::slow_runs{1, 3, 0.5})},
      {reasons::machine_differs{1}, reasons::too_few_runs{2, 3}, reasons::runs_disturbed{2, 3},
       reasons::benchmarks_missing{benchmark_class::host, 4},
       reasons::environment_changed{benchmark_class::latency, 5, 0.1},
       reasons::ambiguous{benchmark_class::link, 6}, reasons::too_noisy{benchmark_class::link},
       reasons::too_few_can_show{benchmark_class::link, 1, 20, 30}, reasons::nothing_compared{}});
  answer.notes = {notes::faults_injected{"r.json", {"fail@x"}},
                  notes::interrupted{"r.json"},
                  notes::in_parts{"r.json", 2},
                  notes::no_fingerprint{},
                  notes::one_session{},
                  notes::measured_again{3, 8},
                  notes::warned{"r.json", "other_load", "the CPU is busy"},
                  notes::slow_runs{2},
                  notes::baseline_crept{2, "x", 0.05}};
  const auto document = nlohmann::ordered_json::parse(json_of(answer));
  EXPECT_THAT(shapes_of(document.at("reasons")),
              ElementsAre("machine_differs differences", "too_few_runs runs needed",
                          "runs_disturbed disturbed runs", "benchmarks_missing class count",
                          "environment_changed class benchmarks slowdown", "ambiguous class count",
                          "too_noisy class", "too_few_can_show class can_show of compared",
                          "nothing_compared"));
  EXPECT_THAT(shapes_of(document.at("notes")),
              ElementsAre("faults_injected file faults", "interrupted file", "in_parts file parts",
                          "no_fingerprint", "one_session", "measured_again suspects runs",
                          "run_warning file warning", "slow_runs benchmarks",
                          "baseline_crept benchmarks worst slowdown"));
  auto remarks = nlohmann::ordered_json::array();
  for (const auto& benchmark : document.at("benchmarks"))
    if (!benchmark.at("note").is_null()) remarks.push_back(benchmark.at("note"));
  EXPECT_THAT(shapes_of(remarks),
              ElementsAre("failed failed runs", "no_such_field field", "not_measured",
                          "measured_by_some measured runs", "too_few_runs measured runs needed",
                          "measured_in_turn slowdown p", "not_measured_again",
                          "implausibly_fast factor", "slow_runs slow runs slowdown"));
  EXPECT_EQ(document.at("reasons").at(4).at("data").at("class"), "latency");
  EXPECT_EQ(document.at("counts").at("not_measured"), 1);
}

TEST(gate_json, has_the_interval_and_each_run) {
  auto benchmark = compared("a", verdict::slower, 0.1);
  benchmark.judgement->standard_error = 0.01;
  benchmark.judgement->degrees = 10;
  benchmark.shifts = {std::log1p(0.09), std::nullopt, std::log1p(-0.2)};
  const auto document =
      nlohmann::json::parse(json_of(report_of(exit_code::regression, {benchmark})));
  const auto& entry = document.at("benchmarks").at(0);
  // the 97.5 % quantile of Student's t with ten degrees of freedom is 2.228139
  const auto& interval = entry.at("interval_95");
  ASSERT_EQ(interval.size(), 2);
  EXPECT_NEAR(interval.at(0).get<double>(), 1.1 * std::exp(-0.02228139) - 1, 1e-8);
  EXPECT_NEAR(interval.at(1).get<double>(), 1.1 * std::exp(0.02228139) - 1, 1e-8);
  const auto& runs = entry.at("slowdown_of_runs");
  ASSERT_EQ(runs.size(), 3);
  EXPECT_NEAR(runs.at(0).get<double>(), 0.09, 1e-12);
  EXPECT_TRUE(runs.at(1).is_null());
  EXPECT_NEAR(runs.at(2).get<double>(), -0.2, 1e-12);
}

TEST(gate_json, an_interval_that_is_not_known_is_null) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [error, degrees] :
       {std::pair{0.0, 10.0}, std::pair{0.1, 0.0}, std::pair{nan, 10.0}, std::pair{0.1, nan},
        std::pair{infinite, 10.0}, std::pair{1e4, 10.0}}) {
    auto benchmark = compared("a", verdict::unchanged, 0);
    benchmark.judgement->standard_error = error;
    benchmark.judgement->degrees = degrees;
    const auto document = nlohmann::json::parse(json_of(report_of(exit_code::pass, {benchmark})));
    EXPECT_TRUE(document.at("benchmarks").at(0).at("interval_95").is_null()) << error << degrees;
  }
}

TEST(gate_json, numbers_that_are_not_finite_are_null) {
  auto benchmark = compared("a", verdict::unchanged, 0);
  benchmark.judgement->detectable = std::numeric_limits<double>::infinity();
  benchmark.judgement->p = std::numeric_limits<double>::quiet_NaN();
  const auto document = nlohmann::json::parse(json_of(report_of(exit_code::pass, {benchmark})));
  EXPECT_TRUE(document.at("benchmarks").at(0).at("detectable_80").is_null());
  EXPECT_TRUE(document.at("benchmarks").at(0).at("p").is_null());
}

}  // namespace
}  // namespace bench_transfers::gate::reports_test
