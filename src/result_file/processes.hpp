#pragma once

#include <algorithm>

namespace bench_transfers::result_file {

/// One of the processes that measure a run, one after another, each in a share of its rounds.
struct process_of_run {
  int number = 1;  ///< from 1, also of the part of a run that is resumed
  int count = 1;   ///< 1: it measures all rounds that are left

  /// How many of the run's rounds are measured when this process has ended.
  [[nodiscard]] int due(int rounds) const { return until(number, rounds); }
  /// How many of these are its own.
  [[nodiscard]] int own(int rounds) const {
    return count == 1 ? rounds : due(rounds) - until(number - 1, rounds);
  }
  /// Whether a row or a part with this number is its own. What was resumed is the last one's.
  [[nodiscard]] bool has(int process) const {
    return count == 1 || std::min(process, count) == number;
  }
  /// How many are still to measure, itself among them.
  [[nodiscard]] int left() const { return std::max(1, count - number + 1); }
  [[nodiscard]] bool is_last() const { return number >= count; }
  /// Whether it goes on where another process of the run has ended.
  [[nodiscard]] bool continues() const { return number > 1 && count > 1; }

 private:
  [[nodiscard]] int until(int process, int rounds) const {
    return count == 1 ? rounds : (rounds * std::min(process, count) + count - 1) / count;
  }
};

}  // namespace bench_transfers::result_file
