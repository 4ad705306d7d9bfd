#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "src/gate/model/benchmark_class.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::gate {

/// Costs of one benchmark by session and process: natural logarithms, larger is slower. A session
/// in which the benchmark was not measured is empty.
using costs = std::vector<std::vector<double>>;

/// All processes, session by session.
std::vector<double> joined(const costs& sessions);

/// One benchmark before and after.
struct observation {
  costs before;      ///< three processes or more in all; as many sessions for every benchmark
  costs after;       ///< one process or more in all
  costs looks = {};  ///< the same by look instead of by session; empty: all are of the first look
  benchmark_class kind = benchmark_class::other;
  double least_deviation = 0;  ///< the resolution of clock and digits, in logarithms
};

/// Which runs tell how far processes differ.
enum class variance_told_by {
  baseline,   ///< new runs may be what is wrong
  both_sides  ///< neither is
};

/// When a difference counts.
struct limits {
  double threshold = 0.02;          ///< the slowdown that counts, as a part
  double latency_threshold = 0.05;  ///< the same for benchmarks of the class `latency`
  double false_alarm = 0.01;        ///< probability of any alarm in a check where nothing changed
  /// How many checks of a growing set of runs there may be. Together they raise a false alarm with
  /// the probability `false_alarm`.
  std::size_t looks = 1;
  /// Classes that do not decide. A slowdown in them counts only if it is large, and if its lower
  /// bound is.
  std::set<benchmark_class> vetoing = {};
  /// The new runs are of a machine that the baseline does not have.
  bool other_machine = false;
  /// Each session of the baseline is of a machine of its own.
  bool sessions_are_machines = false;
  variance_told_by told_by = variance_told_by::baseline;
  /// New runs may vary more than those of the baseline. Then their own variance counts.
  bool may_vary_more = false;

  [[nodiscard]] double threshold_for(benchmark_class kind) const {
    const bool is_latency = kind == benchmark_class::latency;
    const double own = is_latency ? latency_threshold : threshold;
    return vetoing.contains(kind) ? own * (is_latency ? 3 : 5) : own;
  }
};

/// The limits of a second figure: the mean of all operations, which is noisier than the median.
limits limits_of_means(limits of_medians);

enum class outcome {
  unchanged,  ///< not slower than the threshold, with a confidence of 95 %
  not_known,  ///< noise hides whether it is
  slower,
  faster,
  ambiguous
};

/// New processes that are slower than all of the baseline by several thresholds and by more than
/// its own processes explain. The centre may hide them.
enum class sighting {
  none,
  open,     ///< in the last look: nobody has looked again
  cleared,  ///< not seen again in a later look
  unsure,   ///< seen again in a later look, and chance may be the reason
  again     ///< seen again in a later look
};

/// How one benchmark is judged, and why. Shifts are differences of logarithms, positive if slower.
struct benchmark_judgement {
  outcome verdict = outcome::not_known;
  double shift = 0;           ///< after against before
  double standard_error = 0;  ///< of the shift beyond the common one, by processes and sessions
  double degrees = 0;         ///< of freedom, of the standard error
  /// That an unchanged benchmark looks as slow as this; adjusted for all comparisons of the check.
  double p = 1;
  double at_least = 0;  ///< lower bound of the shift, of all benchmarks of the check together
  double at_most = 0;   ///< upper bound with a confidence of 95 %, of this benchmark alone
  gate::sighting sighting = sighting::none;
  std::size_t slow_processes = 0;  ///< of the sighting
  double slowest = 0;              ///< shift of the slowest new process
  /// New processes that are slower than nine tenths of the baseline's, by more than the threshold
  /// and noise, if these are most of them; otherwise 0.
  std::size_t most_slower = 0;
  double process_deviation = 0;  ///< standard deviation of one process
  double session_deviation = 0;  ///< and of one session
  double detectable = 0;         ///< the slowdown that is found with a probability of 80 %
  double detectable_surely = 0;  ///< of 95 %
  /// The upper bound that a benchmark gets with a probability of 80 % if nothing has changed.
  double resolution = 0;
};

/// The confidence interval of the shift: two-sided, by Student's t, of this benchmark alone. Like
/// the standard error, it does not contain the uncertainty of the common shift. None if the
/// standard error is not known.
std::optional<statistics::interval> interval_of(const benchmark_judgement& judgement,
                                                double confidence);

/// Whether noise hides a slowdown of the threshold, given as a part.
bool is_advisory(const benchmark_judgement& judgement, double threshold);
/// Whether noise hides even one of three times the threshold.
bool is_blind(const benchmark_judgement& judgement, double threshold);

/// What the benchmarks of a class have in common.
struct common_shift {
  benchmark_class kind = benchmark_class::other;
  std::size_t benchmarks = 0;
  double shift = 0;  ///< median of the shifts
  double shift_of_slower_quarter = 0;
  double explained = 0;  ///< how far the baseline's sessions lie apart; 0 if there are too few
  bool changed = false;  ///< beyond the threshold
  double at_least = 0;   ///< lower bound of the shift; larger than the threshold: all are slower
  /// Slower by the threshold with a confidence of 95 %, but not beyond doubt.
  bool may_be_slower = false;
  bool slower = false;  ///< by the threshold, beyond doubt
};

struct comparison {
  std::vector<benchmark_judgement> benchmarks;  ///< in the order of the observations
  std::vector<common_shift> classes;            ///< of ten benchmarks or more
};

/// Judges every benchmark, each class by itself; docs/GATE.md explains how. Throws
/// std::invalid_argument if a benchmark has too few processes.
comparison compare(std::span<const observation> observations, const limits& limits);

/// What a check with `new_processes` in one session would detect: the same fields, no verdict.
/// Without new runs, the variance of sessions comes from the baseline, or is assumed.
std::vector<benchmark_judgement> detectable(std::span<const observation> observations,
                                            std::size_t new_processes, const limits& limits);

/// The same without the detectable slowdowns, which take the most time.
std::vector<benchmark_judgement> expected_bounds(std::span<const observation> observations,
                                                 std::size_t new_processes, const limits& limits);

/// The same for each of several numbers of new processes.
std::vector<std::vector<benchmark_judgement>> expected_bounds(
    std::span<const observation> observations, std::span<const std::size_t> new_processes,
    const limits& limits);

}  // namespace bench_transfers::gate
