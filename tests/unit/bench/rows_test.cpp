#include "bench/harness/rows.hpp"

#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "tests/basics.hpp"

namespace bench_transfers::bench::rows_test {
namespace {

/// A run of 100 iterations as Google Benchmark reports it.
run reported(double real_ns, double cpu_ns = 0) {
  run result;
  result.run_name.function_name = "copy/pinned/h2d/4KiB";
  result.run_name.iterations = "iterations:100";
  result.run_name.repetitions = "repeats:1";
  result.run_name.time_type = "process_time/manual_time";
  result.family_index = 3;
  result.per_family_instance_index = 0;
  result.repetitions = 1;
  result.repetition_index = 0;
  result.iterations = 100;
  result.time_unit = benchmark::kNanosecond;
  result.real_accumulated_time = real_ns * 100 * 1e-9;
  result.cpu_accumulated_time = cpu_ns * 100 * 1e-9;
  result.statistics = nullptr;
  return result;
}

run measured(double real_ns, int index) {
  auto result = as_repetition(reported(real_ns, real_ns / 2), 3, index);
  result.counters["median_ns"] = real_ns;
  result.counters["operations"] = 100;
  return result;
}

TEST(as_repetition, has_the_plain_name_and_its_place_among_the_repetitions) {
  const auto result = as_repetition(reported(5), 7, 4);
  EXPECT_EQ(result.benchmark_name(), "copy/pinned/h2d/4KiB");
  EXPECT_EQ(result.repetitions, 7);
  EXPECT_EQ(result.repetition_index, 4);
  EXPECT_EQ(result.iterations, 100);
}

TEST(row_of, has_the_keys_of_google_benchmark) {
  auto result = as_repetition(reported(1250.5, 400), 7, 4);
  result.counters["gb_per_s"] = 3.25;
  result.counters["batch"] = 1;
  const auto row = row_of(result);
  EXPECT_EQ(row.at("name"), "copy/pinned/h2d/4KiB");
  EXPECT_EQ(row.at("run_name"), "copy/pinned/h2d/4KiB");
  EXPECT_EQ(row.at("run_type"), "iteration");
  EXPECT_EQ(row.at("repetitions"), 7);
  EXPECT_EQ(row.at("repetition_index"), 4);
  EXPECT_EQ(row.at("iterations"), 100);
  EXPECT_EQ(row.at("time_unit"), "ns");
  EXPECT_DOUBLE_EQ(row.at("real_time").get<double>(), 1250.5);
  EXPECT_DOUBLE_EQ(row.at("cpu_time").get<double>(), 400);
  EXPECT_EQ(row.at("gb_per_s"), 3.25);
  EXPECT_TRUE(row.at("batch").is_number_integer());
  // They would change with the order of every round.
  EXPECT_FALSE(row.contains("family_index"));
  EXPECT_FALSE(row.contains("per_family_instance_index"));
  EXPECT_FALSE(row.contains("error_occurred"));
}

TEST(row_of, numbers_keep_nine_digits) {
  auto result = reported(1);
  result.counters["third"] = 1000.0 / 3;
  result.counters["tiny"] = 1.23456789e-7;
  result.counters["large"] = 1073741824.0;
  const auto row = row_of(result);
  EXPECT_EQ(row.at("third"), 333.333333);
  EXPECT_EQ(row.at("tiny"), 1.23456789e-7);
  EXPECT_EQ(row.at("large"), 1073741824);
}

TEST(row_of_failure, says_why) {
  const auto row = row_of_failure("copy/pinned/h2d/4KiB", 7, 4,
                                  {"wrong_data", json::object(), "wrong \"data\"\nat 3"});
  EXPECT_EQ(row.at("name"), "copy/pinned/h2d/4KiB");
  EXPECT_EQ(row.at("run_name"), "copy/pinned/h2d/4KiB");
  EXPECT_EQ(row.at("repetitions"), 7);
  EXPECT_EQ(row.at("repetition_index"), 4);
  EXPECT_EQ(row.at("error_occurred"), true);
  EXPECT_EQ(row.at("error_message"), "wrong \"data\"\nat 3");
  EXPECT_EQ(row.at("error_code"), "wrong_data");
  EXPECT_FALSE(row.contains("median_ns"));
}

TEST(row_of, numbers_that_json_lacks_are_null) {
  auto result = reported(1);
  result.counters["infinite"] = std::numeric_limits<double>::infinity();
  result.counters["undefined"] = std::numeric_limits<double>::quiet_NaN();
  json row;
  ASSERT_NO_THROW(row = row_of(result));
  for (const char* key : {"infinite", "undefined"}) {
    const auto text = row.at(key).dump();
    EXPECT_EQ(text, "null") << key;
  }
}

TEST(google_context, is_there) {
  const auto context = google_context();
  for (const char* key : {"date", "host_name", "num_cpus", "caches", "load_avg"})
    EXPECT_TRUE(context.contains(key)) << key;
}

TEST(google_context, a_program_whose_path_is_not_utf8_can_still_run) {
  using context = benchmark::BenchmarkReporter::Context;
  const auto* const before = context::executable_name;
  context::executable_name = "/home/caf\xe9/bench_transfers";
  EXPECT_NO_THROW(static_cast<void>(google_context()));
  EXPECT_NO_THROW(static_cast<void>(row_of(reported(1))));
  context::executable_name = before;
}

/// The rows of the aggregates of runs of 10, 20 and 60 ns, by name.
json aggregate_rows() {
  const std::vector<run> runs{measured(10, 0), measured(20, 1), measured(60, 2)};
  json rows;
  for (const auto& aggregate : aggregates_of(runs))
    rows[aggregate.aggregate_name] = row_of(aggregate);
  return rows;
}

TEST(aggregates_of, hand_computed) {
  // Deviations from the mean 30: -20, -10, 30; 1400 / 2 = 700.
  const double deviation = std::sqrt(700.0);
  const auto rows = aggregate_rows();
  const auto expect = [&](const char* name, double real, double cpu, double operations) {
    const auto& row = rows.at(name);
    EXPECT_NEAR(row.at("real_time").get<double>(), real, 1e-6) << name;
    EXPECT_NEAR(row.at("cpu_time").get<double>(), cpu, 1e-6) << name;
    EXPECT_NEAR(row.at("median_ns").get<double>(), real, 1e-6) << name;
    EXPECT_NEAR(row.at("operations").get<double>(), operations, 1e-6) << name;
  };
  ASSERT_EQ(rows.size(), 4U);
  expect("mean", 30, 15, 100);
  expect("median", 20, 10, 100);
  expect("stddev", deviation, deviation / 2, 0);
  expect("cv", deviation / 30, deviation / 30, 0);
}

TEST(aggregates_of, are_named_like_those_of_google_benchmark) {
  const auto rows = aggregate_rows();
  for (const char* name : {"mean", "median", "stddev", "cv"}) {
    const auto& row = rows.at(name);
    EXPECT_EQ(row.at("name"), std::string("copy/pinned/h2d/4KiB_") + name);
    EXPECT_EQ(row.at("run_name"), "copy/pinned/h2d/4KiB");
    EXPECT_EQ(row.at("run_type"), "aggregate");
    EXPECT_EQ(row.at("aggregate_name"), name);
    EXPECT_EQ(row.at("aggregate_unit"), std::string(name) == "cv" ? "percentage" : "time");
    EXPECT_EQ(row.at("repetitions"), 3);
    EXPECT_FALSE(row.contains("repetition_index"));
  }
}

/// Keeps what Google Benchmark reports.
class keeper : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& /*context*/) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const auto& row : runs)
      (row.run_type == Run::RT_Aggregate ? aggregates : repetitions).push_back(row);
  }
  std::vector<run> repetitions, aggregates;
};

