#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "src/common/message.hpp"
#include "src/exports/results/fields.hpp"
#include "src/exports/results/formats.hpp"

namespace bench_transfers::exports {
namespace {

using json = nlohmann::ordered_json;

/// Shown when the pointer is over a point of the chart.
std::string extra_of(const run_values& run, const benchmark_value& value) {
  std::string lines;
  for (const auto& [key, text] : known_fields_of(run, value))
    lines += fmt::format("{}{}: {}", lines.empty() ? "" : "\n", key, text);
  return lines;
}

json entry_of(const run_values& run, const benchmark_value& value, const measured_value& measured,
              const char* unit) {
  json entry{{"name", value.described.name}, {"unit", unit}, {"value", measured.value}};
  if (measured.interval)
    entry["range"] =
        fmt::format("{:.6g} to {:.6g}", measured.interval->low, measured.interval->high);
  entry["extra"] = extra_of(run, value);
  return entry;
}

/// `measured`: what benchmarks may lack.
template <class Measured>
std::string entries_of(std::span<const run_values> runs, Measured benchmark_value::*measured,
                       const char* unit) {
  require_unique_names(runs, "github-action-benchmark");
  auto entries = json::array();
  for (const auto& run : runs)
    for (const auto& value : run.benchmarks)
      if (const std::optional<measured_value> shown = value.*measured)
        entries.push_back(entry_of(run, value, *shown, unit));
  return common::text_of(entries);
}

}  // namespace

std::string github_times_of(std::span<const run_values> runs) {
  return entries_of(runs, &benchmark_value::time_ns, "ns");
}

std::string github_rates_of(std::span<const run_values> runs) {
  return entries_of(runs, &benchmark_value::gb_per_s, "GB/s");
}

}  // namespace bench_transfers::exports
