#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace bench_transfers::statistics {

/// Where values in order of time have steps: the first index of each level, from 0. Of all ways to
/// cut them, the one for which the squared distances from the means of the levels, in units of
/// `variance`, plus `penalty` for each level are least (optimal partitioning; Jackson 2005). Unlike
/// choose_segments, it may fall, and has no systematic error.
std::vector<std::size_t> choose_levels(std::span<const double> values, double variance,
                                       double penalty);

/// The standard deviation of values in order of time around a level that has steps or drifts: the
/// median distance of neighbours, or, of twelve values or more, that of each from the mean of its
/// neighbours, if it is less. 0 for fewer than two values.
double deviation_of_neighbours(std::span<const double> values);

}  // namespace bench_transfers::statistics
