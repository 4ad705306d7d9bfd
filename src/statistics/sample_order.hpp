#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace bench_transfers::statistics {

/// Times within this factor of each other are alike.
constexpr double alike = 1.03;
/// Noise may hide a larger difference, but does not make one beyond this factor small.
constexpr double most_apart = 1.1;

/// How many of all pairs of two samples of these sizes may be in the other order although the
/// samples differ clearly: two-sided, at 95 % (Mann and Whitney 1947). None if so few values never
/// differ clearly. plots/model/mann_whitney.py counts likewise.
std::optional<std::size_t> most_pairs_reversed(std::size_t first, std::size_t second);

/// How many pairs of a value of each are not in this order: `large` above `small`.
std::size_t pairs_reversed(const std::vector<double>& large, std::vector<double> small);

/// Whether 19 of 20 pairs are in this order, of values that are enough to tell.
bool is_clearly_larger(const std::vector<double>& large, const std::vector<double>& small);

}  // namespace bench_transfers::statistics
