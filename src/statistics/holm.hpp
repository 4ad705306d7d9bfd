#pragma once

#include <vector>

namespace bench_transfers::statistics {

/// p-values of several tests made comparable with the error rate allowed for all of them together
/// (Holm 1979): rejecting those below it is wrong anywhere at most that often.
std::vector<double> holm_adjusted(const std::vector<double>& p);

}  // namespace bench_transfers::statistics
