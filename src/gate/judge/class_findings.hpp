#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "src/gate/judge/answer.hpp"

namespace bench_transfers::gate {

/// The benchmarks of one class that the baseline has. The answer outlives them, and keeps its
/// findings.
class class_findings {
 public:
  class_findings(const report& answer, benchmark_class kind);

  [[nodiscard]] std::size_t all() const { return findings_.size(); }
  /// May not be missing.
  [[nodiscard]] std::size_t required() const;
  [[nodiscard]] std::size_t with(verdict result) const;
  [[nodiscard]] std::size_t of_other_procedures() const;
  /// For any other reason.
  [[nodiscard]] std::size_t missing() const;
  [[nodiscard]] std::size_t with_few_repetitions() const;
  [[nodiscard]] std::size_t compared() const;
  [[nodiscard]] std::size_t compared_by_mean() const;
  /// Neither their noise nor a doubt leaves open whether they are slower.
  [[nodiscard]] std::size_t tested() const;
  [[nodiscard]] std::size_t tested_by_mean() const;
  /// Can show at least three times the threshold.
  [[nodiscard]] std::size_t not_blind() const;
  /// Ambiguous because some runs were much slower, by the figure that the verdict is of.
  [[nodiscard]] std::size_t seen_slower(sighting state) const;
  /// For any other reason.
  [[nodiscard]] std::size_t ambiguous() const;
  /// Much slower in some runs, and not in those of a later look.
  [[nodiscard]] std::size_t cleared() const;
  /// Not slower than a reference program, measured in turn.
  [[nodiscard]] std::size_t cleared_in_turn() const;

  /// The largest upper bounds, as parts. What was measured in turn has none of the first runs.
  [[nodiscard]] std::optional<double> bound_of_unchanged() const;
  [[nodiscard]] std::optional<double> bound_of_unchanged_by_mean() const;
  [[nodiscard]] std::optional<double> bound_of_not_known() const;

 private:
  template <class Condition>
  [[nodiscard]] std::size_t count(Condition condition) const;
  template <class Condition>
  [[nodiscard]] std::optional<double> bound(std::optional<benchmark_judgement> finding::*judgement,
                                            Condition condition) const;

  std::vector<const finding*> findings_;
};

}  // namespace bench_transfers::gate
