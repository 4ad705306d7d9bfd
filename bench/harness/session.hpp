#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/harness/measure.hpp"
#include "bench/harness/measured_device.hpp"
#include "bench/harness/metrics.hpp"
#include "bench/harness/plan.hpp"
#include "bench/harness/progress.hpp"
#include "bench/harness/rows.hpp"
#include "bench/harness/settings.hpp"
#include "bench/strategy/buffers.hpp"
#include "src/machine/gpu_monitor.hpp"
#include "src/result_file/writer.hpp"

namespace bench_transfers::bench {

/// A benchmark that failed, and why.
struct failure {
  std::string name;
  common::message reason;
};

/// What came out of a session, besides the rows that went to the result file.
struct outcome {
  std::vector<run> runs;  ///< every repetition measured, in order of measurement
  std::vector<failure> failures;
  std::vector<skipped_case> skipped;  ///< found impossible only when prepared
  bool device_lost = false;           ///< the rest could not be measured
  int signal = 0;                     ///< the signal that interrupted it, 0 for none
  std::exception_ptr write_failure;   ///< of the result file, with which it ended
  /// Of each device, the GPU's reasons between rounds; nullopt: no monitor, or it does not tell.
  std::vector<std::optional<machine::throttle_reasons>> throttled_by;
};

/// Measures everything planned: settles each benchmark's schedule and proves once that one
/// operation does the whole job, then repeats all benchmarks in rounds, each round in a new random
/// order, so that slow drifts of the machine touch all of them alike.
class session {
 public:
  /// `devices`: one at least. `rows` takes every repetition at once.
  session(device_list devices, const options& chosen, result_file::writer& rows, progress& shown);

  /// What goes wrong, in a benchmark or when a row is written, is in the outcome.
  outcome measure(const plan& all);

 private:
  struct state;

  [[nodiscard]] int most_rounds(const std::vector<state>& cases) const;
  void settle_all(std::vector<state>& cases, outcome& result);
  void measure_round(std::vector<state>& cases, int round, outcome& result);
  /// One repetition and its row.
  void repeat(state& measured, int round, outcome& result);
  run repeat_prepared(state& measured, int round, transfer& ready);
  run time_in_engine(state& measured, const transfer& ready, samples& taken,
                     std::optional<double>& cores);
  void poison_destination(const benchmark_case& planned, transfer& ready) const;
  /// Throws wrong_data unless the destination is right.
  void require_undamaged(const benchmark_case& planned, transfer& done) const;
  void describe(const metric_list& metrics);

  /// Prepares the transfer and hands it to `work`; an exception becomes the state's error, and the
  /// buffers hold the test pattern again. Lets `unsupported` and `out_of_memory` pass.
  template <class Work>
  void run_guarded(state& measured, Work&& work);

  [[nodiscard]] transfer prepare(const benchmark_case& planned) const;

  /// The device that a benchmark is prepared on, and its stream.
  [[nodiscard]] const measured_device& device_of(const benchmark_case& planned) const;
  [[nodiscard]] transfers::stream& stream_of(const benchmark_case& planned) const;
  void synchronize(const benchmark_case& planned) const;
  void read_monitors(outcome& result) const;

  device_list devices_;
  std::vector<std::unique_ptr<transfers::stream>> streams_;  ///< of each device
  const options& chosen_;
  result_file::writer& rows_;
  progress& shown_;
  std::optional<common::message> device_lost_;  ///< why nothing can be measured any more
};

}  // namespace bench_transfers::bench
