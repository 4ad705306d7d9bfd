#pragma once

#include <string>

/// What readers of files promise for any input. Each function passes its input to a reader and
/// throws std::logic_error when something does not hold that the result promises, or that a refusal
/// does. A refusal itself is right.
namespace bench_transfers::fuzz {

/// A result file, compressed or not: the reader of result files.
void check_read_contents(const std::string& bytes);

/// A result file, compressed or not: what the gate takes from it.
void check_read_run(const std::string& bytes);

/// A baseline.
void check_read_baseline(const std::string& text);

/// A map of a host.
void check_read_map(const std::string& text);

/// A sweep of a fleet, compressed or not, which is judged.
void check_read_sweep(const std::string& bytes);

/// Result files, each after a record separator (RFC 7464) but the first, that are collected as one
/// sweep, two files for each node, which is judged.
void check_collect(const std::string& text);

}  // namespace bench_transfers::fuzz
