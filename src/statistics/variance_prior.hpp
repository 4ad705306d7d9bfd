#pragma once

#include <limits>
#include <span>

namespace bench_transfers::statistics {

/// An estimate of a variance, with its degrees of freedom.
struct variance_estimate {
  double variance;
  double degrees;
};

/// The distribution of the variances of many similar things: `degrees` times `variance`, divided by
/// a chi-square variable of as many degrees. Estimates of few degrees are drawn towards it
/// ("moderated"; Smyth 2004, "Linear Models and Empirical Bayes Methods", sections 3 and 6).
class variance_prior {
 public:
  /// From estimates that are independent and positive; outliers among them are clipped to the 2nd
  /// and 98th percentile. With fewer than three there is no prior: moderated() returns its
  /// argument. `most_degrees`: it has no more.
  explicit variance_prior(std::span<const variance_estimate> estimates,
                          double most_degrees = std::numeric_limits<double>::infinity());

  /// The mean of prior and estimate, weighted by their degrees of freedom. An estimate that is far
  /// larger than the prior can explain (probability 0.001) stays as it is: it does not
  /// resemble the others (Phipson and others 2016, "Robust hyperparameter estimation").
  [[nodiscard]] variance_estimate moderated(const variance_estimate& estimate) const;

  [[nodiscard]] const variance_estimate& typical() const { return typical_; }

 private:
  variance_estimate typical_{0, 0};
};

}  // namespace bench_transfers::statistics
