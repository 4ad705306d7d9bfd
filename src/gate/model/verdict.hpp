#pragma once

#include <array>
#include <string>

namespace bench_transfers::gate {

/// Exit codes of gate_transfers.
enum class exit_code { pass = 0, regression = 1, bad_input = 2, inconclusive = 3, environment = 4 };

/// On one benchmark.
enum class verdict { unchanged, not_known, slower, faster, ambiguous, missing, added };

/// In the order in which they are reported.
inline constexpr std::array worst_first{verdict::slower,   verdict::ambiguous, verdict::missing,
                                        verdict::faster,   verdict::added,     verdict::not_known,
                                        verdict::unchanged};

// Words of check.json, which programs read: they do not change.

std::string to_string(verdict result);  ///< "unchanged", "not_known" ... "missing", "new"
std::string to_string(exit_code code);  ///< "PASS", "REGRESSION", "ENVIRONMENT_SLOWER" ...

}  // namespace bench_transfers::gate
