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

/// "copies to the device, alone".
std::string describe(const aspect& aspect);

}  // namespace bench_transfers::fleet
