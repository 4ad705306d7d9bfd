#include "bench/harness/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <sstream>

#include "bench/harness/surroundings.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::bench {
namespace {

using json = nlohmann::ordered_json;
using benchmark::BenchmarkReporter;

/// Rounds to nine digits, which is more than any clock resolves and half the length of a double.
/// Counts become integers; Google Benchmark's counters are doubles.
json shortened(double value) {
  if (!std::isfinite(value)) return nullptr;  // JSON has no NaN and no infinity
  if (value == std::trunc(value) && std::abs(value) < 1e15) return static_cast<std::int64_t>(value);
  return std::stod(fmt::format("{:.9g}", value));
}

using statistic = std::function<double(const std::vector<double>&)>;

double mean(const std::vector<double>& v) {
  return std::reduce(v.begin(), v.end()) / static_cast<double>(v.size());
}

double standard_deviation(const std::vector<double>& v) {
  const double center = mean(v);
  double squares = 0;
  for (const double x : v) squares += (x - center) * (x - center);
  return std::sqrt(squares / static_cast<double>(v.size() - 1));
}

run aggregate(std::span<const run> repetitions, const std::string& name, const statistic& summarize,
              benchmark::StatisticUnit unit) {
  const auto collected = [&](auto&& value) {
    std::vector<double> values;
    for (const auto& repetition : repetitions) values.push_back(value(repetition));
    return summarize(values);
  };
  run result = repetitions.front();
  result.run_type = run::RT_Aggregate;
  result.aggregate_name = name;
  result.aggregate_unit = unit;
  result.repetition_index = run::no_repetition_index;
  // As in Google Benchmark, an aggregate's iterations are its repetitions. Reporters divide
  // accumulated times by them, but not percentages.
  result.iterations = static_cast<benchmark::IterationCount>(repetitions.size());
  const double scale =
      unit == benchmark::StatisticUnit::kTime ? static_cast<double>(repetitions.size()) : 1;
  const auto per_iteration = [](double accumulated, const run& repetition) {
    return accumulated / static_cast<double>(repetition.iterations);
  };
  result.real_accumulated_time =
      scale * collected([&](const run& r) { return per_iteration(r.real_accumulated_time, r); });
  result.cpu_accumulated_time =
      scale * collected([&](const run& r) { return per_iteration(r.cpu_accumulated_time, r); });
  for (auto& [key, counter] : result.counters)
    counter.value = collected([&key = key](const run& r) {
      const auto match = r.counters.find(key);
      return match == r.counters.end() ? 0.0 : match->second.value;
    });
  return result;
}

/// Whether it has a share of the time, "cv", where others have times.
bool shows_share(const run& reported) {
  return reported.run_type == run::RT_Aggregate &&
         reported.aggregate_unit == benchmark::StatisticUnit::kPercentage;
}

/// The reporter of CSV takes all values for accumulated seconds: of two repetitions it would print
/// a share of 0.02 as 1e7 ns.
std::vector<run> with_shares_for_csv(std::vector<run> runs) {
  for (auto& reported : runs) {
    if (!shows_share(reported)) continue;
    const double scale = static_cast<double>(reported.iterations) /
                         benchmark::GetTimeUnitMultiplier(reported.time_unit);
    reported.real_accumulated_time *= scale;
    reported.cpu_accumulated_time *= scale;
  }
  return runs;
}

std::unique_ptr<BenchmarkReporter> reporter_for(const std::string& format) {
  if (format == "json") return std::make_unique<benchmark::JSONReporter>();
// Deprecated in favour of reading JSON, but --benchmark_format=csv still works.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  if (format == "csv") return std::make_unique<benchmark::CSVReporter>();
#pragma GCC diagnostic pop
  return std::make_unique<benchmark::ConsoleReporter>(benchmark::ConsoleReporter::OO_None);
}

}  // namespace

json google_context() {
  std::ostringstream text;
  benchmark::JSONReporter writer;
  writer.SetOutputStream(&text);
  writer.SetErrorStream(&text);
  writer.ReportContext(BenchmarkReporter::Context());
  writer.ReportRuns({});
  writer.Finalize();
  // Host names and paths need not be UTF-8; JSON must be.
  const auto valid = json(text.str()).dump(-1, ' ', false, json::error_handler_t::replace);
  return json::parse(json::parse(valid).get<std::string>()).at("context");
}

