#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "bench/harness/wall_clock.hpp"

namespace bench_transfers::bench {

/// The time that a run may take, from now on.
class time_limit {
 public:
  /// None: any time.
  explicit time_limit(std::optional<std::chrono::nanoseconds> most = std::nullopt) {
    if (most) end_ = wall_clock::now() + *most;
  }

  [[nodiscard]] bool is_up() const { return end_ && wall_clock::now() >= *end_; }

  /// The time that is left; none: any time.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> left() const {
    return end_ ? std::optional<std::chrono::nanoseconds>(*end_ - wall_clock::now()) : std::nullopt;
  }

  /// Of the time that is left, divided by `parts`.
  [[nodiscard]] time_limit share(int parts) const {
    return end_ ? time_limit(*left() / parts) : time_limit();
  }

  /// The shorter of the time that is left and another time.
  [[nodiscard]] std::chrono::duration<double> at_most(std::chrono::duration<double> time) const {
    return end_ ? std::min<std::chrono::duration<double>>(time, *left()) : time;
  }

 private:
  std::optional<wall_clock::time_point> end_;
};

}  // namespace bench_transfers::bench
