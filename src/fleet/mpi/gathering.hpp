#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <string>

#include "src/fleet/mpi/channel.hpp"

namespace bench_transfers::fleet {

/// The ranks of a job begin together, and rank 0 gathers what they have measured. Nobody waits for
/// ever: a rank that hangs is left out. No message is on its way between both.
class gathering {
 public:
  struct description {
    std::chrono::duration<double> wait;  ///< for a rank, beyond the time that it measures
    std::size_t ranks_of_node = 1;       ///< they measure one after the other
    std::function<bool()> interrupted = [] { return false; };
    /// For a rank, after an interruption: the others may have been interrupted, too.
    std::chrono::duration<double> wait_when_interrupted = std::chrono::seconds(3);
  };

  gathering(channel& ranks, description self);

  /// Returns when all ranks have called it, or have been waited for long enough.
  void begin();

  /// On rank 0, what each rank has passed; those that have not are missing. Elsewhere empty.
  /// `is_whole`: nothing has failed, so the time until now is what others need, too. While no rank
  /// has told such a time, only an interruption ends the waiting.
  std::map<std::size_t, std::string> gather(const std::string& own, bool is_whole);

  /// After gather(). Returns whether all ranks have come to the end; if not, MPI cannot be ended in
  /// order.
  bool end();

 private:
  using clock = std::chrono::steady_clock;
  using seconds = std::chrono::duration<double>;

  /// Takes messages until `is_enough`, or until `end`, which may change. An interruption leaves
  /// less time: `after_interruption`.
  template <class Take, class Condition, class End>
  void receive_until(Condition&& is_enough, End&& end, seconds after_interruption, Take&& take);
  void note_result(const message& received);
  void send_to_others(const std::string& bytes);
  /// When those that have not come are given up: so many times the time that they may need.
  [[nodiscard]] clock::time_point end_of_patience(int times) const;

  channel& ranks_;
  description self_;
  std::size_t most_ranks_of_node_;
  clock::time_point began_;
  seconds longest_{};  ///< of whole measurements, on the node with the most ranks; 0: not known
  std::map<std::size_t, std::string> results_;
  bool is_complete_ = false;  ///< rank 0 has heard all
};

}  // namespace bench_transfers::fleet
