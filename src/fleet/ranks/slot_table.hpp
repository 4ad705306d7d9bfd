#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>

#include "src/fleet/ranks/processors.hpp"
#include "src/fleet/ranks/shared_file.hpp"

namespace bench_transfers::fleet {

/// Times by CLOCK_MONOTONIC, which the processes of a node share.
using shared_clock = std::chrono::steady_clock;

/// In ns of shared_clock.
std::int64_t shared_time() noexcept;

/// How far a rank is, in this order. All from `first_meeting` on are the steps of meetings.
enum class milestone : std::uint64_t {
  none,  ///< it has not joined: a new file is filled with zeros
  joined,
  has_said,
  ready,
  turn_ended,
  first_meeting = 8,
  left = std::numeric_limits<std::uint64_t>::max()
};

/// What one rank tells the others. It alone writes its slot, but for what the others know of it
/// when it is gone. Two fields say that what was written before them can be read: `progress`, which
/// only grows, so that nobody can miss a step, and `gone`. They need release and acquire. All else
/// is atomic because it can be read while it is written.
struct alignas(64) rank_slot {
  std::atomic<milestone> progress;
  std::atomic<std::int64_t> beat;  ///< shared_time() of its last sign of life
  std::atomic<std::uint64_t> world_rank, put_aside;
  std::atomic<std::uint32_t> gone;
  // What the others know of it when it is gone.
  std::atomic<std::uint64_t> noticed_by;  ///< rank of the node + 1
  std::atomic<std::int64_t> gone_since;   ///< in ns of system_clock
  std::atomic<std::int64_t> silence;
  std::atomic<std::uint32_t> process_ended;
  // What it has told in a meeting.
  std::atomic<std::uint64_t> met;  ///< number of the meeting + 1
  std::atomic<std::int64_t> begin, end, course;
  std::array<char, 128> device;  ///< written before it joins
  std::array<std::atomic<std::uint64_t>, processor_set::words> processors;

  [[nodiscard]] bool has_joined() const noexcept { return progress != milestone::none; }
  [[nodiscard]] bool is_gone() const noexcept { return gone != 0; }
};

/// The slots of a node's ranks in shared memory, as one of them sees them.
class slot_table {
 public:
  /// Opens the file or makes it, with this seed. Throws cannot_share.
  slot_table(const std::filesystem::path& file, std::size_t ranks, std::size_t own,
             std::uint64_t seed);

  /// Whether this process has the place of its rank; otherwise another one has it.
  [[nodiscard]] bool has_place() const noexcept { return file_.has_place(); }
  /// Gives up all ranks; who opens a file of this name from now on gets a new one.
  void abandon();
  [[nodiscard]] bool is_abandoned() const noexcept { return file_.is_abandoned(); }

  [[nodiscard]] std::uint64_t seed() const noexcept;
  [[nodiscard]] std::span<rank_slot> slots() const noexcept;
  [[nodiscard]] rank_slot& own() const noexcept { return slots()[own_]; }

  /// A sign of life.
  void beat() noexcept { own().beat = shared_time(); }
  void advance(milestone reached) noexcept;
  /// Whether the ranks below `end` are this far, or gone.
  [[nodiscard]] bool have_reached(milestone wanted, std::size_t end) const noexcept;

  /// Whether another process has a rank's place.
  [[nodiscard]] bool is_taken(std::size_t rank) const noexcept { return file_.is_taken(rank); }
  /// Whether a rank has joined, and its place is free.
  [[nodiscard]] bool process_ended(std::size_t rank) const noexcept;

  /// Gives up those below `end` that are not this far and whose process has ended, or that have
  /// given no sign of life for longer than `wait`; `started` counts as the first of each.
  void give_up_dead(milestone wanted, std::size_t end, shared_clock::time_point started,
                    std::chrono::nanoseconds wait) noexcept;

 private:
  struct head;

  void give_up(rank_slot& other, bool ended, std::chrono::nanoseconds silence) noexcept;

  std::size_t ranks_, own_;
  shared_file file_;
};

}  // namespace bench_transfers::fleet
