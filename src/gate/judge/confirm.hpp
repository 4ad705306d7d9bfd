#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "src/gate/judge/answer.hpp"
#include "src/gate/model/run.hpp"

namespace bench_transfers::gate {

/// Two programs measured in turn, by the commands that start them.
struct programs {
  std::string before, after;
};

/// One process of a program that measures these benchmarks and no others.
using measure_once =
    std::function<run(const std::string& command, const std::vector<std::string>& benchmarks)>;

/// So many times A B B A at least and at most: what drifts with time drifts for both.
inline constexpr std::size_t least_confirm_rounds = 4;
inline constexpr std::size_t most_confirm_rounds = 10;

/// Measures what is slower or ambiguous with both programs, in fresh processes and in turn, and
/// judges it by the exact rank test (Holm over all suspects, at the rate of false alarms asked
/// for): slower is a slowdown beyond the threshold that is significant; the same is what is
/// significantly less slow than the threshold; the rest is ambiguous. What cannot be measured keeps
/// its verdict, with a note. `progress` is told the number of processes done and to do. Throws what
/// `measure` throws, and bad_input when runs are of another device or machine than the check's or
/// than each other's.
void confirm(report& answer, const programs& both, const measure_once& measure,
             const std::function<void(std::size_t, std::size_t)>& progress);

}  // namespace bench_transfers::gate
