#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <variant>
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
  gate::limits limits;
  std::string allow_missing;              ///< regular expression, searched for in names
  std::set<std::string> allow_different;  ///< keys of fingerprints
  /// The classes that decide the exit code; empty: the link, and those that the baseline can judge.
  std::set<benchmark_class> decide_by;
  /// So many runs belong to a look, in the order of time: the later ones were measured because of
  /// what the earlier ones showed.
  std::size_t look_runs = least_new_processes;
};

/// What a benchmark is judged by.
enum class figure { own, mean, fastest };

/// The result of a check for one benchmark.
struct finding {
  std::string name;
  verdict result = verdict::not_known;
  benchmark_class kind = benchmark_class::other;
  double threshold = 0;          ///< as a part: 0.02
  std::optional<double> before;  ///< centre of the processes, in the metric's unit
  std::optional<double> after;
  std::optional<benchmark_judgement> judgement;  ///< if it was compared
  std::optional<benchmark_judgement> by_mean;    ///< if the baseline and all runs have means
  double mean_threshold = 0;
  std::optional<benchmark_judgement> by_fastest;  ///< likewise, in classes that decide
  figure decided_by = figure::own;                ///< its verdict is of this one
  /// If it was compared, the distance of each new run from `before`, in logarithms, positive if
  /// slower; in the order of the runs.
  std::vector<std::optional<double>> shifts;
  /// Noise would hide a slowdown of the threshold, with a probability of more than 20 %.
  bool advisory = false;
  bool excused = false;        ///< missing, and permitted to be
  std::optional<remark> note;  ///< why it is missing, or what measuring it again has shown

  /// Of the figure that decides.
  [[nodiscard]] const std::optional<benchmark_judgement>& deciding() const;
  template <class Remark>
  [[nodiscard]] bool has_note() const {
    return note && std::holds_alternative<Remark>(*note);
  }
  /// Without permission.
  [[nodiscard]] bool is_missing() const { return result == verdict::missing && !excused; }
  /// Ambiguous because its fastest operation surely is not slower.
  [[nodiscard]] bool is_doubted_by_fastest() const;
  [[nodiscard]] double deciding_threshold() const {
    return decided_by == figure::mean ? mean_threshold : threshold;
  }
};

/// A shift of logarithms as a part: 0.03 for 3 % more time, or for 3 % less of a rate.
double slowdown(double shift);

struct changed_fact {
  difference fact;
  bool allowed = false;
};

/// The answer for one class.
struct class_answer {
  benchmark_class kind = benchmark_class::other;
  /// The exit code of the whole answer. The others only veto a pass, by larger thresholds.
  bool decides = true;
  exit_code code = exit_code::pass;
  std::size_t all = 0;         ///< benchmarks of the baseline
  std::size_t benchmarks = 0;  ///< without those that may be missing
  std::size_t excused = 0;     ///< those, if they are missing
  std::size_t compared = 0;
  std::size_t few_repetitions = 0;  ///< not compared, as fewer than half of theirs are left
  std::size_t compared_by_mean = 0;
  std::size_t able = 0;  ///< of the baseline's benchmarks: those that it can judge, see capability
  std::size_t tested = 0;          ///< known not to be slower by the threshold, or to be slower
  std::size_t tested_by_mean = 0;  ///< likewise
  std::size_t cleared = 0;         ///< much slower in some runs, and not in those of a later look
  std::size_t in_turn = 0;         ///< not slower than a reference program, measured in turn
  /// The largest upper bound of a slowdown, as a part, of those that are tested and not slower; and
  /// of those that are not known. None if there are none, or if some were not compared.
  std::optional<double> bound, bound_by_mean, bound_of_not_known;
  double mean_threshold = 0;
  std::optional<common_shift> shared;  ///< none if the class is too small
  std::optional<common_shift> shared_by_mean;
  /// By how much the class is slower in the baseline than in the first of its line, as a whole;
  /// none if by less than the threshold.
  std::optional<double> crept;
  std::vector<reason> reasons;  ///< why it is inconclusive, or would be

  [[nodiscard]] bool changed() const { return shared && shared->changed; }
  /// The rest of the class may be unlike a smaller part of it.
  [[nodiscard]] bool is_half_compared() const { return compared > 0 && 2 * compared >= benchmarks; }
  /// As a whole, by the median or the mean, beyond doubt.
  [[nodiscard]] bool slower_as_a_whole() const {
    return is_half_compared() &&
           ((shared && shared->slower) || (shared_by_mean && shared_by_mean->slower));
  }
};

/// A class of which less is tested does not pass.
inline constexpr double least_tested_part = 0.5;
/// The same of all benchmarks of the class, those that may be missing included.
inline constexpr double least_tested_part_of_all = 0.1;

/// The answer to a check.
struct report {
  exit_code code = exit_code::pass;
  gate::question question;
  metric judged_by;
  std::string device;
  bool on_host = false;
  bool has_fingerprint = true;
  bool has_means = false;  ///< the baseline
  std::size_t processes_before = 0, sessions_before = 0;
  std::size_t processes_after = 0, sessions_after = 0;
  std::set<std::string> cards;  ///< of the new runs, as far as known
  std::vector<changed_fact>
      changed;                     ///< of the machine; reported first, as they may explain all else
  std::size_t disturbed_runs = 0;  ///< new runs that were throttled or whose link changed
  std::size_t older_runs = 0;      ///< new runs from before the newest session of the baseline
  std::vector<class_answer> classes;  ///< in the order of all_classes
  std::vector<finding> findings;      ///< by verdict, worst first, then by size of the change
  /// Why the answer is inconclusive, or would be: of the runs, and of the classes that decide.
  std::vector<reason> reasons;
  std::vector<note> notes;

  [[nodiscard]] std::size_t count(verdict result) const;
  [[nodiscard]] std::size_t advisory() const;
  [[nodiscard]] std::size_t compared() const;
  /// Benchmarks of the baseline, also those that are no longer measured.
  [[nodiscard]] std::size_t in_baseline() const;
  /// Benchmarks that are missing without permission.
  [[nodiscard]] std::size_t missing() const;
  /// Benchmarks of the baseline that no run has measured.
  [[nodiscard]] std::size_t not_measured() const;
  /// Those among them that are missing without permission.
  [[nodiscard]] std::size_t not_measured_nor_allowed() const;
  /// Differences of the machine that are not permitted.
  [[nodiscard]] std::size_t differences() const;
  /// Fewer new runs than a verdict needs.
  [[nodiscard]] bool has_too_few_runs() const;
};

}  // namespace bench_transfers::gate
