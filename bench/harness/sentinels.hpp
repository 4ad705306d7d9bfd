#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

#include "bench/harness/devices.hpp"
#include "bench/harness/settings.hpp"
#include "bench/harness/wall_clock.hpp"
#include "src/common/message.hpp"
#include "src/result_file/sentinels.hpp"

namespace bench_transfers::bench {

/// Why a device has no sentinels, or has none from some round on.
struct sentinel_refusal {
  std::size_t device;
  common::message reason;
};

/// Times the sentinels of each device at the beginning and at the end of each round, and in between
/// as often as 2 % of the time allows. They have memory of their own.
class sentinels {
 public:
  sentinels(const running_devices& devices, const settings& settings);
  ~sentinels();
  sentinels(const sentinels&) = delete;
  sentinels& operator=(const sentinels&) = delete;

  /// `round`: of the process, from 1. `expected`: how long it takes without them. That of the first
  /// round decides how many bytes are copied, which are no more than the `largest` benchmark has.
  void begin(int round, std::chrono::duration<double> expected, std::size_t largest);
  /// Between two benchmarks.
  void pause();
  /// Returns the readings of the round. Without an interruption, there are at least two visits.
  std::vector<result_file::sentinel_readings> end();

  /// So far.
  [[nodiscard]] const std::vector<sentinel_refusal>& refusals() const { return refusals_; }

 private:
  class watched_device;

  void reserve(std::size_t bytes);
  void visit();
  void refuse(std::size_t device, common::message reason);

  const running_devices& devices_;
  const settings& settings_;
  std::vector<std::unique_ptr<watched_device>> watched_;
  std::vector<sentinel_refusal> refusals_;
  bool is_reserved_ = false;
  bool has_run_ = false;  ///< a benchmark, since the last visit
  wall_clock::time_point last_visit_;
  wall_clock::duration apart_{};  ///< least time between two visits within a round
  wall_clock::duration expected_{};
};

/// Of a process that measures in turn with others.
std::vector<sentinel_refusal> no_sentinels_among_ranks(const running_devices& devices);

}  // namespace bench_transfers::bench
