#pragma once

#include <string>
#include <vector>

#include "src/result_file/summary/figures.hpp"
#include "src/result_file/summary/summary.hpp"

namespace bench_transfers::result_file {

// The summary's tables, each after an empty line; an empty text if there is nothing to show.

/// Latencies and rates of the benchmarks that move data in one direction. In brief, a row also
/// stands for the strategies of its family that are alike.
std::string table_of_directions(const std::vector<figure>& sized, const figures& measured,
                                detail shown);

/// Rates of the strategies that were not measured at the largest size of all, at their own largest
/// size.
std::string table_of_smaller(const std::vector<figure>& sized);

/// Of few strategies with three sizes or more: the times of small copies and the rates of large
/// ones at each size, in lines of so many columns. Of many a line that says where these are.
std::string table_of_sizes(const std::vector<figure>& sized, std::size_t columns);

/// The resources of the machine that transfers use, at the largest size measured.
std::string table_of_costs(const std::vector<figure>& sized, const figures& measured);

/// Both directions at once, at the largest size measured: the sum, each direction while the other
/// is busy, each alone, and the slowdown of each.
std::string table_of_duplex(const std::vector<figure>& sized, const figures& measured);

/// Several copies at once, at the largest size measured: the sum, the sum of the same copies alone,
/// and each copy with what it loses.
std::string table_of_concurrent(const std::vector<figure>& sized, const figures& measured);

/// Copies between memory on each NUMA node and each device, at the largest size measured, far
/// against near. Empty unless there are several nodes.
std::string table_of_nodes(const std::vector<figure>& sized, const figures& measured);

/// Round trips in pieces against the same steps in sequence, at the largest size measured: the part
/// of the copies' time that is hidden.
std::string table_of_overlap(const std::vector<figure>& sized, const figures& measured);

/// Benchmarks without a table of their own: times at the smallest and the largest size.
std::string table_of_times(const std::vector<figure>& sized, const figures& measured);

/// One thread's CPU access to each kind of memory, at the largest size measured.
std::string table_of_cpu_access(const std::vector<figure>& sized, const figures& measured);

/// The cost of allocating and freeing memory, at the largest size measured.
std::string table_of_allocation(const std::vector<figure>& sized);

/// Benchmarks without a size.
std::string table_of_unsized(const std::vector<const benchmark*>& unsized, const figures& measured);

/// A number with this many decimals, "-" for none.
std::string number_or_dash(std::optional<double> value, int decimals);

}  // namespace bench_transfers::result_file
