#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/gate/judge/answer.hpp"
#include "src/gate/model/baseline.hpp"
#include "src/gate/model/identity.hpp"
#include "src/gate/model/run.hpp"

namespace bench_transfers::gate {

/// Fewer sessions do not show how much they differ.
inline constexpr std::size_t least_sessions_of_history = 4;

/// The runs of one session.
struct session_record {
  std::optional<std::chrono::sys_seconds> begin;
  std::size_t runs = 0;
  bool of_baseline = false;  ///< at least one of them
  /// Keys of facts that differ from the baseline's.
  std::vector<std::string> changed;
  std::size_t differing = 0;             ///< runs that do not count because facts differ
  std::map<doubt, std::size_t> doubted;  ///< and the others that do not, by the first doubt
  /// Benchmarks that a run has measured by another procedure than the baseline, and that do not
  /// count.
  std::size_t of_other_procedures = 0;

  [[nodiscard]] std::size_t left_out() const;
  /// Whether any run does.
  [[nodiscard]] bool counts() const { return left_out() < runs; }
};

/// A step of the level from one session to the next. Shifts are differences of logarithms, positive
/// if slower.
struct level_step {
  std::size_t session;  ///< the first of the new level
  double shift;         ///< against the level before
};

/// A benchmark over time, or what all benchmarks of a class have in common.
struct series {
  std::string name;  ///< of a benchmark; empty for a class
  benchmark_class kind = benchmark_class::other;
  double threshold = 0;                       ///< as a part
  std::vector<std::optional<double>> shifts;  ///< of each session, against the first baseline
  std::vector<level_step> steps;
  double sum = 0;  ///< of the newest level, against the first baseline
  /// That `sum` is no more than the threshold; adjusted for all series.
  double p = 1;
  bool has_crept = false;  ///< `sum` exceeds the threshold beyond doubt
};

struct history_answer {
  gate::limits limits;
  std::set<benchmark_class> decide_by;
  metric judged_by;
  std::string device;
  bool on_host = false;
  bool has_first = false;  ///< the baseline has replaced others and knows the first one's values
  std::vector<session_record> sessions;  ///< in the order of time
  std::vector<series> classes;           ///< of ten benchmarks or more
  std::vector<series> benchmarks;        ///< the largest sum first

  /// It decides, and has crept.
  [[nodiscard]] bool is_red(const series& one) const;
  /// It decides and looks slower by more than its threshold, and noise may be the reason.
  [[nodiscard]] bool is_unclear(const series& one) const;
  [[nodiscard]] std::size_t counting_sessions() const;
  /// regression: something is red; inconclusive: too few sessions count, or not the newest or not
  /// all of it, or a class is unclear.
  [[nodiscard]] exit_code code() const;
};

/// Follows benchmarks through the sessions of a baseline and of further runs, against the first
/// baseline of its line (its own values, if it has replaced none). Runs that the baseline has count
/// once. Runs that differ from it do not count, unless that is permitted, nor do those with a
/// doubt. Throws bad_input as check() does. Of the question, the limits, the classes that decide
/// and what may differ count.
history_answer history_of(const baseline& line, std::vector<run> runs, const question& question);

}  // namespace bench_transfers::gate
