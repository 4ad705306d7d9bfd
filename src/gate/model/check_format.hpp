#pragma once

namespace bench_transfers::gate {

/// The newest format of the files that `check --json` writes, and their `kind`.
inline constexpr int check_format = 3;
inline constexpr const char* check_kind = "check";

}  // namespace bench_transfers::gate
