#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "src/statistics/variance_prior.hpp"

namespace bench_transfers::statistics {

/// Variance of normal values within groups, which single outliers do not blow up: distances from
/// the group's median are clipped at 2.5 robust standard deviations (median absolute distance) and
/// squared. What that takes away and the small groups distort is made good by a factor, found once
/// for each combination of group sizes from simulated normal values (fixed seed).
class clipped_variance {
 public:
  /// Groups of fewer than two values say nothing. None of more: variance 0, degrees 0.
  variance_estimate operator()(std::span<const std::vector<double>> groups);

 private:
  double factor_for(const std::vector<std::size_t>& sizes);

  std::map<std::vector<std::size_t>, double> factors_;
};

}  // namespace bench_transfers::statistics
