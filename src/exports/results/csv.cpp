#include "src/exports/csv.hpp"

#include <fmt/format.h>

#include "src/exports/results/fields.hpp"
#include "src/exports/results/formats.hpp"

namespace bench_transfers::exports {
namespace {

table empty_table() {
  table shown{"", {{"file"}, {"started_utc"}, {"complete"}}};
  for (const auto& [key, text] : fields_of({}, {})) shown.columns.push_back({key});
  for (const auto* title :
       {"repetitions", "moved_bytes", "time_ns", "time_low_ns", "time_high_ns", "time_better",
        "rate_gb_per_s", "rate_low_gb_per_s", "rate_high_gb_per_s", "rate_better", "low_mode_ns",
        "low_mode_repetitions", "high_mode_ns", "high_mode_repetitions", "processes", "parts",
        "confidential_computing"})
    shown.columns.push_back({title, cells::numbers});
  return shown;
}

void add_mode(row& row, const statistics::mode* shown) {
  row.cells.push_back(shown ? fmt::format("{}", shown->median) : "");
  row.cells.push_back(shown ? fmt::format("{}", shown->count) : "");
}

/// The cells of a benchmark without it are empty.
void add_value(row& row, const std::optional<measured_value>& value, const char* better) {
  const auto add = [&](const double* number) {
    row.cells.push_back(number ? fmt::format("{}", *number) : "");
  };
  add(value ? &value->value : nullptr);
  add(value && value->interval ? &value->interval->low : nullptr);
  add(value && value->interval ? &value->interval->high : nullptr);
  row.cells.emplace_back(value ? better : "");
}

row row_of(const run_values& run, const benchmark_value& value) {
  row row{{run.file, run.started_utc, run.complete ? "true" : "false"}};
  for (auto& [key, text] : fields_of(run, value)) row.cells.push_back(std::move(text));
  row.cells.push_back(fmt::format("{}", value.repetitions));
  row.cells.push_back(value.bytes ? fmt::format("{}", *value.bytes) : "");
  add_value(row, value.time_ns, "less");
  add_value(row, value.gb_per_s, "more");
  add_mode(row, value.modes ? &value.modes->low : nullptr);
  add_mode(row, value.modes ? &value.modes->high : nullptr);
  row.cells.push_back(fmt::format("{}", value.processes));
  row.cells.push_back(fmt::format("{}", run.parts));
  row.cells.emplace_back(value.confidential ? "true" : "");
  return row;
}

}  // namespace

std::string csv_of(std::span<const run_values> runs) {
  auto shown = empty_table();
  for (const auto& run : runs)
    for (const auto& value : run.benchmarks) shown.rows.push_back(row_of(run, value));
  return csv_of(shown);
}

}  // namespace bench_transfers::exports
