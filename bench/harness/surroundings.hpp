#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "src/machine/cpu_times.hpp"
#include "src/result_file/format.hpp"

// What may disturb a repetition from outside, read before and after it: a stop, CPUs taken away,
// another load, a clock that does not go as others do.

namespace bench_transfers::bench {

/// A clock was read after the first and before the second of these times by another clock. A
/// scheduler may take the CPU away between two readings, so one time would not do.
struct bracket {
  std::chrono::nanoseconds earliest{}, latest{};
};

/// Readings at one moment. Equal readings at two moments: nothing is known to have happened.
struct readings {
  std::chrono::nanoseconds wall{};              ///< wall_clock
  std::vector<bracket> check_clocks;            ///< other clocks at the same moment
  unsigned long stops = 0;                      ///< how often the process has gone on after a stop
  std::size_t cpus = 0;                         ///< that the process may use; 0: not known
  std::optional<machine::cpu_times> cpu_times;  ///< of these CPUs, for anyone
  std::chrono::nanoseconds own_cpu{};           ///< CPU time of this process
};

/// Reads them. An interface, so that tests can say what happens.
class surroundings {
 public:
  surroundings() = default;
  surroundings(const surroundings&) = delete;
  surroundings& operator=(const surroundings&) = delete;
  virtual ~surroundings() = default;

  [[nodiscard]] virtual readings read() const = 0;
};

/// Those of this process on this computer. Stops are counted after watch_for_interruption().
class true_surroundings final : public surroundings {
 public:
  [[nodiscard]] readings read() const override;
};

/// What a program watches: true_surroundings. Test programs whose clock is not the computer's link
/// another definition (tests/unit/bench/fake_clock.cpp).
std::unique_ptr<surroundings> watched_surroundings();

/// What has disturbed the time between two readings. `cpus_at_start`: those of the whole run; CPUs
/// that were lost before this repetition count, too.
std::set<result_file::disturbance> disturbances_between(const readings& before,
                                                        const readings& after,
                                                        std::size_t cpus_at_start);

/// The same, as the times of a repetition tell, in ns of one operation: one took very long, or all
/// took none. Long operations that need not be alike, fewer than three, tell nothing.
std::set<result_file::disturbance> disturbances_in(std::span<const double> times,
                                                   std::size_t batch);

/// Whether the times are not those of the operations.
bool are_spoilt(const std::set<result_file::disturbance>& disturbed);
std::vector<std::string> codes_of(const std::set<result_file::disturbance>& disturbed);

}  // namespace bench_transfers::bench
