#include "src/exports/results/values.hpp"

#include <nlohmann/json.hpp>
#include <string>

#include "src/exports/results/formats.hpp"
#include "src/result_file/reader.hpp"
#include "tests/basics.hpp"

namespace bench_transfers::exports::values_test {
namespace {

json description() {
  return {{"family", "scan"},   {"strategy", "scan/all"}, {"variant", nullptr},
          {"direction", "h2d"}, {"size_bytes", 1000},     {"cache", "warm"},
          {"devices", {1}},     {"role", "scan"},         {"plainness", 0}};
}

json repetition(const std::string& name, int index, double median_ns) {
  return {{"name", name},
          {"run_name", name},
          {"run_type", "iteration"},
          {"repetition_index", index},
          {"real_time", median_ns},
          {"time_unit", "ns"},
          {"median_ns", median_ns},
          {"bytes", 1000}};
}

json run_with(const json& rows) {
  json benchmarks = json::object();
  for (const auto& row : rows) benchmarks[row.at("run_name").get<std::string>()] = description();
  return {{"context",
           {{"transfers",
             {{"format", 2},
              {"device", {{"kind", "cuda"}, {"name", "First"}}},
              {"devices",
               {{{"id", "cuda:0"}, {"kind", "cuda"}, {"name", "First"}},
                {{"id", "cuda:1"}, {"kind", "cuda"}, {"name", "Second"}, {"uuid", "GPU-2"}}}},
              {"link", nullptr},
              {"run", {{"started_utc", "2026-11-21T10:22:25Z"}}},
              {"roles", {{"scan", {{"description", "scans"}, {"table", "times"}}}}},
              {"metrics", json::object()},
              {"benchmarks", benchmarks},
              {"skipped", json::array()},
              {"warnings", json::array()}}}}},
          {"benchmarks", rows}};
}

run_values read(const json& rows, unsigned processes = 1) {
  auto document = run_with(rows);
  auto& facts = document["context"]["transfers"];
  facts["run"]["processes"] = processes;
  for (unsigned process = 1; process <= processes; ++process)
    facts["parts"].push_back({{"number", process}, {"complete", true}, {"resumed", false}});
  return values_of(result_file::read_json(document, "run.json"), "run.json");
}

TEST(values, are_medians_with_the_device_that_was_measured) {
  const auto run = read({repetition("a", 0, 90), repetition("a", 1, 100), repetition("a", 2, 130)});
  ASSERT_EQ(run.benchmarks.size(), 1U);
  const auto& value = run.benchmarks.front();
  EXPECT_THAT(value.devices, ElementsAre("cuda:1"));
  EXPECT_EQ(value.device_name, "Second");
  EXPECT_EQ(value.uuid, "GPU-2");
  EXPECT_EQ(value.repetitions, 3U);
  EXPECT_EQ(value.time_ns.value, 100);
  EXPECT_EQ(value.gb_per_s->value, 10);
  EXPECT_FALSE(run.on_host);
  EXPECT_EQ(run.started_utc, "2026-11-21T10:22:25Z");
}

TEST(values, have_intervals_between_processes) {
  auto rows =
      json::array({repetition("a", 0, 90), repetition("a", 1, 100), repetition("a", 2, 95)});
  for (int process = 1; process <= 3; ++process) rows[process - 1]["process"] = process;
  const auto value = read(rows, 3).benchmarks.front();
  EXPECT_EQ(value.processes, 3U);
  ASSERT_TRUE(value.time_ns.interval && value.gb_per_s->interval);
  EXPECT_LT(value.time_ns.interval->low, 90);
  EXPECT_GT(value.time_ns.interval->high, 100);
  EXPECT_EQ(value.gb_per_s->interval->low, 1000 / value.time_ns.interval->high);
  EXPECT_EQ(value.gb_per_s->interval->high, 1000 / value.time_ns.interval->low);
}

TEST(values, have_no_interval_of_one_process) {
  const auto run = read({repetition("a", 0, 90), repetition("a", 1, 100)});
  EXPECT_FALSE(run.benchmarks.front().time_ns.interval);
  EXPECT_FALSE(run.benchmarks.front().gb_per_s->interval);
}

TEST(values, leave_out_a_benchmark_of_which_a_repetition_failed) {
  auto failed = repetition("a", 1, 0);
  failed["error_occurred"] = true;
  failed["error_message"] = "wrong data";
  const auto run = read({repetition("a", 0, 90), failed, repetition("b", 0, 50)});
  EXPECT_THAT(run.failed, ElementsAre("a"));
  ASSERT_EQ(run.benchmarks.size(), 1U);
  EXPECT_EQ(run.benchmarks.front().described.name, "b");
}

TEST(values, of_two_modes_are_told_by_times_and_counts_even_of_a_few_bytes) {
  run_values run;
  auto& value = run.benchmarks.emplace_back();
  value.bytes = 4;
  value.time_ns.value = 6000;
  value.modes = {{6000, 7}, {8000, 2}};
  value.gb_per_s = {4.0 / 6000, std::nullopt};
  EXPECT_THAT(markdown_of({{run}}),
              HasSubstr("| 6.00 µs in 7 or 8.00 µs in 2 | 0.00067 or 0.0005 |"));
}

}  // namespace
}  // namespace bench_transfers::exports::values_test
