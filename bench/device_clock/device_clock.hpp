#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "transfers/core/device.hpp"

namespace bench_transfers::bench {

/// Measures times by a device's own clock.
class device_clock {
 public:
  /// The device must outlive the clock. Throws device_error.
  explicit device_clock(transfers::device& device);
  /// Of a device with a clock. `delay` keeps a stream busy until a few operations are enqueued.
  explicit device_clock(std::function<void(transfers::stream&)> delay);

  /// Measures the time from the end of the work that `before` enqueues on the stream, one of this
  /// device, to the end of the work that `timed` enqueues there; nullopt for a device without a
  /// clock of its own: a host device without an emulated link. For CUDA: two events, queued
  /// together with all the rest behind a short delay kernel, so that the host's speed plays no
  /// part. Nullopt as well if the delay was too short for that: the first event was over before the
  /// second one was enqueued. The second event itself takes about a microsecond: subtract the span
  /// of an empty `timed`. Throws what stream::synchronize throws, device_error.
  [[nodiscard]] std::optional<std::chrono::duration<double, std::nano>> span(
      transfers::stream& stream, const std::function<void()>& before,
      const std::function<void()>& timed) const;

 private:
  bool has_clock_;
  std::function<void(transfers::stream&)> delay_;  ///< empty: the host's speed plays no part
};

}  // namespace bench_transfers::bench
