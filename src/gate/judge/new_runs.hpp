#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/gate/judge/answer.hpp"
#include "src/gate/model/baseline.hpp"
#include "src/gate/model/run.hpp"

namespace bench_transfers::gate {

/// A benchmark of the baseline in the new runs.
struct new_figures {
  history figures;                    ///< of each run
  std::optional<remark> why_too_few;  ///< or measured otherwise; none: they can be compared
};

/// The new runs of a check, by benchmark. They outlive it, as the metric.
class new_runs {
 public:
  new_runs(std::span<const run> runs, const metric& judged_by, std::size_t look_runs);

  [[nodiscard]] new_figures figures_of(const std::string& name, const history& before) const;
  /// Adds their costs to what was observed in the baseline.
  void add_to(observation& observed, const history& figures) const;

 private:
  /// Runs with and without a benchmark.
  struct counts;
  [[nodiscard]] std::optional<remark> why_too_few(const counts& counted) const;
  [[nodiscard]] std::optional<remark> other_work(const std::string& name,
                                                 const history& before) const;

  std::span<const run> runs_;
  const metric& judged_by_;
  std::vector<std::size_t> sessions_, looks_;  ///< of each run
};

}  // namespace bench_transfers::gate
