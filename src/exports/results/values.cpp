#include "src/exports/results/values.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "src/common/text.hpp"
#include "src/result_file/spread.hpp"

namespace bench_transfers::exports {
namespace {

struct benchmark_rows {
  const result_file::benchmark* described = nullptr;
  std::vector<double> times_ns;
  std::optional<double> bytes;
  std::set<int> processes;
  bool failed = false;
};

using rows_by_name = std::map<std::string, benchmark_rows, common::natural_order>;

rows_by_name collected(const result_file::contents& read) {
  rows_by_name benchmarks;
  for (const auto& row : read.rows) {
    if (row.kind != result_file::row_kind::repetition) continue;
    auto& rows = benchmarks[row.benchmark->name];
    rows.described = row.benchmark;
    if (row.failed) rows.failed = true;
    const auto time_ns = row.number("median_ns");
    if (row.failed || !time_ns || *time_ns <= 0) continue;
    rows.times_ns.push_back(*time_ns);
    rows.processes.insert(row.process);
    if (const auto bytes = row.number("bytes"); bytes && *bytes > 0) rows.bytes = bytes;
  }
  return benchmarks;
}

/// The rate of the median time. The ends of the interval change places.
measured_value rate_of(double bytes, const measured_value& time_ns) {
  measured_value rate{bytes / time_ns.value, std::nullopt};
  if (time_ns.interval)
    rate.interval = {bytes / time_ns.interval->high, bytes / time_ns.interval->low};
  return rate;
}

benchmark_value value_of(const result_file::contents& read, const benchmark_rows& rows,
                         const result_file::spread& spread) {
  benchmark_value value;
  value.described = *rows.described;
  for (const auto index : rows.described->devices)
    value.devices.push_back(result_file::id_of_device(read, index));
  if (!rows.described->devices.empty()) {
    const auto first = rows.described->devices.front();
    const auto& device = result_file::device_of(read, first);
    value.device_name = result_file::text_at(device, {"name"});
    value.uuid = result_file::text_at(device, {"uuid"});
    value.confidential = result_file::is_confidential(read, first);
  }
  value.repetitions = rows.times_ns.size();
  value.processes = rows.processes.size();
  // Memory that is allocated or freed is not moved.
  const auto& role = read.role_of(*rows.described);
  if (role.shown_in != result_file::table::allocation) value.bytes = rows.bytes;
  value.time_ns = {statistics::median(rows.times_ns), spread.interval};
  value.modes = spread.modes;
  if (value.bytes) value.gb_per_s = rate_of(*value.bytes, value.time_ns);
  return value;
}

}  // namespace

run_values values_of(const result_file::contents& read, const std::string& name) {
  run_values run;
  run.file = common::printable(name);
  run.started_utc = result_file::text_at(read.facts, {"run", "started_utc"});
  run.on_host = read.on_host;
  run.complete = read.complete;
  run.parts = read.parts;
  const auto spreads = result_file::spreads_of(read);
  for (const auto& [benchmark, rows] : collected(read)) {
    if (rows.failed)
      run.failed.push_back(benchmark);
    else if (rows.times_ns.empty())
      run.timeless.push_back(benchmark);
    else
      run.benchmarks.push_back(value_of(read, rows, spreads.at(rows.described)));
  }
  return run;
}

}  // namespace bench_transfers::exports
