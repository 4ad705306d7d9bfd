#pragma once

#include <string>

/// Reads a result file's bytes, compressed or not, and throws std::logic_error when something does
/// not hold that a run promises, or that a refusal does. A refusal itself is right.
void check_read_run(std::string bytes);
