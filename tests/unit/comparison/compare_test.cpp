#include "src/comparison/compare.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "src/comparison/runs.hpp"
#include "src/comparison/words.hpp"
#include "src/gate/model/bad_input.hpp"
#include "tests/basics.hpp"
#include "tests/unit/common/complaint.hpp"

namespace bench_transfers::comparison {
namespace {

constexpr double usual_ns = 1e6;
const std::vector<std::string> sizes{"1MiB", "2MiB", "4MiB", "8MiB"};

std::string name_of(const std::string& memory, const std::string& size) {
  return "copy/" + memory + "/h2d/" + size;
}

/// Of copies of several sizes. Runs, and repetitions within a run, differ by 0.1 %.
gate::run made_up_run(int number, double pinned_factor = 1) {
  gate::run run;
  run.file = "run-" + std::to_string(number) + ".json";
  run.ours = true;
  run.device = "Some GPU";
  run.machine = {{"device.name", "Some GPU"}};
  run.started = std::chrono::sys_seconds(std::chrono::days(20'000) + std::chrono::minutes(number));
  run.boot = "boot";
  run.content = static_cast<std::uint64_t>(number) + 1;
  for (const std::string memory : {"pinned", "pageable", "registered"})
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const auto wobble = 0.001 * ((number + static_cast<int>(i)) % 3 - 1) + 1e-5 * number;
      const auto ns = usual_ns * (1 + wobble) * (memory == "pinned" ? pinned_factor : 1);
      gate::benchmark_values values{{ns * 0.999, ns, ns * 1.001}, 0, 4096};
      values.limited_by = gate::benchmark_class::link;
      run.benchmarks[name_of(memory, sizes[i])] = values;
    }
  return run;
}

side side_of(const std::vector<gate::run>& runs) {
  side result{runs, {}};
  for (const auto& run : runs)
    for (const auto& [name, values] : run.benchmarks) {
      const auto memory = name.substr(5, name.find('/', 5) - 5);
      const auto size = std::size_t(std::stoi(name.substr(name.rfind('/') + 1))) << 20U;
      result.facts[name] = {{name.substr(0, name.rfind('/')), "copy", "copy/" + memory, memory,
                             result_file::direction::h2d},
                            size,
                            result_file::cache_state::warm};
    }
  return result;
}

side side_of(int first_number, int count, double pinned_factor = 1) {
  std::vector<gate::run> runs;
  for (int i = 0; i < count; ++i) runs.push_back(made_up_run(first_number + i, pinned_factor));
  return side_of(runs);
}

const compared_group& group_of(const comparison_result& result, const std::string& memory) {
  return *std::ranges::find(result.groups, memory,
                            [](const auto& group) { return group.key.memory; });
}

std::string refusal(const side& first, const side& second) {
  return common::complaint_of<gate::bad_input>([&] { return compare(first, second); });
}

TEST(comparison, leaves_out_what_two_procedures_have_measured) {
  const auto name = name_of("pinned", "1MiB");
  auto runs = side_of(10, 3).runs;
  runs.back().benchmarks.at(name).work.procedure = 2;
  EXPECT_THAT(compare(side_of(0, 3), side_of(runs)).left_out.other_procedure, ElementsAre(name));
  const auto of_procedure_2 = [](int first) {
    auto changed = side_of(first, 3);
    for (auto& run : changed.runs)
      for (auto& [each, values] : run.benchmarks) values.work.procedure = 2;
    return changed;
  };
  EXPECT_EQ(compare(of_procedure_2(0), of_procedure_2(10)).compared, 12U);
  EXPECT_EQ(refusal(side_of(0, 3), of_procedure_2(10)),
            "the two sides have no benchmark in common that one procedure measured: measure both "
            "with one version of the program and the same options");
}

TEST(comparison, finds_the_group_that_is_slower_and_sorts_by_size) {
  const auto result = compare(side_of(0, 3), side_of(10, 3, 1.1));
  EXPECT_EQ(result.basis, basis::runs);
  EXPECT_EQ(result.compared, 12U);
  ASSERT_EQ(result.groups.size(), 3U);
  const auto& slowest = result.groups.front();
  EXPECT_EQ(slowest.key.memory, "pinned");
  EXPECT_NEAR(slowest.difference.shift, std::log(1.1), 0.003);
  EXPECT_EQ(slowest.difference.known, finding::slower);
  EXPECT_LT(slowest.difference.interval_95->low, slowest.difference.shift);
  EXPECT_LT(slowest.difference.interval_all->low, slowest.difference.interval_95->low);
  EXPECT_EQ(group_of(result, "pageable").difference.known, finding::not_told);
}

TEST(comparison, judges_by_the_side_that_has_the_runs) {
  const auto result = compare(side_of(10, 1, 1.1), side_of(0, 3));
  EXPECT_EQ(result.basis, basis::runs);
  const auto& pinned = group_of(result, "pinned");
  EXPECT_NEAR(pinned.difference.shift, -std::log(1.1), 0.003);
  EXPECT_LT(pinned.difference.interval_95->high, 0);
  EXPECT_EQ(pinned.difference.known, finding::faster);
}

TEST(comparison, of_one_run_each_calls_nothing_slower) {
  const auto result = compare(side_of(0, 1), side_of(10, 1, 1.1));
  EXPECT_EQ(result.basis, basis::repetitions);
  EXPECT_EQ(group_of(result, "pinned").difference.known, finding::needs_runs);
  EXPECT_EQ(group_of(result, "pageable").difference.known, finding::not_told);
  EXPECT_TRUE(result.classes.empty());
}

TEST(comparison, of_single_repetitions_has_no_interval) {
  auto first = side_of(0, 1), second = side_of(10, 1, 1.1);
  for (auto* side : {&first, &second})
    for (auto& [name, benchmark] : side->runs.front().benchmarks) benchmark.values.resize(1);
  const auto result = compare(first, second);
  for (const auto& group : result.groups) {
    EXPECT_FALSE(group.difference.interval_95);
    EXPECT_EQ(group.difference.known, finding::no_interval);
  }
}

TEST(comparison, shows_a_size_that_departs_from_its_group) {
  auto second = side_of(10, 3);
  for (auto& run : second.runs)
    for (auto& value : run.benchmarks.at(name_of("pinned", "8MiB")).values) value *= 1.5;
  const auto result = compare(side_of(0, 3), second);
  std::vector<bool> departs;
  for (const auto& benchmark : group_of(result, "pinned").benchmarks)
    departs.push_back(benchmark.departs);
  EXPECT_THAT(departs, ElementsAre(false, false, false, true));
}

TEST(comparison, counts_what_is_unlike_its_group_and_gives_it_a_line) {
  auto result = compare(side_of(0, 3), side_of(10, 3));
  auto& group = result.groups.front();
  EXPECT_THAT(count_sentence(result), testing::Not(HasSubstr("unlike")));
  EXPECT_FALSE(group.benchmarks.front().is_unlike(group.difference));
  group.benchmarks.front().difference.known = finding::faster;
  EXPECT_TRUE(group.benchmarks.front().is_unlike(group.difference));
  EXPECT_THAT(count_sentence(result),
              HasSubstr("unlike their groups: 0 benchmarks slower, 1 faster"));
  group.difference.known = finding::faster;
  EXPECT_FALSE(group.benchmarks.front().is_unlike(group.difference));
}

TEST(comparison, says_of_a_class_what_its_median_benchmark_shows) {
  const auto said_of = [](double factor) {
    auto second = side_of(10, 3, factor);
    for (auto& run : second.runs)
      for (auto& [name, benchmark] : run.benchmarks)
        if (name != name_of("pinned", "1MiB"))
          for (auto& value : benchmark.values) value *= factor;
    return compare(side_of(0, 3), second);
  };
  const auto alike = said_of(1), slower = said_of(1.1);
  EXPECT_EQ(alike.classes.front().difference.known, finding::not_told);
  EXPECT_THAT(notes_of(alike), ElementsAre(HasSubstr("not significant.")));
  EXPECT_EQ(slower.classes.front().difference.known, finding::slower);
  EXPECT_THAT(notes_of(slower), ElementsAre(HasSubstr("the whole class has shifted")));
}

/// Nothing differs between the files of a machine, each of three processes, so that of all pairs
/// one of 20 may have a benchmark that is called slower or faster. Small copies have two speeds.
TEST(comparison, finds_no_difference_between_files_of_one_machine) {
  int pairs = 0, with_difference = 0;
  for (const std::string machine : {"processes", "processes-again", "processes-3"}) {
    std::vector<side> files;
    for (const auto number : {"1", "2", "3", "4", "5"})
      files.push_back(read_side({{PROJECT_DIR "/results/nvidia-h100/2026-11-26-" + machine +
                                  "/result-" + number + ".json.gz"}}));
    for (auto first = files.begin(); first != files.end(); ++first)
      for (auto second = first + 1; second != files.end(); ++second) {
        const auto result = compare(*first, *second);
        ++pairs;
        with_difference += std::ranges::any_of(result.groups, [](const compared_group& group) {
          return group.difference.is_told() ||
                 std::ranges::any_of(group.benchmarks, &difference::is_told,
                                     &compared_benchmark::difference);
        });
      }
  }
  EXPECT_EQ(pairs, 30);
  EXPECT_LE(with_difference, pairs / 20);
}

TEST(comparison, names_what_it_leaves_out) {
  auto first = side_of(0, 3);
  auto second = side_of(10, 3);
  for (auto& run : first.runs) run.benchmarks.erase(name_of("pinned", "1MiB"));
  for (auto& run : second.runs) {
    run.benchmarks.erase(name_of("pinned", "2MiB"));
    run.benchmarks.at(name_of("pageable", "1MiB")).bytes = 5;
    run.benchmarks.at(name_of("pageable", "2MiB")).failed = 1;
  }
  first.runs.front().benchmarks.erase(name_of("pageable", "4MiB"));
  const auto out = compare(first, second).left_out;
  EXPECT_THAT(out.only_second, ElementsAre(name_of("pinned", "1MiB")));
  EXPECT_THAT(out.only_first, ElementsAre(name_of("pinned", "2MiB")));
  EXPECT_THAT(out.other_bytes, ElementsAre(name_of("pageable", "1MiB")));
  EXPECT_THAT(out.failed, ElementsAre(name_of("pageable", "2MiB")));
  EXPECT_THAT(out.too_few, ElementsAre(name_of("pageable", "4MiB")));
}

TEST(comparison, names_each_device_of_a_side) {
  auto runs = side_of(0, 3);
  runs.runs.back().device = "Other GPU";
  EXPECT_THAT(side_sentence("A", runs), StartsWith("A: 3 runs of Some GPU and Other GPU: run-"));
}

TEST(comparison, refuses_sides_that_cannot_be_compared) {
  EXPECT_NE(refusal(side_of(0, 1), side_of(0, 1)), "") << "the same measurements";
  auto host = side_of(10, 1), empty = host;
  host.runs.front().on_host = true;
  EXPECT_NE(refusal(side_of(0, 1), host), "");
  empty.runs.front().benchmarks.clear();
  EXPECT_NE(refusal(side_of(0, 1), empty), "") << "nothing in common";
}

}  // namespace
}  // namespace bench_transfers::comparison
