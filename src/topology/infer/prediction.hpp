#pragma once

#include <cstddef>
#include <vector>

#include "src/topology/infer/evidence.hpp"

namespace bench_transfers::topology {

/// A link matters if it takes this part of the rates of its flows in some set, or more. Smaller
/// effects are not told from a host's own unevenness.
inline constexpr double least_effect = 0.025;

/// How far rates may differ by noise, as a part of them.
struct tolerances {
  double error = 0;  ///< standard error of the ratio of two rates
  double alike_sums = 0, alike_rates = 0;
};

tolerances tolerances_of(const evidence& evidence);

/// The square of a distance in standard errors; far ones count linearly (Huber 1964): a set that
/// nothing explains must not decide about all others.
double huber(double distance);

/// What a set of limits predicts for all sets measured.
struct prediction {
  std::vector<limit> limits;
  std::vector<filled> sets;
  std::vector<double> misfits;
  double misfit = 0;
};

/// Predicts the sets of the evidence, which must outlive it.
class predictor {
 public:
  explicit predictor(const evidence& evidence)
      : evidence_(evidence), error_(tolerances_of(evidence).error) {}

  [[nodiscard]] prediction predict(const std::vector<limit>& limits) const;
  /// Without the limit of this index.
  [[nodiscard]] prediction without(const prediction& whole, std::size_t removed) const;
  /// The misfit with one limit more.
  [[nodiscard]] double misfit_with(const prediction& base, const limit& added) const;

 private:
  [[nodiscard]] double misfit_of(const measured_set& set, const per_flow& predicted) const;
  [[nodiscard]] filled filled_in(std::size_t index, const std::vector<limit>& limits) const;
  void predict_set(prediction& predicted, std::size_t index) const;

  const evidence& evidence_;
  double error_;
};

}  // namespace bench_transfers::topology
