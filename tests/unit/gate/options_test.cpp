#include "src/gate/cli/options.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "src/common/program.hpp"
#include "tests/basics.hpp"

namespace bench_transfers::gate::options_test {
namespace {

/// What a command with all shared options makes of a line.
class gate_options : public testing::Test {
 protected:
  gate_options() {
    app_.option_defaults()->take_last();
    add_runs(app_, runs_);
    add_metric(app_, judged_by_);
    add_allow_different(app_, allow_different_);
    add_limits(app_, question_.limits);
    add_decide_by(app_, question_);
  }

  void parse(std::vector<std::string> arguments) {
    std::ranges::reverse(arguments);  // as CLI11 wants them
    app_.parse(arguments);
  }

  metric_request metric_of(const std::string& key) {
    parse({"a", "--judge-by=" + key});
    return judged_by_;
  }

  CLI::App app_;
  paths runs_;
  metric_request judged_by_;
  std::set<std::string> allow_different_;
  question question_;
};

TEST_F(gate_options, have_the_documented_defaults) {
  parse({"a", "b"});
  EXPECT_THAT(runs_, ElementsAre("a", "b"));
  EXPECT_EQ(judged_by_.judged_by.key, "real_time");
  EXPECT_FALSE(judged_by_.judged_by.more_is_better);
  EXPECT_DOUBLE_EQ(question_.limits.threshold, 0.02);
  EXPECT_DOUBLE_EQ(question_.limits.latency_threshold, 0.05);
  EXPECT_DOUBLE_EQ(question_.limits.false_alarm, 0.01);
  EXPECT_EQ(question_.limits.looks, 1U);
  EXPECT_EQ(question_.look_runs, 3U);
  EXPECT_TRUE(question_.decide_by.empty());
}

TEST_F(gate_options, stand_between_files) {
  parse({"--judge-by=gb_per_s", "a", "--allow-different=x,y", "b", "--allow-different", "z",
         "--decide-by=link,host", "c", "--decide-by", "latency"});
  EXPECT_THAT(runs_, ElementsAre("a", "b", "c"));
  EXPECT_TRUE(judged_by_.judged_by.more_is_better);
  EXPECT_THAT(allow_different_, ElementsAre("x", "y", "z"));
  EXPECT_THAT(question_.decide_by,
              ElementsAre(benchmark_class::link, benchmark_class::host, benchmark_class::latency));
}

TEST_F(gate_options, limit_what_matters) {
  parse({"--threshold=3.5%", "--latency-threshold", "7 %", "--false-alarm=0.1%"});
  EXPECT_DOUBLE_EQ(question_.limits.threshold, 0.035);
  EXPECT_DOUBLE_EQ(question_.limits.latency_threshold, 0.07);
  EXPECT_DOUBLE_EQ(question_.limits.false_alarm, 0.001);
}

TEST_F(gate_options, tell_the_direction_or_leave_it_to_the_files) {
  EXPECT_TRUE(metric_of("cores:more").user_chose_direction);
  EXPECT_TRUE(metric_of("cores:more").judged_by.more_is_better);
  EXPECT_FALSE(metric_of("cores:less").judged_by.more_is_better);
  EXPECT_FALSE(metric_of("cores").has_direction);
  EXPECT_TRUE(metric_of("gb_per_s").has_direction);
  EXPECT_FALSE(metric_of("gb_per_s").user_chose_direction);
}

TEST_F(gate_options, choose_the_figure_of_a_run_whatever_it_is_judged_by) {
  parse({"a", "--of-repetitions=fastest", "--judge-by=gb_per_s"});
  EXPECT_TRUE(judged_by_.judged_by.fastest_repetition);
  EXPECT_EQ(judged_by_.judged_by.key, "gb_per_s");
  EXPECT_THROW(parse({"a", "--of-repetitions=best"}), common::usage_error);
}

TEST(percentages, have_their_sign) {
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
