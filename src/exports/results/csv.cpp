#include "src/exports/csv.hpp"

#include <fmt/format.h>

#include "src/exports/results/fields.hpp"
#include "src/exports/results/formats.hpp"

namespace bench_transfers::exports {
namespace {

/// The cells of a benchmark without it are empty.
void add_value(std::vector<csv_cell>& cells, const std::optional<measured_value>& value,
               const char* better) {
  std::vector<csv_cell> added(4);
  if (value) {
    added[0] = csv_number(value->value);
    added[3] = {better};
  }
  if (value && value->interval) {
    added[1] = csv_number(value->interval->low);
    added[2] = csv_number(value->interval->high);
  }
  cells.insert(cells.end(), added.begin(), added.end());
}

std::vector<csv_cell> cells_of(const run_values& run, const benchmark_value& value) {
  std::vector<csv_cell> cells{
      csv_text(run.file), csv_text(run.started_utc), {run.complete ? "true" : "false"}};
  for (const auto& [key, text] : fields_of(run, value)) cells.push_back(csv_text(text));
  cells.push_back({fmt::format("{}", value.repetitions)});
  cells.push_back(value.bytes ? csv_number(*value.bytes) : csv_cell{});
  add_value(cells, value.time_ns, "less");
  add_value(cells, value.gb_per_s, "more");
  cells.push_back({fmt::format("{}", run.parts)});
  cells.push_back({value.confidential ? "true" : ""});
  return cells;
}

std::vector<csv_cell> heads() {
  std::vector<csv_cell> cells{{"file"}, {"started_utc"}, {"complete"}};
  for (const auto& [key, text] : fields_of({}, {})) cells.push_back({key});
  for (const auto* head : {"repetitions", "moved_bytes", "time_ns", "time_low_ns", "time_high_ns",
                           "time_better", "rate_gb_per_s", "rate_low_gb_per_s",
                           "rate_high_gb_per_s", "rate_better", "parts", "confidential_computing"})
    cells.push_back({head});
  return cells;
}

}  // namespace

std::string csv_of(std::span<const run_values> runs) {
  auto text = csv_line(heads());
  for (const auto& run : runs)
    for (const auto& value : run.benchmarks) text += csv_line(cells_of(run, value));
  return text;
}

}  // namespace bench_transfers::exports
