#pragma once

#include <optional>
#include <set>

#include "bench/harness/devices.hpp"
#include "bench/harness/flow_team.hpp"
#include "bench/harness/google_engine.hpp"
#include "bench/harness/measured_case.hpp"
#include "bench/harness/metrics.hpp"
#include "bench/harness/settings.hpp"
#include "bench/harness/surroundings.hpp"
#include "bench/harness/turns.hpp"
#include "bench/strategy/written_lines.hpp"

namespace bench_transfers::bench {

/// One measurement of a benchmark, and what disturbed it.
struct repetition {
  run reported;
  std::set<result_file::disturbance> disturbed = {};
  int round = 0;  ///< of the process, from 1
};

/// Prepares a benchmark anew for each use, verifies it, times it, and leaves the test pattern in
/// the buffers. A failure becomes the case's error.
class case_runner {
 public:
  /// `others`: null, if there are none.
  case_runner(running_devices& devices, const settings& settings, const surroundings& watched,
              turns* others);

  /// Verifies one operation and chooses the schedule. Returns why that is impossible here.
  std::optional<common::message> settle(measured_case& measured);

  struct measurement {
    bench::repetition repetition;
    metric_list metrics;
  };
  /// What is repeated from now on is of this round of the process, from 1.
  void begin_round(int number) { round_of_process_ = number; }
  /// `round`: counted from the first part of the run. None: it failed, or was interrupted.
  std::optional<measurement> repeat(measured_case& measured, int round);

 private:
  template <class Work>
  std::optional<common::message> with_prepared(measured_case& measured, Work&& work);
  [[nodiscard]] transfer prepare(const benchmark_case& planned) const;
  [[nodiscard]] std::vector<flow_job> flows_of(const benchmark_case& planned) const;
  void verify_first(const benchmark_case& planned, transfer& ready);
  [[nodiscard]] bench::schedule undisturbed_schedule(const benchmark_case& planned,
                                                     const transfer& ready);
  measurement measure(measured_case& measured, int round, transfer& ready);
  run time_in_engine(const measured_case& measured, int round, const transfer& ready,
                     const line_preparation& lines, samples& times, std::optional<double>& cores);

  running_devices& devices_;
  const settings& settings_;
  const surroundings& watched_;
  turns* others_;
  flow_team team_;
  std::size_t cpus_at_start_;
  int round_of_process_ = 0;
};

}  // namespace bench_transfers::bench
