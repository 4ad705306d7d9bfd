#pragma once

#include <string>

#include "src/gate/judge/confirm.hpp"
#include "src/gate/model/metric.hpp"

namespace bench_transfers::gate {

/// Splits "COMMAND_A,COMMAND_B" at its only comma outside of quotes. Both must be shell commands
/// that accept Google Benchmark's --benchmark_filter=REGEX and --benchmark_out=FILE, as
/// bench_transfers does. Throws bad_input.
programs parse_programs(const std::string& text);

/// Runs a command in its own process group, without showing its output. Throws bad_input if it ends
/// with a code other than 0 or 1 (some benchmark failed) or leaves no usable file, and interrupted.
measure_once measure_with_shell(const metric& judged_by);

}  // namespace bench_transfers::gate
