#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "src/advice/measurements.hpp"

namespace bench_transfers::advice {

/// Up to this size, in bytes, the call takes longer than the bytes: strategies differ by little,
/// and fitted lines may be off by as much.
constexpr double largest_small_transfer = 16 * 1024;

/// Times within this factor of each other are alike.
constexpr double alike = 1.03;
/// Noise may hide a larger difference, but does not make one beyond this factor small.
constexpr double most_apart = 1.1;

/// What repetitions show of the small transfers of one direction.
class small_transfers {
 public:
  /// Of the sizes at which the baseline was repeated often enough to tell. The baseline is one of
  /// the strategies.
  small_transfers(const std::map<std::string, const repetitions*>& strategies,
                  const std::string& baseline);

  /// Whether a strategy is faster than the baseline: clearly at this size, or at most of the small
  /// ones, so that a single size at which noise hides it does not count. It is not where the
  /// baseline is as good as the fastest strategy. None if the transfer is not small, or nothing can
  /// be told.
  [[nodiscard]] std::optional<bool> is_faster(const std::string& strategy, double bytes) const;

  [[nodiscard]] const std::string& baseline() const { return baseline_; }

 private:
  struct at_size {
    bool baseline_is_as_good;
    std::set<std::string> clearly_faster;
  };

  std::string baseline_;
  std::map<double, at_size> sizes_;
};

}  // namespace bench_transfers::advice
