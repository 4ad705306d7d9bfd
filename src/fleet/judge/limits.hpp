#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "src/fleet/judge/parts.hpp"
#include "src/fleet/model/sweep.hpp"

namespace bench_transfers::fleet {

/// The highest rate in GB/s at which a GPU copies page-locked memory in one direction, alone: of
/// sizes from 16 MiB, by their median times. The cost of a call is less than 4 % of those at 64
/// GB/s. None if it has measured no such size.
std::optional<double> copy_rate(const sweep& sweep, const gpu& gpu, direction towards);

/// What a GPU's link carries in one direction, in GB/s; none if it is not known.
std::optional<double> link_limit(const link& link);

/// What copies reach at least on recorded machines with this GPU and this link, in GB/s; none if
/// there are none. Published figures of other platforms with an H200 reach 0.95 of it.
inline constexpr double least_part_of_recorded = 0.9;
std::optional<double> recorded_rate(const gpu& gpu, direction towards);

/// A part whose copies stay far below what its links can carry.
struct below_limit {
  part_of_peers part;
  direction towards;
  double slower;  ///< logarithm: than copies that reach the least part
};
/// `accepted`: indices of GPUs whose rate is that of a baseline.
std::vector<below_limit> below_limits(const sweep& sweep, const peers& alike, direction towards,
                                      const std::set<std::size_t>& accepted);

}  // namespace bench_transfers::fleet
