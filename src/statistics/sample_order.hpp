#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace bench_transfers::statistics {

/// Times within this factor of each other are alike.
constexpr double alike = 1.03;
/// Noise may hide a larger difference, but does not make one beyond this factor small.
constexpr double most_apart = 1.1;

/// How many of all pairs of two samples of these sizes may be in the other order although the
/// samples differ clearly: two-sided, at 95 % (Mann and Whitney 1947). None if so few values never
/// differ clearly.
std::optional<std::size_t> most_pairs_reversed(std::size_t first, std::size_t second);

/// Counts orders once for each pair of numbers of values, of which a file has few.
class pair_limits {
 public:
  std::optional<std::size_t> operator()(std::size_t first, std::size_t second);

 private:
  std::map<std::pair<std::size_t, std::size_t>, std::optional<std::size_t>> known_;
};

/// How many pairs of a value of each are not in this order: `large` above `small`.
std::size_t pairs_reversed(const std::vector<double>& large, std::vector<double> small);

/// Whether 19 of 20 pairs are in this order. Few values may be so by chance.
bool nearly_all_larger(const std::vector<double>& large, const std::vector<double>& small);

/// The same of values that are enough to tell.
bool is_clearly_larger(const std::vector<double>& large, const std::vector<double>& small);

}  // namespace bench_transfers::statistics
