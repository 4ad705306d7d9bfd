#pragma once

#include <array>
#include <string>

#include "src/common/exit_code.hpp"

namespace bench_transfers::gate {

using common::exit_code;

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
