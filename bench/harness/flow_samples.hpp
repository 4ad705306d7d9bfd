#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>

#include "bench/harness/flow_team.hpp"
#include "bench/harness/measure.hpp"
#include "bench/harness/turns.hpp"

// The samples of a repetition of copies at once, as measure.hpp has those of other operations.

namespace bench_transfers::bench {

/// Runs the flows to choose how often they are repeated.
schedule settle_flows(flow_team& team, std::span<const flow> flows,
                      std::chrono::nanoseconds min_time);

/// Runs the timed samples of a repetition: all flows at once, in turn with each of them alone, so
/// that drift affects both. `untimed` as for time_operations. Throws not_at_once, and what
/// flow_team::run throws.
void time_flows(flow_team& team, std::span<const flow> flows, const schedule& planned,
                const std::function<void(const std::function<void()>&)>& untimed, samples& result);

/// The same at once with the flows of other processes, and never alone. `first`: of the meetings.
/// Throws what these throw, too.
void time_flows_of_ranks(flow_team& team, std::span<const flow> flows, const schedule& planned,
                         turns& others, std::uint64_t first, samples& result);

/// The number of the first meeting of a benchmark in a round: random, and the same in each of the
/// processes, also if some of them cannot run others.
std::uint64_t first_meeting(const std::string& benchmark, std::uint64_t seed, int round);

/// The flows never ran at once for long enough; what() is one line.
class not_at_once : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace bench_transfers::bench
