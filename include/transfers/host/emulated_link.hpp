#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

#include "transfers/core/device.hpp"
#include "transfers/core/stream.hpp"

namespace transfers {

/// Emulates the link between the host and host devices, which may share it: copies take at least as
/// long as its rates require, however fast memory is. Each direction is a token bucket of depth
/// zero: an idle link accumulates nothing, and in the long run the bytes moved per time equal the
/// rate. Concurrent copies share a direction, and the limit for both directions together, max-min
/// fairly: each gets an equal share, and the others get what it cannot use.
///
/// A thread that wakes up late, because the system lets it sleep for too long or gives it no
/// processor, is credited with the delay in its next copy, up to most_delay. Therefore rates do not
/// depend on how exactly threads sleep. A copy whose memcpy takes longer than the link takes as
/// long as the memcpy.
///
/// If there is a limit for both directions, and one direction is busy while a thread of the other
/// wakes up late, that thread's delay is lost: the link has given its share to the others.
///
/// Thread-safe. Devices keep their link alive (host_device_options).
class emulated_link {
 public:
  /// A clock that never goes back, with an arbitrary origin, and a wait until a time, which may
  /// return early or late.
  struct link_clock {
    std::function<std::chrono::nanoseconds()> now;              ///< time since the origin
    std::function<void(std::chrono::nanoseconds)> sleep_until;  ///< such a time
  };
  /// The system's clock. The wait sleeps, and yields to other threads for the last 100
  /// microseconds.
  [[nodiscard]] static link_clock system_clock();

  /// The maximum credit of a late thread, and so the most by which its next copies can be faster
  /// than the link. A thread that gets no processor for longer loses the rest. On a busy machine,
  /// single copies are therefore alternately slower and faster than the link by the clock of the
  /// host; event::time_since returns the link's times.
  static constexpr std::chrono::milliseconds most_delay{1};

  /// Throws invalid_argument for rates that are negative or not finite.
  explicit emulated_link(link_description description, link_clock clock = system_clock());
  ~emulated_link();
  emulated_link(const emulated_link&) = delete;
  emulated_link& operator=(const emulated_link&) = delete;

  /// Valid as long as the link.
  [[nodiscard]] const link_description& description() const noexcept;

  /// Consecutive copies, such as those of a stream. Only one thread at a time may use a sequence.
  class copy_sequence {
    friend class emulated_link;
    double delay_ = 0;  ///< seconds by which its thread is behind the link
  };

  /// One copy under way. The destructor removes it from the link.
  class crossing {
   public:
    ~crossing();
    crossing(const crossing&) = delete;
    crossing& operator=(const crossing&) = delete;

    /// Returns when the bytes have crossed the link.
    void finish();

   private:
    friend class emulated_link;
    crossing(emulated_link& link, copy_sequence& sequence, std::size_t bytes, direction direction);

    emulated_link& link_;
    copy_sequence& sequence_;
    std::size_t lane_;
    std::size_t flow_;
    bool finished_ = false;
  };

  /// Begins to move bytes over the link. The sequence must outlive the returned crossing.
  [[nodiscard]] crossing begin(copy_sequence& sequence, std::size_t bytes, direction direction) {
    return {*this, sequence, bytes, direction};
  }

  /// Joins two concurrent sequences: returns the one that ended later.
  [[nodiscard]] static copy_sequence later(const copy_sequence& first,
                                           const copy_sequence& second) {
    return first.delay_ < second.delay_ ? first : second;
  }

  /// The link's time at the end of the sequence's copies, without the delays of its thread.
  [[nodiscard]] std::chrono::duration<double, std::nano> time_of(
      const copy_sequence& sequence) const;

  /// A sequence whose copies have ended at a time of the link, up to most_delay ago.
  [[nodiscard]] copy_sequence ended_at(std::chrono::duration<double, std::nano> time) const;

 private:
  struct lane;
  [[nodiscard]] double now() const;
  static void credit_delay(copy_sequence& sequence, double delay);

  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace transfers
