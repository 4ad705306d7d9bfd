#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "bench/harness/turns.hpp"
#include "bench/harness/wall_clock.hpp"

// The rates of flows of copies, from the times at which their copies ended. Only the time in which
// all flows are busy counts.

namespace bench_transfers::bench {

/// The times at which a flow's copies ended, by the host's clock, one directly after the other. The
/// first one is the leading copy, which only keeps the flow busy until the next begins: its end is
/// where the flow starts to count.
using copy_ends = std::vector<wall_clock::time_point>;

/// Nullopt if one of the flows has made no copy while all of them were busy.
std::optional<common_time> common_time_of(std::span<const copy_ends> flows);

/// The rates of flows in GB/s within a time in which all of them were busy. Copies that lie partly
/// in that time count by the part of their own time.
std::vector<double> rates_within(const common_time& time, std::span<const copy_ends> flows,
                                 std::span<const std::size_t> bytes);

/// The rates of flows in GB/s while all of them were busy. Nullopt if that was not for long enough.
std::optional<std::vector<double>> rates_at_once(std::span<const copy_ends> flows,
                                                 std::span<const std::size_t> bytes);

/// How many copies of each flow take about this time, from those of a first run; flows without
/// rates tell nothing. Few copies vary too much, and many make a sample needlessly long.
std::size_t copies_lasting(std::chrono::duration<double, std::nano> time,
                           std::span<const copy_ends> first_run);

}  // namespace bench_transfers::bench
