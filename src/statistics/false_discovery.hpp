#pragma once

#include <vector>

namespace bench_transfers::statistics {

/// Adjusts the p-values of several tests (Benjamini and Hochberg 1995): if the tests below a rate
/// are rejected, at most this part of the rejections is wrong, on average. If nothing is to be
/// found, any rejection happens at most at this rate.
std::vector<double> discovery_adjusted(const std::vector<double>& p);

}  // namespace bench_transfers::statistics
