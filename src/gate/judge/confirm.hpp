#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "src/gate/judge/answer.hpp"
#include "src/gate/model/run.hpp"

namespace bench_transfers::gate {

/// The commands that start the two programs to measure in turn.
struct programs {
  std::string before, after;
};

/// One process of a program that measures these benchmarks and no others.
using measure_once =
    std::function<run(const std::string& command, const std::vector<std::string>& benchmarks)>;

/// The least and the largest number of rounds A B B A. In this order, drift affects both programs
/// alike.
inline constexpr std::size_t least_confirm_rounds = 4;
inline constexpr std::size_t most_confirm_rounds = 10;

/// Called with the number of finished processes and the number of all.
using progress_function = std::function<void(std::size_t finished, std::size_t processes)>;

/// Measures the suspects, which are slower or ambiguous, with both programs in fresh processes, in
/// turn, and judges them by the exact rank test (Holm over all suspects, at the report's rate of
/// false alarms). A benchmark is slower if it has a significant slowdown beyond the threshold; it
/// is the same if its slowdown is significantly less than the threshold; otherwise it is ambiguous.
/// A benchmark that cannot be measured keeps its verdict and gets a note. Throws what `measure`
/// throws, and bad_input if a run is of another device than the check's or of another machine than
/// the other runs.
void confirm(report& answer, const programs& programs, const measure_once& measure,
             const progress_function& progress);

}  // namespace bench_transfers::gate
