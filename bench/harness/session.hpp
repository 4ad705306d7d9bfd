#pragma once

#include <memory>
#include <span>

#include "bench/harness/rounds.hpp"

namespace bench_transfers::bench {

/// Measures a plan in rounds: as far as the time goes, or in turn with other processes.
class session {
 public:
  /// `devices`: at least one. `rows` gets every repetition immediately. Throws what running_devices
  /// throws. `others`: null, if there are none. They need a run without limit.
  session(const device_list& devices, const settings& settings, result_file::writer& rows,
          progress& shown, const surroundings& watched, turns* others = nullptr,
          time_limit limit = time_limit());

  /// The outcome reports failures of benchmarks and of writing rows.
  outcome measure(const plan& plan);

 private:
  /// Some after others.
  void measure_within_time(std::span<measured_case> cases);
  /// Those of this process alone while the others wait, and then those of all at once.
  void measure_in_turn(std::span<measured_case> cases);
  [[nodiscard]] cut_off cut_by_time(std::span<const measured_case> cases) const;

  const settings& settings_;
  turns* others_;
  time_limit limit_;
  running_devices devices_;
  case_runner runner_;
  std::unique_ptr<sentinels> watched_;  ///< null among ranks, which would time one another
  results kept_;
  rounds rounds_;
};

}  // namespace bench_transfers::bench
