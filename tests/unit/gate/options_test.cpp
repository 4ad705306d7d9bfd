#include "src/gate/cli/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "src/common/command_line.hpp"
#include "tests/unit/common/complaint.hpp"

namespace bench_transfers::gate::options_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

any_request parsed(const std::vector<std::string>& arguments) {
  std::vector<const char*> pointers{"gate_transfers"};
  for (const auto& argument : arguments) pointers.push_back(argument.c_str());
  return parse_command_line(static_cast<int>(pointers.size()), pointers.data());
}

template <class Request>
Request parsed_as(const std::vector<std::string>& arguments) {
  return std::get<Request>(parsed(arguments));
}

/// The message of the usage_error; empty when there is none.
std::string complaint(const std::vector<std::string>& arguments) {
  return common::complaint_of<common::usage_error>([&] { return parsed(arguments); });
}

TEST(gate_options, pin) {
  const auto request = parsed_as<pin_request>({"pin", "a", "b", "c", "--out=d"});
  EXPECT_THAT(request.runs, ElementsAre("a", "b", "c"));
  EXPECT_EQ(request.out, "d");
  EXPECT_EQ(request.judged_by.judged_by.key, "real_time");
  EXPECT_FALSE(request.judged_by.judged_by.more_is_better);
  const auto with_metric =
      parsed_as<pin_request>({"pin", "--judge-by=gb_per_s", "--out", "d", "a",
                              "--allow-different=x,y", "b", "--allow-different", "z"});
  EXPECT_THAT(with_metric.runs, ElementsAre("a", "b"));
  EXPECT_TRUE(with_metric.judged_by.judged_by.more_is_better);
  EXPECT_THAT(with_metric.permissions.allow_different, ElementsAre("x", "y", "z"));
}

TEST(gate_options, files_may_have_the_names_of_commands) {
  EXPECT_THAT(parsed_as<pin_request>({"pin", "show", "--out=check", "check", "pin"}).runs,
              ElementsAre("show", "check", "pin"));
}

TEST(gate_options, check_has_the_documented_defaults) {
  const auto request = parsed_as<check_request>({"check", "a", "b", "c"});
  EXPECT_EQ(request.baseline, "a");
  EXPECT_THAT(request.runs, ElementsAre("b", "c"));
  EXPECT_DOUBLE_EQ(request.question.limits.threshold, 0.02);
  EXPECT_DOUBLE_EQ(request.question.limits.latency_threshold, 0.05);
  EXPECT_DOUBLE_EQ(request.question.limits.false_alarm, 0.01);
  EXPECT_EQ(request.question.allow_missing, "");
  EXPECT_TRUE(request.markdown.empty() && request.junit.empty() && request.json.empty());
  EXPECT_FALSE(request.all);
  EXPECT_FALSE(request.dry_run);
}

TEST(gate_options, a_dry_run_has_no_runs) {
  EXPECT_TRUE(parsed_as<check_request>({"check", "a", "--dry-run"}).dry_run);
  EXPECT_THAT(complaint({"check", "a", "b", "--dry-run"}), HasSubstr("--dry-run"));
  EXPECT_THAT(complaint({"check", "a"}), HasSubstr("RUN"));
}

TEST(gate_options, a_direction_comes_from_the_user_or_the_name_or_the_files) {
  const auto metric_of = [](const std::string& key) {
    return parsed_as<show_request>({"show", "a", "--judge-by=" + key}).judged_by;
  };
  EXPECT_TRUE(metric_of("cores:more").user_chose_direction);
  EXPECT_TRUE(metric_of("cores:more").judged_by.more_is_better);
  EXPECT_FALSE(metric_of("cores:less").judged_by.more_is_better);
  EXPECT_FALSE(metric_of("cores").has_direction);
  EXPECT_TRUE(metric_of("gb_per_s").has_direction);
  EXPECT_FALSE(metric_of("gb_per_s").user_chose_direction);
}

