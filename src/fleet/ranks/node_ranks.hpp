#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "src/fleet/ranks/processors.hpp"
#include "src/fleet/ranks/shared_file.hpp"

// The processes of a node that measure together. They meet in shared memory: no message is on its
// way while anything is measured.

namespace bench_transfers::fleet {

/// The other ranks have gone on without this one; what() is one line.
class left_behind : public std::runtime_error {
 public:
  left_behind() : std::runtime_error("the other ranks of the node went on without this one") {}
};

/// Another process is this rank of a job of this name; what() is one line.
class rank_is_taken : public std::runtime_error {
 public:
  explicit rank_is_taken(std::size_t rank);
};

/// Times by CLOCK_MONOTONIC, which the processes of a node share.
using shared_clock = std::chrono::steady_clock;

/// When a rank's copies were all under way.
struct busy_time {
  shared_clock::time_point begin, end;
  std::chrono::nanoseconds course;  ///< mean time from begin to end of its copies
};

/// A rank that has joined, and that the others wait for no longer.
struct lost_rank {
  std::size_t rank = 0;        ///< among those of the node
  std::size_t world_rank = 0;  ///< among those of all nodes
  std::string device;          ///< its UUID
  bool has_ended = false;      ///< its process; otherwise it gives no sign of life
  std::chrono::system_clock::time_point since;
  std::chrono::nanoseconds silence{};  ///< before that
};

class node_ranks {
 public:
  struct description {
    std::string job;                     ///< the same for the ranks of a run, and for no others
    std::size_t rank, count;             ///< among those of the node
    std::string device;                  ///< its UUID
    std::uint64_t seed;                  ///< that of the first rank is everybody's
    std::chrono::duration<double> wait;  ///< for a rank that gives no sign of life
    std::function<bool()> interrupted = [] { return false; };
    std::filesystem::path folder = {};  ///< empty: folder_of_shared_files()
    std::size_t world_rank = 0;         ///< among those of all nodes
    std::size_t put_aside = 0;          ///< files of an earlier run, before it joins
    /// Called once for each rank that is lost after all have joined, in one of the other ranks, and
    /// never while anything is measured.
    std::function<void(const lost_rank&)> tell = [](const lost_rank&) {};
  };

  /// Joins the others and waits for them. A rank that is not there in time is gone: all others go
  /// on without it. Throws cannot_share, rank_is_taken, and left_behind if it comes too
  /// late itself.
  explicit node_ranks(description self);
  ~node_ranks();
  node_ranks(const node_ranks&) = delete;
  node_ranks& operator=(const node_ranks&) = delete;

  [[nodiscard]] std::uint64_t seed() const noexcept;
  /// Ranks of the node, also those that are gone.
  [[nodiscard]] std::size_t count() const noexcept { return self_.count; }
  /// Ranks that are not gone, with this one.
  [[nodiscard]] std::size_t present() const noexcept;
  /// Whether all ranks before this one are gone: what is done once for a node, it does.
  [[nodiscard]] bool is_first() const noexcept;
  [[nodiscard]] std::vector<lost_rank> lost() const;
  /// World ranks, by rank of the node; none of one that has not joined.
  [[nodiscard]] std::vector<std::optional<std::size_t>> world_ranks() const;
  /// World ranks that have put files of an earlier run aside: each as often as it has put one.
  [[nodiscard]] std::vector<std::size_t> with_files_put_aside() const;
  /// The longest time for which others were waited for in vain, also for one that never joined.
  [[nodiscard]] std::chrono::nanoseconds longest_silence() const noexcept;
  /// The processors that the ranks which are not gone may use, by what each of them has said.
  [[nodiscard]] std::size_t processors() const noexcept;
  /// Says it again.
  void say_processors() noexcept;
  /// Returns when all ranks have called it.
  void wait_until_said();

  /// Another rank with the same device.
  [[nodiscard]] std::optional<std::size_t> twin() const;

  /// A sign of life. Waiting gives it, too.
  void beat() noexcept;

  // Each of the following returns at once when interrupted, and throws left_behind.

  /// Returns when all ranks are ready and those before this one have had their turns.
  void wait_for_turn();
  void end_turn();
  /// Returns when nobody has a turn any more.
  void wait_for_all_turns();
  /// The others wait for this one no longer.
  void leave() noexcept;

 private:
  friend class meeting;
  struct slot;
  struct head;

  void open_file();
  /// Whether a rank has left, or its process has ended.
  [[nodiscard]] bool has_ended(std::size_t rank) const noexcept;
  [[nodiscard]] bool is_of_earlier_run() const;
  [[nodiscard]] std::span<slot> slots() const noexcept;
  [[nodiscard]] slot& slot_of(std::size_t rank) const noexcept;
  void advance(std::uint64_t progress) noexcept;
  /// Whether the ranks below `end` are this far, or gone.
  [[nodiscard]] bool have_reached(std::uint64_t progress, std::size_t end) const noexcept;
  /// Gives up those that have ended, or given no sign of life for too long.
  void give_up_dead(std::uint64_t progress, std::size_t end) noexcept;
  void give_up(std::size_t rank, bool has_ended, std::chrono::nanoseconds silence) noexcept;
  void wait_until(std::uint64_t progress, std::size_t end);
  /// Those that this rank was the first to give up.
  void tell_lost();
  [[nodiscard]] bool is_gone() const noexcept;

  description self_;
  shared_clock::time_point started_;
  std::atomic<std::int64_t> next_look_ = 0;  ///< in ns of shared_clock
  std::vector<bool> told_;                   ///< ranks that nothing more is told of; empty: nothing
  std::unique_ptr<shared_file> file_;
};

/// One of the times at which ranks copy at once. All ranks number them alike; one that has no part
/// in a meeting holds up nobody, as soon as it is at a later one. The functions for the time that
/// is measured take neither locks nor memory.
class meeting {
 public:
  /// In this order.
  enum class step : std::uint64_t { arrived = 1, busy, finished, told };

  meeting(node_ranks& ranks, std::uint64_t number) : ranks_(&ranks), number_(number) {}

  void reach(step milestone) noexcept;
  [[nodiscard]] bool have_all_reached(step milestone) noexcept;

  /// Tells the others when this rank was busy, and returns the times of all that took part, of this
  /// one first. `own`: none if it has nothing to tell. Empty when interrupted. Throws left_behind.
  std::vector<busy_time> exchange(const std::optional<busy_time>& own);

 private:
  [[nodiscard]] std::uint64_t progress(step milestone) const noexcept;

  node_ranks* ranks_;
  std::uint64_t number_;
};

}  // namespace bench_transfers::fleet
