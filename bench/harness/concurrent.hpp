#pragma once

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/harness/measure.hpp"
#include "bench/harness/turns.hpp"
#include "bench/harness/wall_clock.hpp"
#include "bench/strategy/transfer.hpp"
#include "transfers/core/workers.hpp"

// Copies at once: each by a thread of its own. Only the time in which all of them are busy counts.

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

/// Copies of one or more flows failed.
class flows_failed : public std::runtime_error {
 public:
  struct failure {
    std::size_t device;  ///< index into the run's list
    std::string flow;    ///< "cuda:1:h2d"
    std::exception_ptr reason;
  };
  explicit flows_failed(std::vector<failure> failures)
      : std::runtime_error("a copy has failed"), failures_(std::move(failures)) {}
  [[nodiscard]] const std::vector<failure>& failures() const noexcept { return failures_; }

 private:
  std::vector<failure> failures_;
};

/// Runs flows at once. Its threads are started when they are needed for the first time, and kept;
/// they sleep while no flows run. For one thread.
class flow_team {
 public:
  /// Repeats the copies of all flows until each has made `least_copies` while all others were busy,
  /// and returns when their copies ended. Each flow has two copies in flight. Stops early when
  /// interrupted. The timed part takes no locks and, on CUDA devices, no memory. Throws
  /// flows_failed; std::system_error if threads cannot be started; what stream::record throws.
  /// With a `meeting`, the flows of other processes are among "all others".
  std::vector<copy_ends> run(std::span<const flow> flows, std::size_t least_copies,
                             bench::meeting* meeting = nullptr);

  /// One copy of each flow, at once.
  void copy_once(std::span<const flow> flows);

 private:
  void on_threads(std::span<const flow> flows, const std::function<void(unsigned)>& part);

  std::map<std::size_t, std::unique_ptr<transfers::worker_team>> teams_;  ///< by their size
};

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