TEST(gate_options, check) {
  const auto request = parsed_as<check_request>({"check", "--threshold=3.5%", "--latency-threshold",
                                                 "7 %", "--false-alarm=0.1%", "a", "b",
                                                 "--allow-missing=x|y", "--allow-different=k",
                                                 "--markdown=m", "--junit=u", "--json=j", "--all"});
  EXPECT_DOUBLE_EQ(request.question.limits.threshold, 0.035);
  EXPECT_DOUBLE_EQ(request.question.limits.latency_threshold, 0.07);
  EXPECT_DOUBLE_EQ(request.question.limits.false_alarm, 0.001);
  EXPECT_EQ(request.question.allow_missing, "x|y");
  EXPECT_THAT(request.question.allow_different, ElementsAre("k"));
  EXPECT_EQ(request.markdown, "m");
  EXPECT_EQ(request.junit, "u");
  EXPECT_EQ(request.json, "j");
  EXPECT_TRUE(request.all);
}

TEST(gate_options, the_classes_that_decide) {
  EXPECT_TRUE(parsed_as<check_request>({"check", "a", "b"}).question.decide_by.empty());
  const auto request = parsed_as<check_request>(
      {"check", "a", "--decide-by=link,host", "b", "--decide-by", "latency"});
  EXPECT_THAT(request.runs, ElementsAre("b"));
  EXPECT_THAT(request.question.decide_by,
              ElementsAre(benchmark_class::link, benchmark_class::host, benchmark_class::latency));
  EXPECT_NE(complaint({"check", "a", "b", "--decide-by=link,bandwidth"}), "");
}

TEST(gate_options, the_looks_that_share_the_rate_of_false_alarms) {
  EXPECT_EQ(parsed_as<check_request>({"check", "a", "b"}).question.limits.looks, 1U);
  EXPECT_EQ(parsed_as<check_request>({"check", "a", "b", "--looks=3"}).question.limits.looks, 3U);
  for (const auto* looks : {"--looks=0", "--looks=101", "--looks=-1", "--looks=two"})
    EXPECT_THAT(complaint({"check", "a", "b", looks}), HasSubstr("--looks")) << looks;
}

TEST(gate_options, what_a_baseline_replaces) {
  const auto plain = parsed_as<pin_request>({"pin", "a", "b", "c", "--out=d"});
  EXPECT_FALSE(plain.permissions.allow_disturbed);
  EXPECT_TRUE(plain.replaces.empty());
  EXPECT_FALSE(plain.new_line);
  const auto request = parsed_as<pin_request>(
      {"pin", "a", "b", "c", "--out=d", "--allow-disturbed", "--replaces=e", "--new-line"});
  EXPECT_TRUE(request.permissions.allow_disturbed);
  EXPECT_EQ(request.replaces, "e");
  EXPECT_TRUE(request.new_line);
}

TEST(gate_options, power_and_show) {
  const auto power = parsed_as<power_request>({"power", "a", "--runs=7", "--threshold=1%"});
  EXPECT_EQ(power.baseline, "a");
  EXPECT_EQ(power.new_runs, 7U);
  EXPECT_DOUBLE_EQ(power.limits.threshold, 0.01);
  const auto show = parsed_as<show_request>({"show", "a", "b", "--judge-by", "link_percent"});
  EXPECT_THAT(show.runs, ElementsAre("a", "b"));
  EXPECT_TRUE(show.judged_by.judged_by.more_is_better);
}

TEST(gate_options, a_percentage_has_its_sign) {
  EXPECT_DOUBLE_EQ(parse_percentage("--x", "2%", 0.01, 1000), 0.02);
  EXPECT_DOUBLE_EQ(parse_percentage("--x", "2 %", 0.01, 1000), 0.02);
  EXPECT_DOUBLE_EQ(parse_percentage("--x", "1e1%", 0.01, 1000), 0.1);
  EXPECT_DOUBLE_EQ(parse_percentage("--x", "1000%", 0.01, 1000), 10);
  for (const auto* text : {"", "%", "2", "0.02", " 2%", "2  %", "2%%", "2% ", "0%", "-1%", "1001%",
                           "nan%", "inf%", "two%", "2,5%", "+2%"})
    EXPECT_THROW(static_cast<void>(parse_percentage("--x", text, 0.01, 1000)), common::usage_error)
        << text;
}

}  // namespace
}  // namespace bench_transfers::gate::options_test
