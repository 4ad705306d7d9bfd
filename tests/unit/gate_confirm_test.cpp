#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "gate/confirm.hpp"

namespace gate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

report with_suspects() {
  report answer;
  answer.processes_after = 3;
  answer.code = exit_code::regression;
  for (const auto& [name, found] : {std::pair{"slow", verdict::slower},
                                    {"steady", verdict::slower},
                                    {"unsure", verdict::ambiguous},
                                    {"fine", verdict::same}}) {
    line one;
    one.name = name;
    one.found = found;
    one.threshold = 0.02;
    one.judgement = judged{};
    answer.lines.push_back(one);
  }
  return answer;
}

verdict verdict_on(const report& answer, const std::string& name) {
  for (const auto& one : answer.lines)
    if (one.name == name) return one.found;
  throw std::invalid_argument(name);
}

/// Two programs whose benchmarks take these times, and a bit more with every process.
class duels : public testing::Test {
 protected:
  measure_once measure() {
    return [this](const std::string& command, const std::vector<std::string>& benchmarks) {
      commands_.push_back(command);
      asked_ = benchmarks;
      run result;
      for (const auto& name : benchmarks)
        if (const auto time = times_[command].find(name); time != times_[command].end())
          result.benchmarks[name] = {
              {time->second * (1 + 0.0001 * static_cast<double>(commands_.size()))}, 0, {}};
      return result;
    };
  }

  report confirmed() {
    auto answer = with_suspects();
    confirm(answer, {"a", "b"}, measure(), [](std::size_t, std::size_t) {});
    return answer;
  }

  std::map<std::string, std::map<std::string, double>> times_{
      {"a", {{"slow", 100}, {"steady", 100}, {"unsure", 100}}},
      {"b", {{"slow", 105}, {"steady", 100.5}, {"unsure", 110}}}};
  std::vector<std::string> commands_;
  std::vector<std::string> asked_;
};

TEST_F(duels, measure_suspects_alone_in_turn) {
  confirmed();
  EXPECT_THAT(asked_, UnorderedElementsAre("slow", "steady", "unsure"));
  ASSERT_EQ(commands_.size(), 16);
  EXPECT_THAT(std::vector(commands_.begin(), commands_.begin() + 4),
              ElementsAre("a", "b", "b", "a"));
}

TEST_F(duels, decide_on_suspects) {
  const auto answer = confirmed();
  EXPECT_EQ(verdict_on(answer, "slow"), verdict::slower);
  EXPECT_EQ(verdict_on(answer, "steady"), verdict::same);
  EXPECT_EQ(verdict_on(answer, "unsure"), verdict::slower);
  EXPECT_EQ(verdict_on(answer, "fine"), verdict::same);
  EXPECT_EQ(answer.code, exit_code::regression);
}

TEST_F(duels, let_pass_what_they_do_not_confirm) {
  times_["b"] = times_["a"];
  const auto answer = confirmed();
  EXPECT_EQ(answer.count(verdict::same), 4);
  EXPECT_EQ(answer.code, exit_code::pass);
  EXPECT_THAT(answer.notes.back(), HasSubstr("3 suspects were measured again"));
}

TEST_F(duels, leave_open_what_is_large_but_not_certain) {
  int calls = 0;
  auto answer = with_suspects();
  confirm(
      answer, {"a", "b"},
      [&](const std::string&, const std::vector<std::string>& benchmarks) {
        run result;
        ++calls;
        // The first quarter of all, whichever program, is far slower.
        for (const auto& name : benchmarks)
          result.benchmarks[name] = {{100.0 + (calls % 3 == 2 ? 30 : 0) + calls}, 0, {}};
        return result;
      },
      [](std::size_t, std::size_t) {});
  EXPECT_EQ(answer.count(verdict::slower), 0);
}

TEST_F(duels, keep_the_verdict_on_what_one_program_does_not_measure) {
  times_["a"].erase("slow");
  const auto answer = confirmed();
  EXPECT_EQ(verdict_on(answer, "slow"), verdict::slower);
  EXPECT_EQ(verdict_on(answer, "steady"), verdict::same);
}

TEST_F(duels, do_not_begin_without_suspects) {
  report answer;
  confirm(answer, {"a", "b"}, measure(), [](std::size_t, std::size_t) {});
  EXPECT_TRUE(commands_.empty());
}

TEST(commands_to_confirm_with, are_parted_by_the_only_comma) {
  const auto both = parse_programs("old/bench --x,new/bench");
  EXPECT_EQ(both.before, "old/bench --x");
  EXPECT_EQ(both.after, "new/bench");
  EXPECT_EQ(parse_programs("a '--strategies=x,y',b").after, "b");
}

TEST(commands_to_confirm_with, are_two) {
  for (const auto* wrong : {"", "a", "a,", ",b", "a,b,c"})
    EXPECT_THROW(parse_programs(wrong), bad_input) << wrong;
}

TEST(a_shell, measures_with_a_filter_that_fits_nothing_else) {
  const auto measure = measure_with_shell({});
  // A program that writes what it was asked for as the name of its only benchmark.
  const std::string script =
      R"(f() { for a; do case $a in *filter=*) n=${a#*=};; *out=*) o=${a#*=};; esac; done; )"
      R"(n=$(printf %s "$n" | sed 's/\\/\\\\/g'); )"
      R"(printf '{"context":{},"benchmarks":[{"name":"%s","run_type":"iteration","repetition_index":0,)"
      R"("real_time":5,"time_unit":"ns"}]}' "$n" > "$o"; }; f)";
  const auto result = measure(script, {"copy/a.b", "x"});
  ASSERT_EQ(result.benchmarks.size(), 1);
  EXPECT_THAT(result.benchmarks.begin()->first, HasSubstr("copy/a"));
  EXPECT_THAT(result.benchmarks.begin()->first, HasSubstr("|x)$"));
}

TEST(a_shell, tells_when_a_program_fails) {
  EXPECT_THROW(measure_with_shell({})("false; exit 3;", {"x"}), bad_input);
  EXPECT_THROW(measure_with_shell({})("true", {"x"}), bad_input);  // leaves no file
}

}  // namespace
}  // namespace gate
