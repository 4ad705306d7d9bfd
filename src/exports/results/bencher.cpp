#include <nlohmann/json.hpp>

#include "src/common/message.hpp"
#include "src/exports/results/fields.hpp"
#include "src/exports/results/formats.hpp"

namespace bench_transfers::exports {
namespace {

using json = nlohmann::ordered_json;

json metric_of(const measured_value& value) {
  json metric{{"value", value.value}};
  if (value.interval) {
    metric["lower_value"] = value.interval->low;
    metric["upper_value"] = value.interval->high;
  }
  return metric;
}

/// Bencher has no labels. Measures of their own keep a host's values, and those of encrypted
/// transfers, out of the thresholds of a GPU's.
json measures_of(const benchmark_value& value, bool on_host) {
  const std::string kind = on_host ? "-on-host" : value.confidential ? "-confidential" : "";
  json measures{{"latency" + kind, metric_of(value.time_ns)}};
  if (value.gb_per_s) measures["bandwidth" + kind] = metric_of(*value.gb_per_s);
  return measures;
}

}  // namespace

std::string bencher_of(std::span<const run_values> runs) {
  require_unique_names(runs, "Bencher");
  auto benchmarks = json::object();
  for (const auto& run : runs)
    for (const auto& value : run.benchmarks)
      benchmarks[value.described.name] = measures_of(value, run.on_host);
  return common::text_of(benchmarks);
}

}  // namespace bench_transfers::exports
