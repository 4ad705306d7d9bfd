#include "src/result_file/spread.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "src/result_file/benchmark_class.hpp"
#include "src/statistics/process_intervals.hpp"

namespace bench_transfers::result_file {
namespace {

struct benchmark_times {
  std::vector<double> all;
  std::map<int, std::vector<double>> by_process;
};

std::map<const benchmark*, benchmark_times> times_in(const contents& read) {
  std::map<const benchmark*, benchmark_times> times;
  for (const auto& row : read.rows) {
    const auto time_ns = row.number("median_ns");
    if (row.kind != row_kind::repetition || row.failed || time_ns.value_or(0) <= 0) continue;
    auto& of = times[row.benchmark];
    of.all.push_back(*time_ns);
    of.by_process[row.process].push_back(*time_ns);
  }
  return times;
}

/// Benchmarks that tell each other's variance, and the median of each in each process.
struct resembling {
  std::vector<const benchmark*> benchmarks;
  std::vector<std::vector<double>> medians;
};

/// Times of the CPU and of small copies move within minutes, and the processes of a file take half
/// a minute. Of 0, 0.05, 0.1 ... this is the least with which the intervals of host and of
/// latency each hold the medians of 13 machines in at least 94.5 % of the cases (103 files, by
/// interval_coverage; docs/METHOD.md, "Intervals").
double drift_of(benchmark_class kind, compared_with others) {
  return kind == benchmark_class::link || others == compared_with::same_run ? 0 : 0.2;
}

}  // namespace

std::map<const benchmark*, spread> spreads_of(const contents& read, compared_with others) {
  std::map<const benchmark*, spread> spreads;
  std::map<benchmark_class, resembling> classes;
  const auto times = times_in(read);
  // By name: sums in the order of addresses would have other last digits in each process.
  for (const auto& [name, benchmark] : read.benchmarks) {
    const auto* const described = &benchmark;
    const auto found = times.find(described);
    if (found == times.end()) continue;
    const auto& of = found->second;
    const double median = statistics::median(of.all);
    spreads[described] = {median, std::nullopt, statistics::two_modes_of(of.all)};
    auto& [benchmarks, medians] = classes[class_of(limited_by(*described, read.on_host), median)];
    benchmarks.push_back(described);
    medians.emplace_back();
    for (const auto& [process, values] : of.by_process)
      medians.back().push_back(statistics::median(values));
  }
  for (const auto& [kind, of] : classes) {
    const auto intervals = statistics::intervals_of_processes(of.medians, drift_of(kind, others));
    for (std::size_t place = 0; place < intervals.size(); ++place) {
      if (!intervals[place]) continue;
      auto& spread = spreads[of.benchmarks[place]];
      // What a process measures may be either mode.
      const double low = spread.modes ? spread.modes->low.median : spread.median;
      const double high = spread.modes ? spread.modes->high.median : spread.median;
      spread.interval = {std::min(intervals[place]->low, low),
                         std::max(intervals[place]->high, high)};
    }
  }
  return spreads;
}

}  // namespace bench_transfers::result_file
