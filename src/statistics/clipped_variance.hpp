#pragma once

#include <span>
#include <vector>

#include "src/statistics/variance_prior.hpp"

namespace bench_transfers::statistics {

/// Variance of normal values within groups that is robust against single outliers: distances from
/// the group's median are clipped at 2.5 robust standard deviations (median absolute distance) and
/// squared. A factor corrects the bias from clipping and from small groups; it is computed once for
/// each combination of group sizes from simulated normal values (fixed seed). Ignores groups of
/// fewer than two values. Variance 0 with degrees 0 if there are no others.
variance_estimate clipped_variance(std::span<const std::vector<double>> groups);

/// The same of all values as they are.
variance_estimate unclipped_variance(std::span<const std::vector<double>> groups);

}  // namespace bench_transfers::statistics
