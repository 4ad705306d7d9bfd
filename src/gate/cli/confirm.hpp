#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/gate/judge/check.hpp"
#include "src/gate/model/run.hpp"

namespace bench_transfers::gate {

/// Two programs measured in turn: shell commands that take Google Benchmark's
/// --benchmark_filter=REGEX and --benchmark_out=FILE, as bench_transfers does.
struct programs {
  std::string before, after;
};

/// "COMMAND_A,COMMAND_B": at the only comma that is not within quotes. Throws bad_input.
programs parse_programs(const std::string& text);

/// One process of a program that measures these benchmarks and no others.
using measure_once =
    std::function<run(const std::string& command, const std::vector<std::string>& benchmarks)>;

/// Runs the command in a process group of its own, its output kept away from ours. Throws
/// bad_input: it ended with another code than 0 or 1 (some benchmark failed), or left no usable
/// file; interrupted.
measure_once measure_with_shell(const metric& judged_by);

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
