// Figures of two procedures are never compared: one test for each place that could.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "src/gate/io/read_baseline.hpp"
#include "src/gate/io/write_baseline.hpp"
#include "src/gate/judge/check.hpp"
#include "src/gate/judge/confirm.hpp"
#include "src/gate/judge/history.hpp"
#include "src/gate/judge/lineage.hpp"
#include "src/gate/model/bad_input.hpp"
#include "src/gate/model/pin.hpp"
#include "src/gate/report/wording.hpp"
#include "tests/basics.hpp"
#include "tests/unit/common/complaint.hpp"
#include "tests/unit/gate/made_up_result_files.hpp"
#include "tests/unit/gate/made_up_runs.hpp"

namespace bench_transfers::gate::procedure_test {
namespace {

constexpr int benchmarks = 12;  // enough for a class

std::string name_of(int benchmark) { return "copy/" + std::to_string(benchmark); }

/// A run of the class of links. The last `changed` benchmarks are of procedure 2, and take `factor`
/// times as long.
run made(int number, int changed = 0, double factor = 1) {
  auto process = made_up(number);
  process.benchmarks.clear();
  for (int b = 0; b < benchmarks; ++b) {
    const bool is_changed = b >= benchmarks - changed;
    // No two processes have the same digits.
    const double noise = 4e-4 * std::sin(1.0 + 7.1 * number * number + 3.1 * b) + 2e-6 * number;
    const double time = 1e6 * (1 + noise) * (is_changed ? factor : 1);
    benchmark_values values{{time, time * 1.0001, time * 1.0002}, 0, 4096, benchmark_class::link};
    if (is_changed) values.work.procedure = 2;
    process.benchmarks[name_of(b)] = values;
  }
  return process;
}

std::vector<run> several(int first, int count, int changed = 0, double factor = 1) {
  std::vector<run> runs;
  for (int i = 0; i < count; ++i) runs.push_back(made(first + i, changed, factor));
  return runs;
}

/// Through the text of a file.
baseline pinned(const std::vector<run>& runs) {
  return baseline_in(to_text(pin(runs, {}).baseline), "baseline.json");
}

const finding& finding_of(const report& answer, const std::string& name) {
  return *std::ranges::find(answer.findings, name, &finding::name);
}

TEST(procedures, are_kept_by_baselines_and_are_the_same_in_each) {
  const auto before = pinned(several(0, 10, 1));
  EXPECT_EQ(before.benchmarks.at(name_of(benchmarks - 1)).work.procedure, 2U);
  EXPECT_EQ(before.benchmarks.at(name_of(0)).work.procedure, 1U);
  auto runs = several(0, 4);
  runs.push_back(made(4, 1));
  EXPECT_THAT(common::complaint_of<bad_input>([&] { return pin(runs, {}); }),
              HasSubstr("pin runs of one version of the program"));
}

TEST(procedures, that_are_the_same_are_compared_whatever_their_number) {
  const auto before = pinned(several(0, 10, benchmarks));
  EXPECT_EQ(check(before, several(20, 3, benchmarks), {}).code, exit_code::pass);
  EXPECT_EQ(check(before, several(20, 3, benchmarks, 1.5), {}).code, exit_code::environment);
}

TEST(procedures, that_differ_never_pass_nor_fail_a_check) {
  const auto before = pinned(several(0, 10));
  for (const int changed : {1, benchmarks / 2, benchmarks})
    for (const double factor : {0.5, 1.0, 2.0})
      for (const bool is_new_first : {false, true}) {
        const auto old_ones = is_new_first ? pinned(several(0, 10, changed)) : before;
        const auto after = several(20, 3, is_new_first ? 0 : changed, factor);
        const auto answer = check(old_ones, after, {});
        EXPECT_EQ(answer.code, exit_code::inconclusive) << changed << " by " << factor;
        EXPECT_THAT(verdict_sentence(answer),
                    HasSubstr("pin it anew, or measure both with one version of the program"));
        EXPECT_EQ(message_in<reasons::procedures_differ>(answer.reasons).count,
                  static_cast<std::size_t>(changed));
        const auto& one = finding_of(answer, name_of(benchmarks - 1));
        EXPECT_FALSE(one.judgement);
        EXPECT_TRUE(std::holds_alternative<remarks::other_procedure>(one.note.value()));
      }
}

TEST(procedures, that_differ_in_one_run_alone_are_not_compared) {
  auto after = several(20, 2);
  after.push_back(made(22, 1));
  const auto answer = check(pinned(several(0, 10)), after, {});
  EXPECT_TRUE(has_message<reasons::procedures_differ>(answer.reasons));
}

TEST(procedures, that_differ_are_no_part_of_a_history) {
  const auto before = pinned(several(0, 10));
  std::vector<run> later;
  for (int session = 1; session < 6; ++session)
    for (auto process : several(100 * session, 3, session == 5 ? benchmarks : 0, 2)) {
      *process.started += 24h * session;
      later.push_back(std::move(process));
    }
  const auto answer = history_of(before, later, {});
  EXPECT_EQ(answer.code(), exit_code::inconclusive);
  EXPECT_EQ(answer.sessions.back().of_other_procedures, std::size_t{benchmarks});
  for (const auto& one : answer.benchmarks) EXPECT_FALSE(one.shifts.back()) << one.name;
}

TEST(procedures, that_differ_begin_a_line_of_baselines_anew) {
  const auto first = pinned(several(0, 4));
  auto second = pinned(several(10, 4, 1, 2));
  EXPECT_EQ(slower_than(first, second, {}).count, 0U);
  continue_line(first, second);
  EXPECT_TRUE(second.benchmarks.at(name_of(0)).reference);
  EXPECT_FALSE(second.benchmarks.at(name_of(benchmarks - 1)).reference);
}

TEST(procedures, of_two_programs_clear_no_suspect) {
  auto answer = check(pinned(several(0, 10)), several(20, 3), {});
  auto& suspect = answer.findings.front();
  suspect.result = verdict::slower;
  const auto name = suspect.name;
  int number = 200;
  const auto measure = [&](const std::string& command, const std::vector<std::string>&) {
    return made(++number, command == "new" ? benchmarks : 0);
  };
  confirm(answer, {"old", "new"}, measure, [](std::size_t, std::size_t) {});
  EXPECT_EQ(finding_of(answer, name).result, verdict::slower);
  EXPECT_TRUE(
      std::holds_alternative<remarks::other_procedure>(finding_of(answer, name).note.value()));
}

TEST(procedures, are_read_from_rows_of_bench_transfers_alone) {
  auto file = bench_transfers_file(bench_transfers_facts());
  EXPECT_EQ(read(file).benchmarks.begin()->second.work.procedure, 1U);
  file["benchmarks"][0]["procedure"] = 2;
  EXPECT_EQ(read(file).benchmarks.begin()->second.work.procedure, 2U);
  EXPECT_EQ(
      read(foreign({with(row("a", 0, 1200), "procedure", 2)})).benchmarks.at("a").work.procedure,
      1U);
}

TEST(procedures, of_a_file_that_contradicts_itself_are_refused) {
  auto file = bench_transfers_file(bench_transfers_facts());
  file["benchmarks"].push_back(with(row("copy/pinned/h2d/4B", 1, 1201), "procedure", 2));
  EXPECT_THAT(complaint(file), HasSubstr("measured by procedures 1 and 2"));
  for (const json& bad : {json(0), json(1.5), json(-1), json(1e9)}) {
    file = bench_transfers_file(bench_transfers_facts());
    file["benchmarks"][0]["procedure"] = bad;
    EXPECT_THAT(complaint(file), HasSubstr("its procedure is no whole number from 1 on"));
  }
}

}  // namespace
}  // namespace bench_transfers::gate::procedure_test
