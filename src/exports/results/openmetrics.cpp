#include "src/exports/openmetrics.hpp"

#include <fmt/format.h>

#include "src/common/quantities.hpp"
#include "src/exports/results/fields.hpp"
#include "src/exports/results/formats.hpp"

namespace bench_transfers::exports {
namespace {

using labels = std::vector<openmetrics::label>;

/// One number of a benchmark, in a base unit of Prometheus.
struct gauge {
  const char* name;
  const char* help;
  const char* better;
  std::optional<double> (*number)(const benchmark_value& value);
};

constexpr double seconds_per_ns = 1e-9;
constexpr double bytes_per_s = 1e9;  // of 1 GB/s

std::optional<double> end_of(const std::optional<measured_value>& value,
                             double statistics::interval::*end) {
  return value && value->interval ? std::optional((*value->interval).*end) : std::nullopt;
}

std::optional<double> times(const std::optional<double>& value, double factor) {
  return value ? std::optional(*value * factor) : std::nullopt;
}

using statistics::interval;

constexpr gauge gauges[] = {
    {"transfers_operation_seconds", "Median time of one operation; less is better.", "less",
     [](const auto& value) { return times(value.time_ns.value, seconds_per_ns); }},
    {"transfers_operation_low_seconds", "Lower end of its 95 % interval between processes.", "less",
     [](const auto& value) {
       return times(end_of(value.time_ns, &interval::low), seconds_per_ns);
     }},
    {"transfers_operation_high_seconds", "Upper end of its 95 % interval between processes.",
     "less",
     [](const auto& value) {
       return times(end_of(value.time_ns, &interval::high), seconds_per_ns);
     }},
    {"transfers_rate_bytes_per_second", "Rate of the median time; more is better.", "more",
     [](const auto& value) {
       return value.gb_per_s ? times(value.gb_per_s->value, bytes_per_s) : std::nullopt;
     }},
    {"transfers_rate_low_bytes_per_second", "Lower end of its 95 % interval between processes.",
     "more",
     [](const auto& value) { return times(end_of(value.gb_per_s, &interval::low), bytes_per_s); }},
    {"transfers_rate_high_bytes_per_second", "Upper end of its 95 % interval between processes.",
     "more",
     [](const auto& value) { return times(end_of(value.gb_per_s, &interval::high), bytes_per_s); }},
};

/// A label without a text is the same as none.
labels labels_of(const run_values& run, bool several, const benchmark_value& value,
                 const char* better) {
  labels list;
  if (several) list.emplace_back("file", run.file);
  for (auto& [key, text] : known_fields_of(run, value)) list.emplace_back(key, std::move(text));
  list.emplace_back("better", better);
  return list;
}

labels labels_of(const run_values& run, bool several) {
  labels list;
  if (several) list.emplace_back("file", run.file);
  list.emplace_back("on_host", run.on_host ? "true" : "false");
  return list;
}

void add(openmetrics& out, std::span<const run_values> runs, const gauge& gauge) {
  out.begin(gauge.name, gauge.help);
  for (const auto& run : runs)
    for (const auto& value : run.benchmarks)
      if (const auto number = gauge.number(value))
        out.add(labels_of(run, runs.size() > 1, value, gauge.better), *number);
}

void add_runs(openmetrics& out, std::span<const run_values> runs) {
  const bool several = runs.size() > 1;
  out.begin("transfers_run_start_timestamp_seconds", "When the run began, in Unix time.");
  for (const auto& run : runs)
    if (const auto started = common::parse_timestamp(run.started_utc))
      out.add(labels_of(run, several), static_cast<double>(started->time_since_epoch().count()));
  out.begin("transfers_run_complete", "1 if the run has reached its end.");
  for (const auto& run : runs) out.add(labels_of(run, several), run.complete ? 1 : 0);
  out.begin("transfers_run_parts", "In how many parts, one after another, it was measured.");
  for (const auto& run : runs) out.add(labels_of(run, several), static_cast<double>(run.parts));
  out.begin("transfers_run_failed_benchmarks", "Benchmarks that failed and have no values here.");
  for (const auto& run : runs)
    out.add(labels_of(run, several), static_cast<double>(run.failed.size()));
}

std::string text_of(openmetrics out, std::span<const run_values> runs) {
  for (const auto& gauge : gauges) add(out, runs, gauge);
  add_runs(out, runs);
  return out.text();
}

}  // namespace

std::string openmetrics_of(std::span<const run_values> runs) {
  return text_of(openmetrics(), runs);
}

std::string openmetrics_timestamps_of(std::span<const run_values> runs) {
  // The label `file` would make a series of its own of each run.
  if (runs.size() > 1) throw not_exportable("openmetrics-timestamps: export each file by itself");
  const auto started = common::parse_timestamp(runs.front().started_utc);
  if (!started)
    throw not_exportable(
        fmt::format("cannot use {}: it does not say when the run began", runs.front().file));
  return text_of(openmetrics(started), runs);
}

}  // namespace bench_transfers::exports
