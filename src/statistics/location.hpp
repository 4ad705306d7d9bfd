#pragma once

#include <cstddef>
#include <vector>

namespace bench_transfers::statistics {

/// A centre of few values that single outliers do not move far: the median of up to four, of more
/// the Hodges-Lehmann estimator, the median of the means of all pairs (Hodges and Lehmann 1963),
/// which is nearly as precise as the mean and bears 29 % of outliers. Throws std::invalid_argument
/// when there are no values.
double location(std::vector<double> values);

/// Variance of location() of so many normal values, as a part of the variance of one of them.
double location_variance(std::size_t values);

}  // namespace bench_transfers::statistics
