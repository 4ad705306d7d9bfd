#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "src/gate/judge/compare.hpp"
#include "src/gate/model/baseline.hpp"
#include "src/gate/model/run.hpp"

namespace bench_transfers::gate {

/// Fewer new runs get no verdict.
inline constexpr std::size_t least_new_processes = 3;

/// Exit codes of gate_transfers.
enum class exit_code { pass = 0, regression = 1, bad_input = 2, inconclusive = 3 };

struct question {
  limits allowed;
  std::string allow_missing;              ///< regular expression for whole or part of a name
  std::set<std::string> allow_different;  ///< keys of fingerprints
};

enum class verdict { same, slower, faster, ambiguous, missing, added };

std::string to_string(verdict one);  ///< "same" ... "missing", "new"

/// What a check says of one benchmark.
struct line {
  std::string name;
  verdict found = verdict::same;
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
  bool excused = false;  ///< missing, and allowed to be
  std::string note;      ///< why it is missing or ambiguous; may be empty
};

/// By how much slower, as a part: 0.03 for 3 % more time, or for 3 % less of a rate.
double slowdown(double shift);

struct changed_fact {
  difference what;
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
  std::vector<line> lines;           ///< by verdict, worst first, then by size of the change
  std::vector<std::string> reasons;  ///< why the answer is inconclusive, or would be; one line each
  std::vector<std::string> notes;    ///< one line each

  [[nodiscard]] std::size_t count(verdict one) const;
  [[nodiscard]] std::size_t advisory() const;
  [[nodiscard]] std::size_t compared() const;
  /// Compared, and not advisory.
  [[nodiscard]] std::size_t telling() const;
  /// Benchmarks of the baseline, also those not measured any more.
  [[nodiscard]] std::size_t of_baseline() const;
  /// So few of them can show the threshold that the answer cannot be a pass.
  [[nodiscard]] bool says_too_little() const;
  /// So few can show even three times the threshold that a few more runs will not change it.
  [[nodiscard]] bool too_noisy() const;
};

/// Compares runs with a baseline; docs/GATE.md. Throws bad_input: no runs; runs that are not
/// independent of each other or of the baseline; a GPU's and the host device's; different programs;
/// a bad regular expression.
report check(const baseline& before, std::span<const run> after, const question& asked);

/// Draws reasons and exit code from the rest of the answer, and sorts its lines.
void conclude(report& answer);

/// What `power` says of one benchmark; slowdowns as parts.
struct power_line {
  std::string name;
  bool latency_bound = false;
  double threshold = 0;
  double before = 0;                             ///< centre, in the metric's unit
  double detectable = 0, detectable_surely = 0;  ///< found with a probability of 80 and 95 %
  double process_deviation = 0, session_deviation = 0;
  bool advisory = false;  ///< as in `line`
  /// New runs in one session from which on it is not advisory; none where up to 50 are not enough
  /// because sessions or processes differ too much.
  std::optional<std::size_t> runs_needed;
};

std::vector<power_line> power(const baseline& before, std::size_t new_runs, const limits& allowed);

}  // namespace bench_transfers::gate
