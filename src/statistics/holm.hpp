#pragma once

#include <vector>

namespace bench_transfers::statistics {

/// Adjusts the p-values of several tests for comparison with a family-wise error rate (Holm 1979):
/// if the values below that rate are rejected, any rejection is wrong at most that often.
std::vector<double> holm_adjusted(const std::vector<double>& p);

}  // namespace bench_transfers::statistics
