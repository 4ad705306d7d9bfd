#pragma once

#include <functional>
#include <string>
#include <vector>

#include "src/common/text.hpp"
#include "src/exports/answer.hpp"
#include "src/result_file/summary/figures.hpp"
#include "src/result_file/summary/summary.hpp"

namespace bench_transfers::result_file {

using exports::cells;

// The summary's tables, without rows if there is nothing to show. Some have sentences below them.

/// Latencies and rates of the benchmarks that move data in one direction. In brief, a row also
/// stands for the strategies of its family that are alike.
void add_directions(exports::answer& out, const std::vector<figure>& sized, const figures& measured,
                    detail shown);

/// Rates of the strategies that were not measured at the largest size of all, at their own largest
/// size.
exports::table table_of_smaller(const std::vector<figure>& sized);

/// Of few strategies with three sizes or more: the times of small copies and the rates of large
/// ones at each size. Of many a line that says where these are.
void add_sizes(exports::answer& out, const std::vector<figure>& sized);

/// The resources of the machine that transfers use, at the largest size measured.
exports::table table_of_costs(const std::vector<figure>& sized, const figures& measured);

/// Both directions at once, at the largest size measured: the sum, each direction while the other
/// is busy, each alone, and the slowdown of each.
exports::table table_of_duplex(const std::vector<figure>& sized, const figures& measured);

/// Several copies at once, at the largest size measured: the sum, the sum of the same copies alone,
/// and each copy with what it loses.
exports::table table_of_concurrent(const std::vector<figure>& sized, const figures& measured);

/// Copies between memory on each NUMA node and each device, at the largest size measured, far
/// against near. Empty unless there are several nodes.
void add_nodes(exports::answer& out, const std::vector<figure>& sized, const figures& measured);

/// Round trips in pieces against the same steps in sequence, at the largest size measured: the part
/// of the copies' time that is hidden.
exports::table table_of_overlap(const std::vector<figure>& sized, const figures& measured);

/// Benchmarks without a table of their own: times at the smallest and the largest size.
void add_times(exports::answer& out, const std::vector<figure>& sized, const figures& measured);

/// One thread's CPU access to each kind of memory, at the largest size measured.
exports::table table_of_cpu_access(const std::vector<figure>& sized, const figures& measured);

/// Rates by who has touched the host's lines last, at the largest size measured. Without
/// rows if no benchmark that `belongs` was measured after threads had written its memory.
exports::table table_of_lines(const figures& measured,
                              const std::function<bool(const benchmark&)>& belongs);

/// The cost of allocating and freeing memory, at the largest size measured.
exports::table table_of_allocation(const std::vector<figure>& sized);

/// Benchmarks whose repetitions lie in two groups: the median of each, and of how many. In brief,
/// how many they are.
void add_modes(exports::answer& out, const contents& read, detail shown);

/// Benchmarks without a size.
void add_unsized(exports::answer& out, const std::vector<const benchmark*>& unsized,
                 const figures& measured);

/// A number with this many decimals, "-" for none.
inline std::string number_or_dash(std::optional<double> value, int decimals) {
  return value ? common::decimals(*value, decimals) : "-";
}

}  // namespace bench_transfers::result_file
