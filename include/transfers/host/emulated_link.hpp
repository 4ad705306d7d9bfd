#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

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
/// While others copy, a late thread is credited only with what they have left of the link: the link
/// has given the rest of its share to them.
///
/// A device may also be behind several links, one after the other, which it shares with other
/// devices: see emulated_network.
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

  /// Valid as long as the link. Of a path, its name has all links ("gpu0@switch"), and its rates
  /// are the least ones.
  [[nodiscard]] const link_description& description() const noexcept { return description_; }
  /// The links of a path, from the device on; of a single link, that one. Valid likewise.
  [[nodiscard]] const std::vector<link_description>& links() const noexcept { return links_; }
  /// Whether times of both links can be compared: the links are of one network.
  [[nodiscard]] bool shares_clock(const emulated_link& other) const noexcept {
    return state_ == other.state_;
  }

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
    std::size_t lane_;  ///< that of the direction
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
  friend class emulated_network;
  struct lane;
  struct state;
  /// A path over links of a network, by their indices.
  emulated_link(std::shared_ptr<state> network, const std::vector<std::size_t>& path);
  [[nodiscard]] double now() const;
  static void credit_delay(copy_sequence& sequence, double delay);

  std::shared_ptr<state> state_;
  std::vector<link_description> links_;
  link_description description_;
  std::array<std::vector<std::size_t>, 2> capacities_;  ///< that each direction crosses
};

/// Emulated links that copies cross one after the other: a tree of switches, for example. Two
/// devices whose paths have a link in common share that link, and all copies together share the
/// whole network max-min fairly. Thread-safe. Its paths keep it alive.
class emulated_network {
 public:
  /// Throws invalid_argument as emulated_link does.
  explicit emulated_network(std::vector<link_description> links,
                            emulated_link::link_clock clock = emulated_link::system_clock());
  ~emulated_network();
  emulated_network(const emulated_network&) = delete;
  emulated_network& operator=(const emulated_network&) = delete;

  /// Returns what a device is behind whose copies cross these links, given by their indices. Throws
  /// invalid_argument for no link, an unknown one, or one that is there twice.
  [[nodiscard]] std::shared_ptr<emulated_link> path(const std::vector<std::size_t>& links) const;

 private:
  std::shared_ptr<emulated_link::state> state_;
};

}  // namespace transfers
