#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/harness/measure.hpp"
#include "bench/harness/plan.hpp"
#include "bench/harness/progress.hpp"
#include "bench/harness/rows.hpp"
#include "bench/harness/settings.hpp"
#include "bench/strategy/buffers.hpp"
#include "src/machine/gpu_monitor.hpp"
#include "src/result_file/writer.hpp"

namespace bench_transfers::bench {

struct failure {
  std::string name;
  std::string reason;
};

/// What came out of a session, besides the rows that went to the result file.
struct outcome {
  std::vector<run> runs;  ///< every repetition measured, in order of measurement
  std::vector<failure> failures;
  std::vector<skipped_case> skipped;  ///< found impossible only when prepared
  bool device_lost = false;           ///< the rest could not be measured
  int signal = 0;                     ///< what interrupted it, 0 for nothing
  std::exception_ptr write_failure;   ///< of the result file, with which it ended
  /// The GPU's reasons between rounds; nullopt: no monitor, or it does not tell.
  std::optional<machine::throttle_reasons> throttled_by;
};

/// Measures everything planned: settles each benchmark's schedule and proves once that one
/// operation does the whole job, then repeats all benchmarks in rounds, each round in a new random
/// order, so that slow drifts of the machine touch all of them alike.
class session {
 public:
  /// `link_limit` in GB/s for the counter link_percent; `rows` takes every repetition at once.
  /// `monitor` is read after each round, if there is one.
  session(transfers::device& device, buffers& memory, const options& chosen,
          std::optional<double> link_limit, results::result_file& rows, progress& shown,
          const machine::gpu_monitor* monitor = nullptr);

  /// What goes wrong, in a benchmark or when a row is written, is in the outcome.
  outcome measure(const plan& all);

 private:
  struct state;

  [[nodiscard]] int most_rounds(const std::vector<state>& cases) const;
  void settle_all(std::vector<state>& cases, outcome& result);
  void measure_round(std::vector<state>& cases, int round, outcome& result);
  void repeat(benchmark::State& google, state& one);
  std::optional<std::string> repeat_prepared(benchmark::State& google, state& one, transfer& ready);
  void poison_destination(transfer& ready);
  /// What is wrong with the destination, if anything.
  [[nodiscard]] std::optional<std::string> damage_after(transfer& done);

  /// Prepares the transfer and hands it to `work`; what goes wrong ends up in the state's error,
  /// and the buffers hold the test pattern again. Lets `unsupported` and
  /// `out_of_memory` pass.
  template <class Work>
  void run_guarded(state& one, Work&& work);

  [[nodiscard]] transfer prepare(const benchmark_case& what) const;
  void set_counters(benchmark::State& google, const state& one, const transfer& done,
                    const samples& taken, std::optional<double> cores) const;

  transfers::device& device_;
  buffers& memory_;
  std::unique_ptr<transfers::stream> stream_;
  const options& chosen_;
  std::optional<double> link_limit_;
  results::result_file& rows_;
  progress& shown_;
  const machine::gpu_monitor* monitor_;
  std::optional<std::string> device_lost_;  ///< why nothing can be measured any more
  std::exception_ptr write_failure_;        ///< carried around Google Benchmark's frames
};

}  // namespace bench_transfers::bench
