#pragma once

#include <vector>

namespace bench_transfers::statistics {

/// Probability that a random split of the values gives `after` ranks as high as these or higher:
/// the exact one-sided test of Wilcoxon, also with equal values (midranks; Hollander, Wolfe and
/// Chicken, "Nonparametric Statistical Methods", section 4.1). Throws std::invalid_argument if
/// either is empty.
double rank_test(const std::vector<double>& before, const std::vector<double>& after);

}  // namespace bench_transfers::statistics
