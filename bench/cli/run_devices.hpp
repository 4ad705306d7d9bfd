#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "bench/cli/choose_device.hpp"
#include "bench/harness/measured_device.hpp"
#include "bench/record/observe.hpp"
#include "src/common/message.hpp"
#include "src/machine/gpu_monitor.hpp"

namespace bench_transfers::bench {

std::vector<named_device> named_devices(const devices_choice& choice);

/// The devices of a run, each with its buffers, its monitor and its state at the start.
class run_devices {
 public:
  explicit run_devices(devices_choice choice);

  [[nodiscard]] const std::optional<common::message>& why_not_gpu() const {
    return choice_.why_not_gpu;
  }

  /// For a plan.
  [[nodiscard]] std::vector<named_device> named() const { return named_devices(choice_); }

  void observe_start() { start_ = observe({}); }

  /// After observe_start().
  [[nodiscard]] device_list allocate(std::uint64_t seed);

  /// For the record; after allocate().
  [[nodiscard]] std::vector<observed_device> observed() const;

  [[nodiscard]] const std::vector<observation>& start() const { return start_; }

  /// The devices after the run; nothing is known of those that were lost.
  [[nodiscard]] std::vector<observation> observe(const std::set<std::size_t>& lost) const;

 private:
  devices_choice choice_;
  std::vector<std::unique_ptr<machine::gpu_monitor>> monitors_;
  std::vector<observation> start_;
  std::vector<std::unique_ptr<buffers>> memory_;
};

}  // namespace bench_transfers::bench
