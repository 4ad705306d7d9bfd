#pragma once

#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "bench/harness/concurrent.hpp"
#include "bench/harness/measure.hpp"
#include "bench/harness/measured_device.hpp"
#include "bench/harness/metrics.hpp"
#include "bench/harness/plan.hpp"
#include "bench/harness/progress.hpp"
#include "bench/harness/rows.hpp"
#include "bench/harness/settings.hpp"
#include "bench/harness/surroundings.hpp"
#include "bench/harness/time_estimate.hpp"
#include "bench/harness/time_limit.hpp"
#include "bench/strategy/buffers.hpp"
#include "src/machine/gpu_monitor.hpp"
#include "src/result_file/writer.hpp"

namespace bench_transfers::bench {

/// A benchmark that failed, and why.
struct failure {
  std::string name;
  common::message reason;
};

/// One measurement of a benchmark, and what disturbed it.
struct repetition {
  run reported;
  std::set<result_file::disturbance> disturbed = {};
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

/// Measures a plan. Chooses each benchmark's schedule and verifies one operation, then repeats all
/// benchmarks in rounds, each round in a new random order, so that slow drifts of the machine
/// affect all of them alike.
class session {
 public:
  /// `devices`: at least one. `rows` gets every repetition immediately. Throws what
  /// device::create_stream and device_clock throw, if they do so for every device.
  /// `ranks`: the other processes of the node; null: there are none. They need a run without limit.
  session(device_list devices, const settings& settings, result_file::writer& rows, progress& shown,
          const surroundings& watched, fleet::node_ranks* ranks = nullptr,
          time_limit limit = time_limit());

  /// The outcome reports failures of benchmarks and of writing rows.
  outcome measure(const plan& plan);

 private:
  struct state;

  [[nodiscard]] int most_rounds(std::span<const state> cases) const;
  [[nodiscard]] int most_repetitions(const state& measured) const;
  [[nodiscard]] bool is_measured(const state& measured) const;
  /// Some after others, as far as the time goes.
  void measure_within_time(std::span<state> cases, outcome& result);
  [[nodiscard]] bool is_to_end(const outcome& result) const;
  /// Prepares and repeats these benchmarks, or the first of them if preparing would take more than
  /// half of the time that is left. `limit`: no more than the fewest rounds begin that would last
  /// longer. Returns how many it has prepared.
  std::size_t measure_cases(std::span<state> cases, outcome& result,
                            std::optional<std::chrono::nanoseconds> limit = std::nullopt);
  /// Those of this rank alone while the others wait, and then those of all ranks at once.
  void measure_in_turn(std::span<state> alone, std::span<state> at_once, outcome& result);
  /// Returns how many; at least one, unless it is interrupted.
  std::size_t settle_all(std::span<state> cases, outcome& result);
  [[nodiscard]] expected_work work_of(const state& measured) const;
  void settle_case(state& measured, outcome& result);
  void measure_round(std::span<state> cases, int round, outcome& result);
  /// Runs one repetition and writes its row.
  void repeat(state& measured, int round, outcome& result);
  void report_failure(state& measured, int round, outcome& result);
  /// Of benchmarks that failed while they were prepared, and that no round has come to.
  void report_other_failures(std::span<state> cases, outcome& result);
  [[nodiscard]] cut_off cut_by_time(std::span<const state> cases) const;
  repetition repeat_prepared(state& measured, int round, transfer& ready);
  run time_in_engine(state& measured, const transfer& ready, samples& times,
                     std::optional<double>& cores);
  void verify_first(const benchmark_case& planned, transfer& ready);
  void flush_ends(const transfer& ready) const;
  void time(const transfer& ready, const state& measured,
            const std::function<void(const std::function<void()>&)>& untimed, samples& times);
  void poison_destination(const benchmark_case& planned, transfer& ready) const;
  /// Throws wrong_data unless the destination holds the expected data.
  void require_undamaged(const benchmark_case& planned, transfer& transfer) const;
  void describe(const metric_list& metrics);
  [[nodiscard]] bench::schedule undisturbed_schedule(const benchmark_case& planned,
                                                     const transfer& ready);
  /// Takes the repetitions that count to the outcome. A benchmark with spoilt ones only has failed.
  void conclude(const std::vector<state>& cases, outcome& result);

  /// Prepares the transfer and passes it to `work`. An exception becomes the state's error, and the
  /// buffers hold the test pattern again. Rethrows what makes it impossible here: `unsupported`, no
  /// memory, no more threads.
  template <class Work>
  void run_guarded(state& measured, Work&& work);

  [[nodiscard]] transfer prepare(const benchmark_case& planned) const;
  [[nodiscard]] std::vector<flow_job> flows_of(const benchmark_case& planned) const;
  [[nodiscard]] std::vector<transfers::device*> other_devices(const benchmark_case& planned) const;

  /// Makes a failure the state's error. Returns one that says that the benchmark is impossible
  /// here. `device`: where it happened.
  std::exception_ptr take_failure(state& measured, std::optional<std::size_t> device,
                                  const std::exception_ptr& failure);

  /// The device that a benchmark is prepared on, and the device's stream and clock.
  [[nodiscard]] const measured_device& device_of(const benchmark_case& planned) const;
  [[nodiscard]] transfers::stream& stream_of(const benchmark_case& planned) const;
  [[nodiscard]] const device_clock& clock_of(const benchmark_case& planned) const;
  void synchronize(const benchmark_case& planned) const;
  void read_monitors(outcome& result) const;
  /// Why a device of the benchmark can do nothing any more; nullopt if all are well.
  [[nodiscard]] std::optional<common::message> why_lost(const benchmark_case& planned) const;
  /// Makes its stream and clock; returns why there are none.
  std::exception_ptr start(std::size_t index);
  /// Throws why a device of the benchmark has no stream or clock.
  void require_started(const benchmark_case& planned) const;
  void lose_device(std::size_t index, const std::string& benchmark, const char* reason);
  /// The same for the one of the benchmark's devices that is lost, if it is not known which.
  void lose_device(std::optional<std::size_t> index, const benchmark_case& planned,
                   const char* reason);
  /// Writes the test pattern again where an operation has changed or may have damaged it.
  void restore_pattern(const benchmark_case& planned, const transfer& ready);
  void restore_pattern(std::size_t device, const benchmark_case& planned, const transfer& ready);

  device_list devices_;
  std::vector<std::unique_ptr<transfers::stream>> streams_;  ///< one for each device
  std::vector<std::optional<device_clock>> clocks_;          ///< likewise
  std::map<std::size_t, std::exception_ptr> not_started_;    ///< by index: why it has none of these
  flow_team team_;
  const settings& settings_;
  result_file::writer& rows_;
  progress& shown_;
  const surroundings& watched_;
  fleet::node_ranks* ranks_;
  time_limit limit_;
  std::size_t cpus_at_start_;
  std::vector<repetition> repetitions_;                  ///< in order of measurement
  std::map<std::size_t, common::message> lost_devices_;  ///< by index: why nothing can be measured
};

}  // namespace bench_transfers::bench
