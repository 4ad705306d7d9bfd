#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "src/fleet/mpi/channel.hpp"

namespace bench_transfers::fleet {

/// What a rank brings to a gathering.
struct contribution {
  std::string bytes = {};              ///< its result; empty: it has none
  bool is_whole = false;               ///< nothing has failed, so others need its time, too
  std::vector<std::size_t> lost = {};  ///< ranks of its node that it no longer waits for
  /// The part of its time in which it waited for them.
  std::chrono::duration<double> waited = {};
};

/// The ranks of a job begin together, and rank 0 gathers what they have measured. A rank that hangs
/// is left out. It costs the others `wait` once, or nothing if the ranks of its node have waited
/// for it already. Only if every rank but a hung one has failed, nobody knows how long to wait:
/// then an interruption ends it. Between begin() and gather() a rank takes no message.
class gathering {
 public:
  using clock = std::chrono::steady_clock;
  using seconds = std::chrono::duration<double>;

  struct description {
    seconds wait;                   ///< for a rank, beyond the time that it measures
    std::size_t ranks_of_node = 1;  ///< they measure one after the other
    std::function<bool()> interrupted = [] { return false; };
    /// For a rank, after an interruption: the others may have been interrupted, too.
    seconds wait_when_interrupted = std::chrono::seconds(3);
    seconds most_work = std::chrono::minutes(10);  ///< for which the others wait
    // Tests have a clock of their own.
    std::function<clock::time_point()> now = clock::now;
    std::function<void(clock::duration)> sleep = [](clock::duration time) {
      std::this_thread::sleep_for(time);
    };
  };

  gathering(channel& ranks, description self);

  /// Returns when all ranks have called it, or have been waited for long enough.
  void begin();

  /// On rank 0, what each rank has passed; those that have not are missing. Elsewhere empty. While
  /// no rank has told how long it measured, only an interruption ends the waiting.
  std::map<std::size_t, std::string> gather(const contribution& own);

  /// Between gather() and end(), on rank 0: does work that takes long, by another thread, while
  /// this one tells the others that it lives: their patience is longer then, also after an
  /// interruption. It tells so for `most_work` at most: work may hang, too. Throws what the work
  /// throws.
  void work(const std::function<void()>& job);

  /// After gather(). Returns whether all ranks have come to the end; if not, MPI cannot be ended in
  /// order.
  bool end();
  /// After end(): for how long this rank has waited for rank 0 in vain; none if that has answered.
  [[nodiscard]] const std::optional<seconds>& silence_of_rank_0() const noexcept {
    return silence_of_rank_0_;
  }

 private:
  /// Takes messages until `is_enough`, or until `end`, which may change. An interruption leaves
  /// less time: `after_interruption`, from it or from the last sign of life of a rank that works.
  template <class Take, class Condition, class End>
  void receive_until(Condition&& is_enough, End&& end, seconds after_interruption, Take&& take);
  [[nodiscard]] std::string told(const contribution& own) const;
  void note_result(const message& received);
  /// For how long rank 0 waits at most: to the last that has answered, or to all where that is new.
  void tell_patience(std::size_t last);
  /// Or are lost.
  [[nodiscard]] bool have_all_answered() const;
  void send_to_others(const std::string& bytes);
  [[nodiscard]] clock::time_point after(seconds time) const;
  /// When those that have not answered are given up.
  [[nodiscard]] clock::time_point end_of_patience(int waits) const;

  channel& ranks_;
  description self_;
  std::size_t most_ranks_of_node_;
  clock::time_point began_;
  seconds longest_{};  ///< of whole measurements, on the node with the most ranks; 0: not known
  clock::time_point told_end_;  ///< of the patience
  std::map<std::size_t, std::string> results_;
  std::set<std::size_t> lost_;         ///< ranks that others no longer wait for
  std::vector<std::size_t> answered_;  ///< on rank 0: others that wait for it
  bool is_complete_ = false;           ///< rank 0 has heard all
  std::optional<seconds> silence_of_rank_0_;
};

}  // namespace bench_transfers::fleet
