#pragma once

#include <span>

namespace bench_transfers::fleet {

/// How the distances of healthy parts from the others scatter around 0: Student's t, scaled.
struct spread {
  double deviation = 0;  ///< its scale
  double degrees = 1;    ///< of freedom: few for heavy tails

  /// The probability of a healthy distance this large or larger.
  [[nodiscard]] double p(double value) const;
  /// The value that is exceeded with this probability.
  [[nodiscard]] double exceeded_by(double p) const;
};

/// The spread of healthy distances, of which larger ones are slower. It is estimated from those
/// below their median alone, by maximum likelihood: slow ones must not hide themselves. `expected`
/// is a deviation that is assumed with the weight of six values, with tails of six degrees of
/// freedom; other tails are assumed as far as the values require it. Throws std::invalid_argument
/// if there are none.
spread spread_of(std::span<const double> distances, double expected);

}  // namespace bench_transfers::fleet
