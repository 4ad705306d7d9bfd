#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "bench/harness/wall_clock.hpp"
#include "src/common/message.hpp"

namespace bench_transfers::bench {

/// A time in which several flows of copies are busy: from the moment when the last one started to
/// the moment when the first one ended, and the mean time from start to end of a flow.
struct common_time {
  wall_clock::time_point begin, end;
  std::chrono::duration<double, std::nano> mean_course;

  /// Half of the mean course at least: less means that they ran one after another.
  [[nodiscard]] bool is_long_enough() const;
};

/// One of the times at which the copies of several processes run at once. The functions for the
/// time that is measured take neither locks nor memory.
class meeting {
 public:
  /// What a process does, in this order: its copies have begun, are all under way, are enough.
  enum class step { arrived, busy, finished };
  static constexpr std::size_t step_count = static_cast<std::size_t>(step::finished) + 1;

  virtual ~meeting() = default;

  virtual void reach(step milestone) noexcept = 0;
  /// Whether all processes that take part have reached it.
  [[nodiscard]] virtual bool have_all_reached(step milestone) noexcept = 0;
  /// Tells the others when this process was busy, and returns the times of all that took part, of
  /// this one first. `own`: none if it has nothing to tell. Empty when interrupted.
  virtual std::vector<common_time> exchange(const std::optional<common_time>& own) = 0;
};

/// The processes that measure on one computer: each alone, in turn, and then all of them at once.
/// Waiting ends when interrupted, and throws where the others have gone on without this process.
class turns {
 public:
  virtual ~turns() = default;

  [[nodiscard]] virtual std::size_t count() const noexcept = 0;
  /// A sign of life. Waiting gives it, too.
  virtual void beat() noexcept = 0;
  /// Returns when this process has its turn.
  virtual void wait() = 0;
  /// Ends it, and returns when nobody has a turn any more.
  virtual void end() = 0;
  /// The others wait for this process no longer.
  virtual void leave() noexcept = 0;
  /// All processes number their meetings alike.
  [[nodiscard]] virtual std::unique_ptr<meeting> meet(std::uint64_t number) = 0;
  /// Of processes that the others wait for no longer.
  [[nodiscard]] virtual std::vector<common::message> warnings() const = 0;
};

}  // namespace bench_transfers::bench
