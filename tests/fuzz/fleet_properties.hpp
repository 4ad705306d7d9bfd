#pragma once

#include <string>

/// Reads a sweep of a fleet, compressed or not, and judges it. Throws std::logic_error when
/// something does not hold that a sweep, a judgement or a refusal promises. A refusal itself is
/// right.
void check_read_sweep(std::string bytes);

/// The same of result files, each after a record separator (RFC 7464) but the first, that are
/// collected as one sweep: two files for each node.
void check_collect(const std::string& text);
