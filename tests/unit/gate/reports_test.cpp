#include "src/gate/report/reports.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "src/common/text.hpp"
#include "src/gate/report/figures.hpp"
#include "tests/basics.hpp"
#include "tests/unit/gate/made_up_report.hpp"

namespace bench_transfers::gate::reports_test {
namespace {

std::vector<std::string> lines_in(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Terminal

TEST(gate_text, fits_100_columns_whatever_the_length_of_names) {
  std::vector<finding> lines;
  for (const std::size_t length : {1U, 23U, 38U, 39U, 40U, 60U, 61U, 62U, 99U, 100U})
    lines.push_back(compared(std::string(length, 'n'), verdict::slower, 123.456));
  for (const std::size_t length : {1U, 86U, 87U, 99U, 100U})
    lines.push_back(
        without_figures(std::string(length, 'm'), verdict::missing, remarks::failed{1, 3}));
  const auto text = text_of(report_of(exit_code::regression, lines), true);
  for (const auto& line : lines_in(text)) {
    EXPECT_LE(common::letters_in(line), 100U) << line;
    EXPECT_THAT(line, Not(EndsWith(" ")));
  }
}

// Markdown

TEST(gate_markdown, stays_below_the_limit_of_a_comment) {
  auto answer = report_of(exit_code::regression, {});
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

// JUnit

TEST(gate_junit, any_name_can_be_read_back) {
  const std::string name = "a<b>&amp;\"'|]]>µ日";
  const auto text =
      junit_of(report_of(exit_code::regression, {compared(name, verdict::slower, 0.1)}), {});
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(text.c_str())) << text;
  const auto suite = document.child("testsuites").child("testsuite");
  EXPECT_TRUE(suite.find_child_by_attribute("testcase", "name", name.c_str()));
}

// JSON

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

TEST(gate_json, what_is_not_known_or_not_finite_is_null) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [error, degrees] :
       {std::pair{0.0, 10.0}, {0.1, 0.0}, {nan, 10.0}, {0.1, nan}, {infinite, 10.0}, {1e4, 10.0}}) {
    auto benchmark = compared("a", verdict::unchanged, 0);
    benchmark.judgement->standard_error = error;
    benchmark.judgement->degrees = degrees;
    benchmark.judgement->detectable = infinite;
    benchmark.judgement->p = nan;
    const auto document = nlohmann::json::parse(json_of(report_of(exit_code::pass, {benchmark})));
    for (const auto* key : {"interval_95", "detectable_80", "p"})
      EXPECT_TRUE(document.at("benchmarks").at(0).at(key).is_null()) << key << error << degrees;
  }
}

}  // namespace
}  // namespace bench_transfers::gate::reports_test
