#pragma once

#include <cstddef>
#include <exception>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "bench/harness/case_runner.hpp"
#include "bench/harness/plan.hpp"
#include "bench/harness/sentinels.hpp"
#include "src/common/message.hpp"
#include "src/machine/gpu_monitor.hpp"
#include "src/result_file/writer.hpp"

namespace bench_transfers::bench {

/// A benchmark that failed, and why.
struct failure {
  std::string name;
  common::message reason;
};

/// How many repetitions were disturbed.
struct disturbance_counts {
  std::size_t repetitions = 0;  ///< of all benchmarks
  std::size_t disturbed = 0;    ///< of these
  std::size_t counted = 0;      ///< of the disturbed ones: their benchmarks have no others
  std::map<result_file::disturbance, std::size_t> by_code;
};

/// What a limit on time has kept from being measured: names of benchmarks.
struct cut_off {
  std::vector<std::string> left_out;   ///< without any repetition
  std::vector<std::string> shortened;  ///< with fewer repetitions than asked for
  std::vector<std::string> unstable;   ///< not yet stable, of those that are repeated until then

  [[nodiscard]] bool empty() const {
    return left_out.empty() && shortened.empty() && unstable.empty();
  }
};

/// The outcome of a session, besides the rows in the result file.
struct outcome {
  std::vector<run> runs;  ///< the repetitions that count, in order of measurement
  std::vector<run>
      slowed;  ///< the others that are not spoilt: their benchmarks have less disturbed ones
  disturbance_counts disturbances;
  std::vector<failure> failures;
  std::vector<skipped_case> skipped;   ///< could be planned but not prepared
  std::set<std::size_t> lost_devices;  ///< the rest of their benchmarks could not be measured
  int signal = 0;                      ///< the signal that interrupted it, 0 for none
  cut_off by_time;
  std::exception_ptr write_failure;  ///< the failure to write the result file that ended it
  /// For each device, the GPU's throttle reasons between rounds; nullopt: not known.
  std::vector<std::optional<machine::throttle_reasons>> throttled_by;
  std::vector<common::message> warnings = {};  ///< of what happened to the run as a whole
};

/// What a session has measured so far, and its rows, which are written immediately.
class results {
 public:
  results(result_file::writer& rows, const settings& settings) : rows_(rows), settings_(settings) {}

  void add(case_runner::measurement made);
  /// Keeps the readings of a round.
  void add(const std::vector<result_file::sentinel_readings>& of_round,
           std::span<const sentinel_refusal> refusals);
  /// Reports the case's error; there are no further repetitions.
  void fail(measured_case& failed, int round);
  void skip(measured_case& impossible, common::message reason);
  /// Takes the repetitions that count to the outcome: the least disturbed ones of each benchmark.
  /// One with spoilt ones only has failed. `cases`: all of the plan.
  outcome conclude(std::span<const measured_case> cases);

 private:
  /// With the number of the process, where there may be several.
  [[nodiscard]] nlohmann::ordered_json of_process(nlohmann::ordered_json row) const;
  /// Marks the rows of all rounds that are slow by what is known now. Repetitions get the marks of
  /// their rows.
  void mark_slow_rounds();

  result_file::writer& rows_;
  const settings& settings_;
  std::vector<repetition> repetitions_;  ///< in order of measurement
  outcome outcome_;
};

}  // namespace bench_transfers::bench
