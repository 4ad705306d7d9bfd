#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "bench/harness/measure.hpp"
#include "bench/harness/plan.hpp"
#include "bench/harness/settings.hpp"
#include "src/common/message.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::bench {

/// A benchmark while it is measured. It goes on where earlier parts of its run have ended.
struct measured_case {
  using seconds = std::chrono::duration<double>;

  measured_case(const benchmark_case& chosen, const process_of_run& process, int rounds)
      : planned(&chosen),
        medians(chosen.earlier.medians),
        repetitions(chosen.earlier.count),
        fewest(process.continues() ? repetitions + process.own(rounds) : 0) {}

  const benchmark_case* planned;
  bench::schedule schedule = {};
  std::optional<common::message> error = {};  ///< one row reports it; no further repetitions
  bool finished = false;
  std::vector<double> medians;  ///< one for each repetition that is not spoilt, in ns
  seconds cost{};               ///< of the last repetition, or as expected, for the time left
  seconds spent{};              ///< on all repetitions
  int repetitions;
  int fewest;  ///< repetitions, however well the median is known: each process has some
  bool impossible = false;  ///< here; it is skipped

  [[nodiscard]] bool until_stable() const { return planned->measured->sampling.until_stable; }
  /// So far; none: no repetition counts.
  [[nodiscard]] std::optional<double> median() const {
    return medians.empty() ? std::nullopt : std::optional(statistics::median(medians));
  }
  /// Whether there are all repetitions: as many as there are rounds, or, where it is repeated until
  /// it is stable, until then, but no more than three times as many.
  [[nodiscard]] bool is_measured(int rounds) const {
    if (!until_stable()) return repetitions >= rounds;
    return repetitions >= 3 * rounds || (repetitions >= fewest && is_known_well());
  }

 private:
  /// Whether the median is known well enough, or more repetitions would take too long.
  [[nodiscard]] bool is_known_well() const {
    constexpr std::size_t least = 5;
    constexpr std::size_t least_of_long_ones = 3;
    constexpr seconds long_enough{0.5};
    if (medians.size() >= least_of_long_ones && spent >= long_enough) return true;
    if (medians.size() < least) return false;
    const auto [low, high] = statistics::interval_of_median(medians, 0.95);
    return high - low <= 0.1 * statistics::median(medians);
  }
};

}  // namespace bench_transfers::bench
