#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "src/fleet/ranks/node_ranks.hpp"

namespace bench_transfers::fleet {

/// When a rank's copies were all under way.
struct busy_time {
  shared_clock::time_point begin, end;
  std::chrono::nanoseconds course;  ///< mean time from begin to end of its copies
};

/// One of the times at which ranks copy at once. All ranks number them alike; one that has no part
/// in a meeting holds up nobody, as soon as it is at a later one. The functions for the time that
/// is measured take neither locks nor memory.
class meeting {
 public:
  /// In this order.
  enum class step : std::uint64_t { arrived = 1, busy, finished, told };

  meeting(node_ranks& ranks, std::uint64_t number) : ranks_(&ranks), number_(number) {}

  void reach(step reached) noexcept;
  [[nodiscard]] bool have_all_reached(step reached) noexcept;

  /// Tells the others when this rank was busy, and returns the times of all that took part, of this
  /// one first. `own`: none if it has nothing to tell. Empty when interrupted. Throws left_behind.
  std::vector<busy_time> exchange(const std::optional<busy_time>& own);

 private:
  [[nodiscard]] milestone milestone_of(step reached) const noexcept;

  node_ranks* ranks_;
  std::uint64_t number_;
};

}  // namespace bench_transfers::fleet
