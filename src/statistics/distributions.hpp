#pragma once

namespace bench_transfers::statistics {

/// Boost's distributions, whose headers one file compiles. All throw std::domain_error for
/// parameters and probabilities that the distribution does not have.

struct students_t {
  double degrees;

  [[nodiscard]] double density(double x) const;
  /// The probability of a larger value.
  [[nodiscard]] double above(double x) const;
  [[nodiscard]] double quantile(double p) const;
  /// What a value exceeds with this probability: more exact than quantile(1 - p).
  [[nodiscard]] double exceeded_by(double p) const;
};

/// Of the standard normal distribution.
double normal_quantile(double p);
double normal_exceeded_by(double p);

/// Of Beta(a, b).
double beta_quantile(double a, double b, double p);

/// The probability of a larger value of F with these degrees of freedom.
double f_above(double first_degrees, double second_degrees, double x);

/// The probability of at least `least` successes in `trials`, of which each has the probability
/// `p`.
double binomial_at_least(double trials, double p, double least);
double binomial_coefficient(unsigned n, unsigned k);

/// The probability of at least `least` events where so many are expected.
double poisson_at_least(double expected, double least);

/// Derivatives of the logarithm of the gamma function: the first, second and third.
double digamma(double x);
double trigamma(double x);
double tetragamma(double x);

}  // namespace bench_transfers::statistics
