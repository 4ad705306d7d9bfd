#pragma once

#include <array>
#include <string>

namespace bench_transfers::gate {

/// Exit codes of gate_transfers.
enum class exit_code { pass = 0, regression = 1, bad_input = 2, inconclusive = 3 };

/// Exit code of `query` where the file does not have what it was asked for.
inline constexpr int not_there = 3;

/// On one benchmark.
enum class verdict { same, slower, faster, ambiguous, missing, added };

/// In the order in which they are told.
inline constexpr std::array worst_first{verdict::slower, verdict::ambiguous, verdict::missing,
                                        verdict::faster, verdict::added,     verdict::same};

// Words of check.json, which programs read: they stay.

std::string to_string(verdict found);        ///< "same" ... "missing", "new"
std::string to_string(exit_code code);       ///< "PASS", "REGRESSION" or "INCONCLUSIVE"
std::string decided_by(bool latency_bound);  ///< "latency" or "bandwidth"

}  // namespace bench_transfers::gate
