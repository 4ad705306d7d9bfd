#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

#include "transfers/core/device.hpp"
#include "transfers/core/stream.hpp"

namespace transfers {

/// Emulates the link between the host and host devices, which may share it: copies take at least as
/// long as its rates say, however fast memory is. Each direction is a token bucket of no depth: a
/// link that was idle has saved nothing up, and in the long run the bytes moved divided by the time
/// are the rate. Copies under way at the same time share a direction, and the limit for both
/// directions together, max-min fairly: each gets an equal share, and what one cannot use goes to
/// the others.
///
/// Times are kept as debts. A thread that wakes up late, because the system lets it sleep for
/// longer than asked or gives it no processor, is credited with the delay, up to most_delay, in its
/// next copy. So rates do not depend on how exactly threads sleep. A copy whose memcpy takes longer
/// than the link does takes as long as the memcpy.
///
/// Where a limit for both directions is set and one direction is busy while a thread of the other
/// wakes up late, that thread's delay is lost: the link gave its share to the others.
///
/// Any thread may use it.
class emulated_link {
 public:
  /// Time since any moment, which never goes back, and a wait until a time; it may return early or
  /// late.
  struct link_clock {
    std::function<std::chrono::nanoseconds()> now;
    std::function<void(std::chrono::nanoseconds)> sleep_until;
  };
  /// Of the system: sleeps, and gives way to other threads for the last 100 microseconds.
  [[nodiscard]] static link_clock system_clock();

  /// The most that a late thread is credited with, and so the most by which its next copies can be
  /// faster than the link. A thread that gets no processor for longer loses the rest. On a busy
  /// machine single copies are therefore slower and faster than the link in turn, by the clock of
  /// the host; stream::span_on_device tells the link's times.
  static constexpr std::chrono::milliseconds most_delay{1};

  /// Throws std::invalid_argument for rates that are negative or no numbers.
  explicit emulated_link(link_description description, link_clock clock = system_clock());
  ~emulated_link();
  emulated_link(const emulated_link&) = delete;
  emulated_link& operator=(const emulated_link&) = delete;

  [[nodiscard]] const link_description& description() const noexcept;

  /// Copies that follow each other, such as those of a stream. One thread at a time may use it.
  class copy_sequence {
    friend class emulated_link;
    double delay_ = 0;  ///< seconds by which its thread is behind the link
  };

  /// One copy on its way. Its end takes it from the link.
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

  /// Begins to move bytes over the link. The sequence must outlive what is returned.
  [[nodiscard]] crossing begin(copy_sequence& sequence, std::size_t bytes, direction direction) {
    return {*this, sequence, bytes, direction};
  }

  /// Two sequences that went on at the same time, as one: the one that ended later.
  [[nodiscard]] static copy_sequence later(const copy_sequence& first,
                                           const copy_sequence& second) {
    return first.delay_ < second.delay_ ? first : second;
  }

  /// The link's time at the end of what the sequence has done, without the delays of its thread.
  [[nodiscard]] std::chrono::duration<double, std::nano> time_of(
      const copy_sequence& sequence) const;

 private:
  struct lane;
  [[nodiscard]] double now() const;
  static void credit_delay(copy_sequence& sequence, double delay);

  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace transfers
