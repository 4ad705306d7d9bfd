#pragma once

#include <string>

#include "src/fleet/judge/judge.hpp"

namespace bench_transfers::fleet {

// Words of answers.

std::string to_string(verdict verdict);
std::string to_string(scope scope);
std::string to_string(pattern pattern);
/// Of a rank without results.
inline constexpr const char* missing_code = "missing";

std::string to_string(doubt doubt);
/// What follows "3 GPUs", or a sentence of its own.
std::string explain(doubt doubt);

/// "link h2d, all GPUs of the node at once".
std::string describe(const aspect& aspect);

}  // namespace bench_transfers::fleet
