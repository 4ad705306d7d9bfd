#pragma once

#include <chrono>
#include <span>
#include <vector>

namespace bench_transfers::bench::cpu {

/// When a thread began its first turn, and when it ended each: one mark more than turns.
using turn_marks = std::vector<std::chrono::steady_clock::time_point>;

/// Turns per nanosecond of each thread while all were busy: from when the last one began until the
/// first one ended its last turn. A turn that lies partly in this time counts by the part that
/// does. A thread of one turn has the rate of that turn, because it may have had the time alone,
/// and so has each thread the rate of all of its turns if they never were busy together.
std::vector<double> rates_at_once(std::span<const turn_marks> threads);

}  // namespace bench_transfers::bench::cpu
