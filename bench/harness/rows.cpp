#include "bench/harness/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <sstream>

#include "src/statistics/quantile.hpp"

namespace bench_transfers::bench {
namespace {

using json = nlohmann::ordered_json;
using benchmark::BenchmarkReporter;

/// Google Benchmark's own writer makes the JSON, so that its releases' differences (names of fields
/// in Run, keys of rows) stay its business.
json through_google_benchmark(const std::vector<run>& runs) {
  std::ostringstream text;
  benchmark::JSONReporter writer;
  writer.SetOutputStream(&text);
  writer.SetErrorStream(&text);
  writer.ReportContext(BenchmarkReporter::Context());
  writer.ReportRuns(runs);
  writer.Finalize();
  // Host names and paths need not be UTF-8; JSON must be.
  const auto valid = json(text.str()).dump(-1, ' ', false, json::error_handler_t::replace);
  return json::parse(json::parse(valid).get<std::string>());
}

/// Nine digits are more than any clock gives, and half the length of a full double; counts are
/// whole numbers although Google Benchmark's counters are doubles.
json shortened(double value) {
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

run aggregate(std::span<const run> repetitions, const std::string& name, const statistic& of,
              benchmark::StatisticUnit unit) {
  const auto collected = [&](auto&& value) {
    std::vector<double> values;
    for (const auto& one : repetitions) values.push_back(value(one));
    return of(values);
  };
  run result = repetitions.front();
  result.run_type = run::RT_Aggregate;
  result.aggregate_name = name;
  result.aggregate_unit = unit;
  result.repetition_index = run::no_repetition_index;
  // As Google Benchmark has it: an aggregate's iterations are its repetitions. Reporters divide
  // accumulated times by them, but not percentages.
  result.iterations = static_cast<benchmark::IterationCount>(repetitions.size());
  const double scale =
      unit == benchmark::StatisticUnit::kTime ? static_cast<double>(repetitions.size()) : 1;
  const auto per_iteration = [](double accumulated, const run& one) {
    return accumulated / static_cast<double>(one.iterations);
  };
  result.real_accumulated_time =
      scale * collected([&](const run& r) { return per_iteration(r.real_accumulated_time, r); });
  result.cpu_accumulated_time =
      scale * collected([&](const run& r) { return per_iteration(r.cpu_accumulated_time, r); });
  for (auto& [key, counter] : result.counters)
    counter.value = collected([&key = key](const run& r) {
      const auto found = r.counters.find(key);
      return found == r.counters.end() ? 0.0 : found->second.value;
    });
  return result;
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

json google_context() { return through_google_benchmark({}).at("context"); }

run as_repetition(const run& original, int repetitions, int index) {
  run one = original;
  benchmark::BenchmarkName plain;
  plain.function_name = original.run_name.function_name;
  one.run_name = plain;
  one.repetitions = repetitions;
  one.repetition_index = index;
  return one;
}

json row_of(const run& one) {
  auto writable = one;
  const auto unwritable = [](const auto& entry) { return !std::isfinite(entry.second.value); };
  std::erase_if(writable.counters, unwritable);
  auto row = through_google_benchmark({writable}).at("benchmarks").at(0);
  for (const auto& [key, counter] : one.counters)
    if (!std::isfinite(counter.value)) row[key] = nullptr;  // JSON has no NaN and no infinity
  for (auto& [key, value] : row.items())
    if (value.is_number_float()) value = shortened(value.get<double>());
  // Positions in Google Benchmark's list, which is shuffled for every round, say nothing.
  row.erase("family_index");
  row.erase("per_family_instance_index");
  return row;
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
  std::ostringstream messages;  // warnings that the result file's context has as data
  reporter->SetOutputStream(&out);
  reporter->SetErrorStream(&messages);
  BenchmarkReporter::Context context;
  context.name_field_width = 10;
  for (const auto& one : runs)
    context.name_field_width = std::max(context.name_field_width, one.benchmark_name().size());
  reporter->ReportContext(context);
  reporter->ReportRuns(runs);
  reporter->Finalize();
}

}  // namespace bench_transfers::bench
