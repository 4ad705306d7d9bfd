#pragma once

#include <chrono>
#include <exception>
#include <optional>
#include <span>
#include <vector>

#include "bench/harness/outcome.hpp"
#include "bench/harness/progress.hpp"
#include "bench/harness/sentinels.hpp"
#include "bench/harness/settings.hpp"
#include "bench/harness/time_estimate.hpp"
#include "bench/harness/time_limit.hpp"

namespace bench_transfers::bench {

/// Prepares benchmarks and repeats all of them in rounds, each round in a new random order, so that
/// slow drifts of the machine affect all of them alike.
class rounds {
 public:
  /// `watched`: null, if there are no sentinels.
  rounds(case_runner& runner, running_devices& devices, results& kept, const settings& settings,
         progress& shown, const time_limit& limit, sentinels* watched)
      : runner_(runner),
        devices_(devices),
        kept_(kept),
        settings_(settings),
        shown_(shown),
        limit_(limit),
        watched_(watched) {}

  /// Measures these benchmarks, or the first of them if preparing would take more than half of the
  /// time that is left. `most`: no more than the fewest rounds begin that would last longer.
  /// Returns how many it has prepared; at least one, unless it is interrupted.
  std::size_t measure(std::span<measured_case> cases,
                      std::optional<std::chrono::nanoseconds> most = std::nullopt);
  /// Of benchmarks that failed while they were prepared, and that no round has come to.
  void report_failures(std::span<measured_case> cases);

  [[nodiscard]] bool is_over() const;
  /// The failure to write a row that ended it.
  [[nodiscard]] const std::exception_ptr& write_failure() const { return write_failure_; }

 private:
  /// That this process measures.
  [[nodiscard]] int own_rounds() const;
  /// Until the run ends, if the processes to come take as long as this one.
  [[nodiscard]] std::chrono::duration<double> time_left(
      std::chrono::duration<double> in_this_process) const;
  std::size_t settle_all(std::span<measured_case> cases);
  [[nodiscard]] expected_work work_of(const measured_case& measured) const;
  [[nodiscard]] int most_rounds(std::span<const measured_case> cases) const;
  [[nodiscard]] std::vector<measured_case*> order_of(std::span<measured_case> cases,
                                                     int round) const;
  void measure_round(const std::vector<measured_case*>& order, int round);
  void measure_each(const std::vector<measured_case*>& order, int round);
  /// Runs one repetition and writes its row.
  void repeat(measured_case& measured, int round);

  case_runner& runner_;
  running_devices& devices_;
  results& kept_;
  const settings& settings_;
  progress& shown_;
  const time_limit& limit_;
  sentinels* watched_;
  int begun_ = 0;  ///< rounds of this process
  wall_clock::time_point start_ = wall_clock::now();
  std::exception_ptr write_failure_;
};

}  // namespace bench_transfers::bench
