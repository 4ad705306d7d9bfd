#pragma once

#include <string>
#include <vector>

#include "src/result_file/summary/figures.hpp"

namespace bench_transfers::result_file {

// The summary's tables, each with a line before it; empty where there is nothing to show.

/// Latencies and rates of all that moves data in one direction.
std::string table_of_directions(const std::vector<figure>& all, const figures& measured);

/// What was not measured at the largest size of all: rates at its own.
std::string table_of_smaller(const std::vector<figure>& all);

/// What transfers take of the machine, at the largest size measured.
std::string table_of_costs(const std::vector<figure>& all, const figures& measured);

/// Both directions at once, at the largest size measured: in all, each while the other one is kept
/// busy, each alone, and by how much that slows each down.
std::string table_of_duplex(const std::vector<figure>& all, const figures& measured);

/// Round trips in pieces against the same one after the other, at the largest size measured: how
/// much of the copies' time is hidden.
std::string table_of_overlap(const std::vector<figure>& all, const figures& measured);

/// What has no table of its own: times at the smallest and the largest size.
std::string table_of_times(const std::vector<figure>& all, const figures& measured);

/// What the CPU pays for each kind of memory, by one thread, at the largest size measured.
std::string table_of_cpu_access(const std::vector<figure>& all, const figures& measured);

/// What memory costs to get and to give back, at the largest size measured.
std::string table_of_allocation(const std::vector<figure>& all);

/// What has no size.
std::string table_of_unsized(const std::vector<const benchmark*>& all, const figures& measured);

/// A number with so many decimals, "-" for none.
std::string number_or_dash(std::optional<double> value, int decimals);

}  // namespace bench_transfers::result_file
