#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/harness/flow_rates.hpp"
#include "bench/harness/turns.hpp"
#include "bench/strategy/transfer.hpp"
#include "transfers/core/workers.hpp"

// Copies at once, each by a thread of its own.

namespace bench_transfers::bench {

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
  /// Throws flows_failed of those whose part throws.
  void on_threads(std::span<const flow> flows, const std::function<void(unsigned)>& part);

  std::map<std::size_t, std::unique_ptr<transfers::worker_team>> teams_;  ///< by their size
};

}  // namespace bench_transfers::bench
