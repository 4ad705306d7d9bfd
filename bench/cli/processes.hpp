#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "bench/harness/settings.hpp"
#include "src/common/exit_code.hpp"

namespace bench_transfers::bench {

/// The option by which a run tells one of its processes which it is. Nobody else gives it.
inline constexpr const char* option_of_process = "--part-of-run";

/// More do not help.
inline constexpr int most_processes = 100;

/// Sets what the value of that option tells. Throws usage_error.
void become_process(const std::string& value, settings& settings);

/// Measures a run by several processes one after another, each of which this program starts anew:
/// what a process keeps, such as addresses and the driver's state, differs between them. They add
/// to one result file, and the last one prints the summary. `arguments`: the command line. Returns
/// the exit code of the process that has ended the run.
common::exit_code measure_in_processes(const settings& settings, std::span<char* const> arguments);

}  // namespace bench_transfers::bench
