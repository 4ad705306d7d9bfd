#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "src/fleet/ranks/slot_table.hpp"

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

/// A rank that has joined, and that the others wait for no longer.
struct lost_rank {
  std::size_t rank = 0;        ///< among those of the node
  std::size_t world_rank = 0;  ///< among those of all nodes
  std::string device;          ///< its UUID
  bool process_ended = false;  ///< otherwise it gives no sign of life
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

  // For meetings.

  [[nodiscard]] slot_table& table() noexcept { return *table_; }
  [[nodiscard]] bool is_interrupted() const { return self_.interrupted(); }
  void reach(milestone reached) noexcept { table_->advance(reached); }
  /// Gives signs of life, and gives up the dead, if it has not looked for them just now.
  [[nodiscard]] bool have_all_reached(milestone wanted) noexcept;
  /// Returns when all have reached it.
  void wait_for_all(milestone wanted) { wait_until(wanted, self_.count); }

 private:
  void open_file();
  [[nodiscard]] bool is_of_earlier_run() const;
  void give_up_dead(milestone wanted, std::size_t end) noexcept;
  /// Returns when the ranks below `end` are this far, or gone.
  void wait_until(milestone wanted, std::size_t end);
  /// Those that this rank was the first to give up.
  void tell_lost();

  description self_;
  shared_clock::time_point started_;
  std::atomic<std::int64_t> next_look_ = 0;  ///< as shared_time()
  std::vector<bool> told_;                   ///< ranks that nothing more is told of; empty: nothing
  std::unique_ptr<slot_table> table_;
};

}  // namespace bench_transfers::fleet
