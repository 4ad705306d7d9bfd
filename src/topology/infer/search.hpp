#pragma once

#include <optional>
#include <vector>

#include "src/topology/infer/prediction.hpp"

namespace bench_transfers::topology {

/// What a further limit must take off the misfit.
inline constexpr double worth_a_limit = 25;

/// A limit that may be, with the total of its flows in each set.
struct possible_limit {
  topology::limit limit;
  double preference = 1;
  std::vector<double> sums;
  double most = 0;
};

/// What a search for the best explanation goes by. Evidence and hints outlive it.
struct search {
  search(const topology::evidence& measured, const std::vector<device_set>& given_hints);

  const topology::evidence& evidence;
  const std::vector<device_set>& hints;
  topology::predictor predictor;
  tolerances alike;
  std::vector<limit> own;  ///< of each device: its rates alone; they begin each explanation
  std::vector<possible_limit> possible;
};

/// A limit that an explanation lacks, and the misfit with it.
struct addition {
  topology::limit limit;
  double misfit;
};

/// Whether an explanation may have both: limits are nested or apart.
bool go_together(const limit& lhs, const limit& rhs);

/// The limit that explains most of what `base` leaves, of those that go together with its limits;
/// `crossing`: of those that do not.
std::optional<addition> best_addition(const search& search, const prediction& base,
                                      bool crossing = false);

/// The limit with a device more or less, or with all devices of another limit, or for other flows
/// of the same devices; where `base` leaves something for it to explain.
std::vector<limit> neighbours(const search& search, const prediction& base, const limit& near);

}  // namespace bench_transfers::topology
