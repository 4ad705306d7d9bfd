#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/gate/judge/compare.hpp"
#include "src/gate/model/fingerprint.hpp"
#include "src/gate/model/metric.hpp"
#include "src/gate/model/reason.hpp"
#include "src/gate/model/verdict.hpp"

namespace bench_transfers::gate {

/// Fewer new runs get no verdict.
inline constexpr std::size_t least_new_processes = 3;

struct question {
  limits allowed;
  std::string allow_missing;              ///< regular expression for whole or part of a name
  std::set<std::string> allow_different;  ///< keys of fingerprints
};

/// What a check says of one benchmark.
struct finding {
  std::string name;
  verdict result = verdict::same;
  bool latency_bound = false;
  double threshold = 0;          ///< as a part: 0.02
  std::optional<double> before;  ///< centre of the processes, in the metric's unit
  std::optional<double> after;
  std::optional<judged> judgement;  ///< of what was compared
  /// Of what was compared, each new run's own distance from `before`, in logarithms, positive when
  /// slower; in the order given.
  std::vector<std::optional<double>> shifts;
  /// Noise hides slowdowns of more than the threshold: with a probability of 80 % only larger ones
  /// would be found, whatever the threshold.
  bool advisory = false;
  bool excused = false;        ///< missing, and allowed to be
  std::optional<remark> note;  ///< why it is missing, or what measuring it again has shown
};

/// By how much slower, as a part: 0.03 for 3 % more time, or for 3 % less of a rate.
double slowdown(double shift);

struct changed_fact {
  difference fact;
  bool allowed = false;
};

/// The answer to a check.
struct report {
  exit_code code = exit_code::pass;
  question asked;
  metric judged_by;
  std::string device;
  bool on_host = false;
  bool has_fingerprint = true;
  std::size_t processes_before = 0, sessions_before = 0;
  std::size_t processes_after = 0, sessions_after = 0;
  std::vector<changed_fact> changed;  ///< of the machine; reported first, as it explains the rest
  std::vector<common_shift> classes;
  std::vector<finding> findings;  ///< by verdict, worst first, then by size of the change
  std::vector<reason> reasons;    ///< why the answer is inconclusive, or would be
  std::vector<note> notes;

  [[nodiscard]] std::size_t count(verdict found) const;
  [[nodiscard]] std::size_t advisory() const;
  [[nodiscard]] std::size_t compared() const;
  /// Compared, and not advisory.
  [[nodiscard]] std::size_t telling() const;
  /// Benchmarks of the baseline, also those not measured any more.
  [[nodiscard]] std::size_t of_baseline() const;
  /// Benchmarks that are missing and must not be.
  [[nodiscard]] std::size_t missing() const;
  /// Benchmarks of the baseline that no run has measured.
  [[nodiscard]] std::size_t not_measured() const;
  /// Of those, the ones that must not be missing.
  [[nodiscard]] std::size_t not_measured_nor_allowed() const;
  /// Differences of the machine that are not allowed.
  [[nodiscard]] std::size_t differences() const;
  /// Fewer new runs than a verdict needs.
  [[nodiscard]] bool has_too_few_runs() const;
  /// So few of them can show the threshold that the answer cannot be a pass.
  [[nodiscard]] bool says_too_little() const;
  /// So few can show even three times the threshold that a few more runs will not change it.
  [[nodiscard]] bool too_noisy() const;
};

}  // namespace bench_transfers::gate