TEST(aggregates_of, equal_those_of_google_benchmark) {
  benchmark::ClearRegisteredBenchmarks();
  int repetition = 0;
  benchmark::RegisterBenchmark("made",
                               [&](benchmark::State& google) {
                                 ++repetition;
                                 while (google.KeepRunningBatch(50))
                                   google.SetIterationTime(50e-6 * repetition * repetition);
                                 google.counters["bytes"] = 4096;
                                 google.counters["figure"] = 100 + repetition;
                               })
      ->Iterations(50)
      ->Repetitions(4)
      ->UseManualTime();
  keeper theirs;
  benchmark::RunSpecifiedBenchmarks(&theirs, nullptr, ".");
  benchmark::ClearRegisteredBenchmarks();
  ASSERT_EQ(theirs.repetitions.size(), 4U);
  ASSERT_EQ(theirs.aggregates.size(), 4U);

  const auto ours = aggregates_of(theirs.repetitions);
  ASSERT_EQ(ours.size(), 4U);
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const auto expected = row_of(theirs.aggregates[i]);
    const auto row = row_of(ours[i]);
    SCOPED_TRACE(row.dump() + "\nexpected " + expected.dump());
    EXPECT_EQ(row.size(), expected.size());
    for (const auto& [key, value] : expected.items()) {
      ASSERT_TRUE(row.contains(key)) << key;
      if (value.is_number()) {
        EXPECT_NEAR(row.at(key).get<double>(), value.get<double>(),
                    1e-6 * std::abs(value.get<double>()) + 1e-6)
            << key;
      } else {
        EXPECT_EQ(row.at(key), value) << key;
      }
    }
  }
}

TEST(aggregates_of, need_two_runs) {
  EXPECT_THAT(aggregates_of(std::vector<run>{}), IsEmpty());
  EXPECT_THAT(aggregates_of(std::vector<run>{measured(10, 0)}), IsEmpty());
  EXPECT_EQ(aggregates_of(std::vector<run>{measured(10, 0), measured(11, 1)}).size(), 4U);
}

TEST(aggregates_of, equal_runs_do_not_vary) {
  const std::vector<run> equal{measured(10, 0), measured(10, 1), measured(10, 2)};
  for (const auto& aggregate : aggregates_of(equal)) {
    const bool of_center =
        aggregate.aggregate_name == "mean" || aggregate.aggregate_name == "median";
    EXPECT_DOUBLE_EQ(aggregate.counters.at("median_ns").value, of_center ? 10 : 0)
        << aggregate.aggregate_name;
  }
}

TEST(print_runs, in_every_format) {
  const std::vector<run> runs{measured(10, 0), measured(20, 1)};
  const auto printed = [&](const std::string& format) {
    std::ostringstream out;
    print_runs(out, format, runs);
    return out.str();
  };
  EXPECT_EQ(json::parse(printed("json")).at("benchmarks").size(), 2U);
  EXPECT_THAT(printed("csv"), HasSubstr("name,iterations,real_time,cpu_time"));
  EXPECT_THAT(printed("csv"), HasSubstr("\"copy/pinned/h2d/4KiB\",100,"));
  EXPECT_THAT(printed("console"), HasSubstr("copy/pinned/h2d/4KiB"));
}

}  // namespace
}  // namespace bench_transfers::bench::rows_test
