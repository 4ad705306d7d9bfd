#pragma once

namespace bench_transfers::gate {

/// The newest format of what `check --json` writes, and what it says it is.
inline constexpr int check_format = 2;
inline constexpr const char* check_kind = "check";

}  // namespace bench_transfers::gate
