#include "src/gate/judge/confirm.hpp"

#include <pthread.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <thread>

#include "src/gate/cli/programs.hpp"
#include "src/gate/cli/shell.hpp"
#include "src/gate/model/bad_input.hpp"
#include "tests/basics.hpp"
#include "tests/unit/common/temporary_folder.hpp"

namespace bench_transfers::gate::confirm_test {
namespace {

report with_suspects() {
  report answer;
  answer.processes_after = 3;
  answer.code = exit_code::regression;
  for (const auto& [name, result] : {std::pair{"slow", verdict::slower},
                                     {"steady", verdict::slower},
                                     {"unsure", verdict::ambiguous},
                                     {"fine", verdict::unchanged}}) {
    finding benchmark;
    benchmark.name = name;
    benchmark.result = result;
    benchmark.threshold = 0.02;
    benchmark.before = 100;
    benchmark.judgement = benchmark_judgement{};
    answer.findings.push_back(benchmark);
  }
  answer.classes.emplace_back();
  return answer;
}

verdict verdict_of(const report& answer, const std::string& name) {
  for (const auto& benchmark : answer.findings)
    if (benchmark.name == name) return benchmark.result;
  throw std::invalid_argument(name);
}

/// Two programs whose benchmarks take these times, and a bit more with every process.
class duels : public testing::Test {
 protected:
  measure_once measure() {
    return [this](const std::string& command, const std::vector<std::string>& benchmarks) {
      commands_.push_back(command);
      requested_ = benchmarks;
      run result;
      result.content = commands_.size();
      result.on_host = on_host_;
      result.card = "card";
      result.machine = machine_[command];
      result.faults = faults_[command];
      const double noise = scatter_ * static_cast<double>(commands_.size() * 7 % 5) / 4;
      for (const auto& name : benchmarks)
        if (const auto time = times_[command].find(name); time != times_[command].end())
          result.benchmarks[name] = {
              {time->second * (1 + noise + 0.0001 * static_cast<double>(commands_.size()))}, 0, {}};
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
  std::map<std::string, fingerprint> machine_;
  std::map<std::string, std::vector<std::string>> faults_;
  bool on_host_ = false;
  double scatter_ = 0;
  std::vector<std::string> commands_;
  std::vector<std::string> requested_;
};

TEST_F(duels, measure_suspects_alone_in_turn) {
  confirmed();
  EXPECT_THAT(requested_, UnorderedElementsAre("slow", "steady", "unsure"));
  ASSERT_EQ(commands_.size(), 16);
  EXPECT_THAT(std::vector(commands_.begin(), commands_.begin() + 4),
              ElementsAre("a", "b", "b", "a"));
}

TEST_F(duels, decide_on_suspects) {
  const auto answer = confirmed();
  EXPECT_EQ(verdict_of(answer, "slow"), verdict::slower);
  EXPECT_EQ(verdict_of(answer, "steady"), verdict::unchanged);
  EXPECT_EQ(verdict_of(answer, "unsure"), verdict::slower);
  EXPECT_EQ(verdict_of(answer, "fine"), verdict::unchanged);
  EXPECT_EQ(answer.code, exit_code::regression);
}

TEST_F(duels, are_of_medians_where_the_fastest_operation_made_suspects) {
  auto answer = with_suspects();
  for (auto& benchmark : answer.findings) benchmark.decided_by = figure::fastest;
  confirm(answer, {"a", "b"}, measure(), [](std::size_t, std::size_t) {});
  EXPECT_EQ(verdict_of(answer, "slow"), verdict::slower);
  EXPECT_EQ(verdict_of(answer, "steady"), verdict::unchanged);
  EXPECT_EQ(answer.findings.front().decided_by, figure::own);
}

TEST_F(duels, are_named_where_they_acquit) {
  times_["b"] = times_["a"];
  EXPECT_EQ(confirmed().classes.front().in_turn, 3);
}

TEST_F(duels, acquit_suspects_that_they_do_not_confirm) {
  times_["b"] = times_["a"];
  const auto answer = confirmed();
  EXPECT_EQ(answer.count(verdict::unchanged), 4);
  EXPECT_EQ(answer.code, exit_code::pass);
  const auto& again = std::get<notes::measured_again>(answer.notes.back());
  EXPECT_EQ(again.suspects, 3);
  EXPECT_EQ(again.runs, 8);
}

TEST_F(duels, leave_scattered_suspects_ambiguous) {
  // Some processes of both are far slower.
  scatter_ = 0.3;
  times_["b"] = {{"slow", 101}, {"steady", 102}, {"unsure", 103}};
  const auto answer = confirmed();
  EXPECT_EQ(answer.count(verdict::slower), 0);
  EXPECT_EQ(answer.count(verdict::ambiguous), 3);
}

TEST_F(duels, do_not_clear_a_slowdown_by_chance) {
  // 4 % slower in truth, 3 % of noise: whatever is said, it is not "the same".
  times_["b"] = {{"slow", 104}, {"steady", 104}, {"unsure", 104}};
  scatter_ = 0.05;
  EXPECT_EQ(confirmed().count(verdict::unchanged), 1);  // the one that was no suspect
}

TEST_F(duels, are_about_the_device_of_the_check) {
  on_host_ = true;
  EXPECT_THROW(confirmed(), bad_input);
}

TEST_F(duels, are_about_the_gpu_of_the_check) {
  const auto confirm_of = [&](const std::string& card) {
    auto answer = with_suspects();
    answer.cards = {card};
    confirm(answer, {"a", "b"}, measure(), [](std::size_t, std::size_t) {});
  };
  EXPECT_NO_THROW(confirm_of("card"));
  EXPECT_THROW(confirm_of("another"), bad_input);
}

TEST_F(duels, are_about_the_host_device_if_the_check_is) {
  auto answer = with_suspects();
  answer.on_host = true;
  const auto confirm_it = [&] {
    confirm(answer, {"a", "b"}, measure(), [](std::size_t, std::size_t) {});
  };
  EXPECT_THAT(confirm_it, testing::ThrowsMessage<bad_input>(HasSubstr("host device")));
  on_host_ = true;
  EXPECT_NO_THROW(confirm_it());
  EXPECT_EQ(verdict_of(answer, "slow"), verdict::slower);
  answer = with_suspects();
  answer.device = "another";
  on_host_ = false;
  EXPECT_THAT(confirm_it, testing::ThrowsMessage<bad_input>(HasSubstr("another")));
}

TEST_F(duels, are_between_programs_that_measure_alike) {
  machine_["b"] = {{"settings.rounds", "99"}};
  machine_["a"] = {{"settings.rounds", "9"}};
  EXPECT_THAT([&] { confirmed(); },
              testing::ThrowsMessage<bad_input>(HasSubstr("settings.rounds")));
}

TEST_F(duels, take_more_processes_for_many_suspects) {
  report answer;
  answer.processes_after = 3;
  for (int i = 0; i < 400; ++i) {
    finding benchmark;
    benchmark.name = std::to_string(i);
    benchmark.result = verdict::slower;
    benchmark.threshold = 0.02;
    benchmark.judgement = benchmark_judgement{};
    answer.findings.push_back(benchmark);
    times_["a"][benchmark.name] = 100;
    times_["b"][benchmark.name] = 110;
  }
  confirm(answer, {"a", "b"}, measure(), [](std::size_t, std::size_t) {});
  EXPECT_GT(commands_.size(), 16);
  EXPECT_EQ(answer.count(verdict::slower), 400);
}

TEST_F(duels, keep_the_verdict_if_one_program_does_not_measure_a_suspect) {
  times_["a"].erase("slow");
  const auto answer = confirmed();
  EXPECT_EQ(verdict_of(answer, "slow"), verdict::slower);
  EXPECT_EQ(verdict_of(answer, "steady"), verdict::unchanged);
}

TEST_F(duels, acquit_nobody_by_a_reference_that_is_slower_than_the_baseline) {
  std::swap(times_["a"], times_["b"]);
  times_["a"]["steady"] = times_["b"]["steady"] = 101.9;
  const auto answer = confirmed();
  EXPECT_EQ(verdict_of(answer, "slow"), verdict::ambiguous);
  EXPECT_EQ(verdict_of(answer, "unsure"), verdict::ambiguous);
  EXPECT_EQ(verdict_of(answer, "steady"), verdict::unchanged);
  EXPECT_EQ(answer.code, exit_code::inconclusive);
  const auto& last = answer.findings.front().note;
  ASSERT_TRUE(last.has_value());
  EXPECT_GT(std::get<remarks::reference_slower>(*last).slowdown, 0.04);
}

TEST_F(duels, refuse_a_reference_with_faults) {
  faults_["a"] = {"slow:1.1@copy"};
  EXPECT_THAT([&] { confirmed(); }, testing::ThrowsMessage<bad_input>(HasSubstr("slow:1.1@copy")));
  faults_ = {{"b", {"slow:1.1@copy"}}};
  EXPECT_NO_THROW(confirmed());
}

TEST_F(duels, do_not_begin_without_suspects) {
  report answer;
  confirm(answer, {"a", "b"}, measure(), [](std::size_t, std::size_t) {});
  EXPECT_TRUE(commands_.empty());
}

TEST(commands_to_confirm_with, are_separated_by_the_only_comma) {
  const auto programs = parse_programs("old/bench --x,new/bench");
  EXPECT_EQ(programs.before, "old/bench --x");
  EXPECT_EQ(programs.after, "new/bench");
  EXPECT_EQ(parse_programs("a '--strategies=x,y',b").after, "b");
}

TEST(commands_to_confirm_with, are_two) {
  for (const auto* text : {"", "a", "a,", ",b", "a,b,c"})
    EXPECT_THROW(parse_programs(text), bad_input) << text;
}

/// A program that writes its arguments as the name of its only benchmark.
constexpr const char* script =
    R"(f() { for a; do case $a in *filter=*) n=${a#*=};; *out=*) o=${a#*=};; esac; done; )"
    R"(n=$(printf %s "$n" | sed 's/\\/\\\\/g'); )"
    R"(printf '{"context":{},"benchmarks":[{"name":"%s","run_type":"iteration","repetition_index":0,)"
    R"("real_time":5,"time_unit":"ns"}]}' "$n" > "$o"; }; f)";

TEST(a_shell, measures_with_a_filter_that_matches_nothing_else) {
  const auto result = measure_with_shell({})(script, {"copy/a.b", "x"});
  ASSERT_EQ(result.benchmarks.size(), 1);
  EXPECT_THAT(result.benchmarks.begin()->first, HasSubstr("copy/a"));
  EXPECT_THAT(result.benchmarks.begin()->first, HasSubstr("|x)$"));
}

TEST(a_shell, reports_why_a_program_failed) {
  using testing::AllOf;
  using testing::ThrowsMessage;
  const auto measure = measure_with_shell({});
  EXPECT_THAT([&] { measure("echo no device >&2; exit 3;", {"x"}); },
              ThrowsMessage<bad_input>(AllOf(HasSubstr("ended with 3"), HasSubstr("no device"))));
  EXPECT_THROW(measure("true", {"x"}), bad_input);
  EXPECT_THAT([&] { measure("/no/such/program", {"x"}); },
              ThrowsMessage<bad_input>(HasSubstr("ended with 127")));
}

TEST(a_shell, passes_signals_on_and_ends_with_them) {
  const common::temporary_folder own;
  const auto& folder = own.path();
  const auto begun = folder / "begun";
  const auto ended = folder / "ended";
  std::thread sender([&, self = pthread_self()] {
    while (!std::filesystem::exists(begun))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    pthread_kill(self, SIGTERM);
  });
  EXPECT_THROW(
      run_in_shell("cd " + folder.string() + "; touch begun; sleep 86400; touch ended; true", {},
                   folder / "messages"),
      interrupted);
  sender.join();
  EXPECT_FALSE(std::filesystem::exists(ended));
}

}  // namespace
}  // namespace bench_transfers::gate::confirm_test
