#pragma once

#include <chrono>

namespace transfers {

/// Whether an event has a time (cudaEventDisableTiming). Events that only order work cost less
/// without.
enum class event_timing { on, off };

/// Marks a point in a stream's work: it is reached when all work before it is done. Thread-safe. It
/// may be destroyed before it is reached, and outlive its stream.
class event {
 public:
  virtual ~event() = default;
  event(const event&) = delete;
  event& operator=(const event&) = delete;

  /// Returns whether all work before it is done. Throws device_error.
  [[nodiscard]] virtual bool done() const = 0;
  /// Returns when all work before it is done. Throws device_error.
  virtual void wait() const = 0;

  /// Waits for both events and returns the time between them by the device's clock
  /// (cudaEventElapsedTime, with a resolution of about 0.5 µs). A host device has the host's
  /// steady clock, or the time of its emulated link, which late threads do not affect. Throws
  /// invalid_argument if the events belong to different devices or one has no time,
  /// device_error.
  [[nodiscard]] virtual std::chrono::duration<double, std::nano> time_since(
      const event& earlier) const = 0;

 protected:
  event() = default;
};

}  // namespace transfers
