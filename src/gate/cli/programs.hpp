#pragma once

#include <string>

#include "src/gate/judge/confirm.hpp"
#include "src/gate/model/metric.hpp"

namespace bench_transfers::gate {

/// "COMMAND_A,COMMAND_B": at the only comma that is not within quotes. Shell commands that take
/// Google Benchmark's --benchmark_filter=REGEX and --benchmark_out=FILE, as bench_transfers does.
/// Throws bad_input.
programs parse_programs(const std::string& text);

/// Runs the command in a process group of its own, its output kept away from ours. Throws
/// bad_input: it ended with another code than 0 or 1 (some benchmark failed), or left no usable
/// file; interrupted.
measure_once measure_with_shell(const metric& judged_by);

}  // namespace bench_transfers::gate
