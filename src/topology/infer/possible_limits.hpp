#pragma once

#include <optional>
#include <vector>

#include "src/topology/infer/prediction.hpp"

namespace bench_transfers::topology {

/// What a further limit must take off the misfit.
inline constexpr double worth_a_limit = 25;

/// A limit that an explanation lacks, and the misfit with it.
struct addition {
  topology::limit limit;
  double misfit;
};

/// Whether an explanation may have both: limits are nested or apart.
bool go_together(const limit& lhs, const limit& rhs);

/// The limits that may explain the evidence, which must outlive them, as the hints.
class possible_limits {
 public:
  possible_limits(const evidence& evidence, const std::vector<device_set>& hints);

  [[nodiscard]] std::size_t size() const { return candidates_.size(); }
  /// The limit that explains most of what `base` leaves, of those that go together with its
  /// limits; `crossing`: of those that do not.
  [[nodiscard]] std::optional<addition> best_addition(const prediction& base,
                                                      bool crossing = false) const;
  /// The limit with a device more or less, or with all devices of another limit, or for other
  /// flows of the same devices; where `base` leaves something for it to explain.
  [[nodiscard]] std::vector<limit> neighbours(const prediction& base, const limit& near) const;

 private:
  /// With the total of its flows in each set.
  struct possible_limit {
    topology::limit limit;
    double preference = 1;
    std::vector<double> sums;
    double most = 0;
  };
  [[nodiscard]] possible_limit candidate_of(const limit& limit) const;
  [[nodiscard]] bool is_full(const possible_limit& candidate, std::size_t set) const;
  void add_losses(std::vector<double>& losses, const filled& base, const measured_set& set,
                  const limit& limit) const;
  [[nodiscard]] double promise(const prediction& base, const possible_limit& candidate) const;
  [[nodiscard]] std::vector<const possible_limit*> promising(const prediction& base,
                                                             bool crossing) const;
  [[nodiscard]] double capacity_of(const prediction& base, const possible_limit& candidate) const;
  [[nodiscard]] addition with_shares(const prediction& base, const limit& fair) const;

  const evidence& evidence_;
  const std::vector<device_set>& hints_;
  predictor predictor_;
  tolerances alike_;
  std::vector<possible_limit> candidates_;
};

}  // namespace bench_transfers::topology