run as_repetition(const run& original, int repetitions, int index) {
  run result = original;
  benchmark::BenchmarkName plain;
  plain.function_name = original.run_name.function_name;
  result.run_name = plain;
  result.repetitions = repetitions;
  result.repetition_index = index;
  return result;
}

json row_of(const run& reported, const std::set<result_file::disturbance>& disturbed) {
  const auto name = reported.benchmark_name();
  const bool is_aggregate = reported.run_type == run::RT_Aggregate;
  const bool is_share = shows_share(reported);
  json row{{"name", name},
           {"run_name", reported.run_name.str()},
           {"run_type", is_aggregate ? "aggregate" : "iteration"},
           {"repetitions", reported.repetitions}};
  if (!is_aggregate) row["repetition_index"] = reported.repetition_index;
  row["threads"] = reported.threads;
  if (is_aggregate) {
    row["aggregate_name"] = reported.aggregate_name;
    row["aggregate_unit"] = is_share ? "percentage" : "time";
  }
  row["iterations"] = reported.iterations;
  row["real_time"] =
      shortened(is_share ? reported.real_accumulated_time : reported.GetAdjustedRealTime());
  row["cpu_time"] =
      shortened(is_share ? reported.cpu_accumulated_time : reported.GetAdjustedCPUTime());
  row["time_unit"] = benchmark::GetTimeUnitString(reported.time_unit);
  if (!disturbed.empty()) row["disturbed"] = codes_of(disturbed);
  for (const auto& [key, counter] : reported.counters) row[key] = shortened(counter.value);
  return row;
}

std::set<result_file::disturbance> disturbances_of(const json& row) {
  std::set<result_file::disturbance> disturbed;
  if (const auto codes = row.find("disturbed"); codes != row.end())
    for (const auto& code : *codes)
      disturbed.insert(result_file::disturbance_from(code.get<std::string>())
                           .value_or(result_file::disturbance::other_load));
  return disturbed;
}

json row_of_failure(const std::string& name, int repetitions, int index,
                    const common::message& error) {
  return {{"name", name},
          {"run_name", name},
          {"run_type", "iteration"},
          {"repetitions", repetitions},
          {"repetition_index", index},
          {"threads", 1},
          {"error_occurred", true},
          {"error_message", error.text},
          {"error_code", error.code},
          {"iterations", 0},
          {"real_time", 0},
          {"cpu_time", 0},
          {"time_unit", "ns"}};
}

std::vector<run> aggregates_of(std::span<const run> repetitions) {
  if (repetitions.size() < 2) return {};
  const auto variation = [](const std::vector<double>& v) {
    const double center = mean(v);
    return center == 0 ? 0.0 : standard_deviation(v) / center;
  };
  using benchmark::StatisticUnit;
  return {
      aggregate(repetitions, "mean", mean, StatisticUnit::kTime),
      aggregate(
          repetitions, "median", [](const std::vector<double>& v) { return statistics::median(v); },
          StatisticUnit::kTime),
      aggregate(repetitions, "stddev", standard_deviation, StatisticUnit::kTime),
      aggregate(repetitions, "cv", variation, StatisticUnit::kPercentage)};
}

void print_runs(std::ostream& out, const std::string& format, const std::vector<run>& runs) {
  const auto reporter = reporter_for(format);
  std::ostringstream messages;  // warnings, which the result file's context has as data
  reporter->SetOutputStream(&out);
  reporter->SetErrorStream(&messages);
  BenchmarkReporter::Context context;
  context.name_field_width = 10;
  for (const auto& repetition : runs)
    context.name_field_width =
        std::max(context.name_field_width, repetition.benchmark_name().size());
  reporter->ReportContext(context);
  reporter->ReportRuns(format == "csv" ? with_shares_for_csv(runs) : runs);
  reporter->Finalize();
}

}  // namespace bench_transfers::bench
