#pragma once

#include <cstddef>
#include <vector>

#include "src/gate/judge/estimate.hpp"
#include "src/gate/judge/sightings.hpp"

namespace bench_transfers::gate {

/// How probable a shift as large is without a change.
struct p_value {
  double slower = 1;
  double beyond = 1;             ///< without a change of more than the threshold
  double slower_with_class = 1;  ///< the common shift included
  double faster = 1;
};

/// Judges the benchmarks of one class. Estimates and limits outlive it.
class class_judge {
 public:
  /// `families`: by how many sets of comparisons the rate of false alarms is shared.
  class_judge(const class_estimates& estimates, const limits& limits, std::size_t families);

  [[nodiscard]] benchmark_judgement judgement(std::size_t index) const;

 private:
  /// A benchmark of the class, with what is asked of it again and again.
  struct judged {
    const estimate& benchmark;
    const p_value& p;                  ///< adjusted for all comparisons
    double single_p;                   ///< of `slower`, of this benchmark alone
    const benchmark_judgement& known;  ///< its bounds and its sighting
  };
  [[nodiscard]] outcome verdict(const judged& one) const;
  [[nodiscard]] outcome verdict_of_slower(const judged& one) const;
  [[nodiscard]] bool looks_slower(const estimate& benchmark, const p_value& p) const;
  [[nodiscard]] bool is_sure(const judged& one) const;
  [[nodiscard]] bool may_all_be_by_session(const judged& one) const;
  [[nodiscard]] bool is_too_little_for_one_session(const estimate& benchmark) const;
  [[nodiscard]] bool may_be_slower(const judged& one) const;
  [[nodiscard]] bool is_vetoing() const { return limits_.vetoing.contains(estimates_.kind); }

  const class_estimates& estimates_;
  const limits& limits_;
  double unsure_;   ///< a slowdown is ambiguous if it would be an alarm at this rate
  double first_p_;  ///< that the most significant benchmark needs
  std::vector<slow_sighting> sightings_;
  std::vector<p_value> single_p_, p_;
  std::size_t slower_ = 0;  ///< benchmarks that look slower by more than their thresholds
};

}  // namespace bench_transfers::gate
