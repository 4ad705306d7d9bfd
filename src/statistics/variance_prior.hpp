#pragma once

#include <span>

namespace bench_transfers::statistics {

/// An estimate of a variance, worth so many degrees of freedom.
struct variance_estimate {
  double variance;
  double degrees;
};

/// How the variances of many alike things are distributed: `degrees` times `variance`, divided by
/// a chi-square variable of as many degrees. Estimates of few degrees each are drawn towards it
/// ("moderated"; Smyth 2004, "Linear Models and Empirical Bayes Methods", sections 3 and 6).
class variance_prior {
 public:
  /// From estimates that are independent and positive; outliers among them are drawn in to the
  /// second and 98th percentile. With fewer than three it knows nothing: moderated() gives back
  /// what it gets.
  explicit variance_prior(std::span<const variance_estimate> estimates);

  /// The mean of prior and estimate, weighted by their degrees of freedom. An estimate that is far
  /// larger than the prior can explain (one of a thousand) stays as it is: such a thing is not
  /// like the others (Phipson and others 2016, "Robust hyperparameter estimation").
  [[nodiscard]] variance_estimate moderated(const variance_estimate& one) const;

  [[nodiscard]] const variance_estimate& typical() const { return typical_; }

 private:
  variance_estimate typical_{0, 0};
};

}  // namespace bench_transfers::statistics
