#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/harness/measure.hpp"
#include "bench/harness/plan.hpp"
#include "bench/strategy/transfer.hpp"
#include "src/result_file/format.hpp"

// The metrics that the harness measures for every strategy.

namespace bench_transfers::bench {

/// Metrics of one repetition, in the order in which they were added.
class metric_list {
 public:
  void add(result_file::metric metric, double value) {
    entries_.push_back({std::move(metric), value});
  }
  [[nodiscard]] const std::vector<measured_metric>& entries() const { return entries_; }
  [[nodiscard]] metric_values values() const;

 private:
  std::vector<measured_metric> entries_;
};

/// The metrics of one repetition of a benchmark. `cores`: busy cores, if known; `link_limit` in
/// GB/s.
metric_list metrics_of(const benchmark_case& measured, const transfer& transfer,
                       const schedule& planned, const samples& samples, std::optional<double> cores,
                       std::optional<double> link_limit);

}  // namespace bench_transfers::bench
