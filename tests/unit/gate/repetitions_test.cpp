// Repetitions that are not there, and means.
#include <gmock/gmock.h>

#include "src/gate/report/show.hpp"
#include "tests/unit/gate/attempts.hpp"

namespace bench_transfers::gate::repetitions_test {
namespace {

using namespace attempts;

/// Operations of which some take much longer: the mean shows it, not the median.
void add_means(json& file, double factor) {
  for (auto& row : file["benchmarks"]) row["mean_ns"] = factor * row["real_time"].get<double>();
}

/// Which rows of the baseline and of the new runs lack it.
TEST(means, are_compared_where_all_runs_have_them) {
  using change = std::function<void(files&)>;
  const auto nothing = [](files&) {};
  const auto for_rows = [](std::size_t runs, std::size_t rows, auto alter) {
    return [=](files& all) {
      for (std::size_t i = 0; i < std::min(runs, all.size()); ++i)
        for (std::size_t r = 0; r < std::min(rows, all[i]["benchmarks"].size()); ++r)
          alter(all[i]["benchmarks"][r]);
    };
  };
  const auto lose = [](json& row) { row.erase("mean_ns"); };
  const auto empty = [](json& row) { row["mean_ns"] = nullptr; };
  struct situation {
    std::string name;
    change before, after;
    std::size_t compared;
  };
  constexpr std::size_t all = 1000;
  const std::vector<situation> situations{
      {"all have them", nothing, nothing, benchmarks},
      {"none has", for_rows(all, all, lose), for_rows(all, all, lose), 0},
      {"new runs do not", nothing, for_rows(all, all, lose), 0},
      {"new runs have null", nothing, for_rows(all, all, empty), 0},
      {"one new run does not", nothing, for_rows(1, all, lose), 0},
      {"one repetition does not", nothing, for_rows(1, 1, lose), benchmarks - 1},
      {"the baseline does not", for_rows(all, all, lose), nothing, 0},
      {"the baseline has null", for_rows(all, all, empty), nothing, 0},
      {"one run of the baseline does not", for_rows(1, all, lose), nothing, 0},
      {"one benchmark of the baseline does not", for_rows(all, repetitions, lose), nothing,
       benchmarks - 1}};
  for (const auto& [name, before, after, compared] : situations)
    for (const double factor : {1.0, 1.1}) {
      auto old = two_sessions(ours), recent = three_new(ours);
      for (auto& file : old) add_means(file, 1.1);
      for (auto& file : recent) add_means(file, 1.1 * factor);
      before(old);
      after(recent);
      const auto answer = answer_to(pinned(old), recent);
      const auto& part = answer.classes.front();
      EXPECT_EQ(part.compared_by_mean, compared) << name;
      EXPECT_EQ(part.tested, factor > 1 && compared > 0 ? part.tested : benchmarks) << name;
      EXPECT_EQ(part.tested_by_mean, factor > 1 ? 0 : compared) << name;
      EXPECT_EQ(answer.code == exit_code::pass, factor == 1 || compared == 0) << name << factor;
    }
}

void disturb(json& file, int count, const char* how, int least_benchmark = 0) {
  int index = 0;
  for (auto& row : file["benchmarks"]) {
    const int benchmark = index++ / repetitions;
    if (benchmark >= least_benchmark && row["repetition_index"].get<int>() < count)
      row["disturbed"] = {how};
  }
}

void take_away(json& file, int count) {
  json kept = json::array();
  for (const auto& row : file["benchmarks"])
    if (row["repetition_index"].get<int>() >= count) kept.push_back(row);
  file["benchmarks"] = kept;
}

TEST(repetitions, are_too_few_if_less_than_half_are_left) {
  std::vector<attempt> attempts{
      {"5 of 9 with another load, the others stopped", in_files([](json& file) {
         disturb(file, 9, "stopped");
         disturb(file, 5, "other_load");
       })},
      {"5 of 9 are not there", in_files([](json& file) { take_away(file, 5); })},
      {"3 of 9 are not there and 2 disturbed", in_files([](json& file) {
         disturb(file, 5, "other_load");
         take_away(file, 3);
       })},
      {"in one run of three", [](files& all) { disturb(all[1], 8, "other_load"); }},
  };
  for (const auto* how :
       {"other_load", "fewer_cpus", "slow_round", "stopped", "clock_jumped", "clock_stood_still"})
    for (const int count : {5, 8, 9})
      attempts.push_back(
          {std::to_string(count) + how, in_files([=](json& file) { disturb(file, count, how); })});
  const auto before = pinned(two_sessions(ours));
  for (const auto& [name, change, expected] : attempts) {
    auto after = three_new(ours);
    change(after);
    const auto answer = answer_to(before, after);
    EXPECT_EQ(answer.code, exit_code::inconclusive) << name;
    ASSERT_EQ(answer.reasons.size(), 1U) << name;
    const auto& cause = std::get<reasons::repetitions_left_out>(answer.reasons.front());
    EXPECT_EQ(cause.count, std::size_t{benchmarks}) << name;
    for (const auto& benchmark : answer.findings) {
      EXPECT_EQ(benchmark.result, verdict::not_known) << name;
      EXPECT_TRUE(std::holds_alternative<remarks::few_repetitions>(*benchmark.note)) << name;
    }
  }
}

TEST(repetitions, are_enough_if_half_are_left) {
  const std::vector<attempt> attempts{
      {"4 of 9 disturbed", in_files([](json& file) { disturb(file, 4, "other_load"); })},
      {"4 of 9 are not there", in_files([](json& file) { take_away(file, 4); })},
  };
  expect_pass(pinned(two_sessions(ours)), ours, attempts);
}

TEST(repetitions, that_were_disturbed_have_not_failed) {
  for (const auto* how : {"other_load", "stopped"})
    for (const int count : {5, 9}) {
      auto file = ours(0, first_day);
      disturb(file, count, how);
      const auto shown = side_by_side(read_all({file}), {}, 80);
      EXPECT_THAT(shown, HasSubstr("disturbed")) << how << count;
      EXPECT_THAT(shown, testing::Not(HasSubstr("failed"))) << how << count;
    }
}

TEST(repetitions, of_single_benchmarks_leave_the_others_to_be_judged) {
  auto after = three_new(ours);
  for (auto& file : after) disturb(file, 8, "other_load", benchmarks - 1);
  const auto answer = answer_to(pinned(two_sessions(ours)), after);
  EXPECT_EQ(answer.code, exit_code::pass);
  EXPECT_EQ(answer.count(verdict::not_known), 1U);
  EXPECT_EQ(answer.classes.front().tested, std::size_t{benchmarks - 1});
}

TEST(repetitions, that_are_too_few_are_not_used_in_a_baseline) {
  auto all = two_sessions(ours);
  disturb(all[2], 8, "other_load", benchmarks - 2);
  const auto result = pin(read_all(all), {});
  ASSERT_FALSE(result.warnings.empty());
  const auto& warning = std::get<pin_warnings::few_repetitions>(result.warnings.front());
  EXPECT_EQ(warning.benchmarks, 2U);
  EXPECT_FALSE(result.baseline.benchmarks.at("copy/pinned/h2d/12MiB").figures[2]);
  EXPECT_FALSE(result.baseline.benchmarks.at("copy/pinned/h2d/12MiB").means[2]);
}

TEST(repetitions, have_the_fastest_operation_of_those_that_count) {
  auto file = ours(0, first_day);
  double fastest = 2000;
  for (auto& row : file["benchmarks"]) row["min_ns"] = --fastest;
  const auto& rows = file["benchmarks"];
  const auto name = rows[0]["run_name"].get<std::string>();
  const auto found = [&] { return read_all({file}).front().benchmarks.at(name).fastest; };
  EXPECT_EQ(found(), 2000 - repetitions);
  file["benchmarks"][repetitions - 1]["disturbed"] = {"other_load"};
  EXPECT_EQ(found(), 2000 - repetitions + 1);
  file["benchmarks"][0]["min_ns"] = nullptr;
  EXPECT_EQ(found(), std::nullopt);
}

TEST(repetitions, of_other_programs_have_counters_of_any_meaning) {
  auto file = of_another_program(0, first_day);
  for (auto& row : file["benchmarks"]) row["min_ns"] = row["mean_ns"] = 7;
  const auto runs = read_all({file});
  for (const auto& [name, values] : runs.front().benchmarks) {
    EXPECT_EQ(values.fastest, std::nullopt) << name;
    EXPECT_TRUE(values.means.empty()) << name;
  }
}

}  // namespace
}  // namespace bench_transfers::gate::repetitions_test
