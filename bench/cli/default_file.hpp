#pragma once

#include <string_view>

#include "bench/harness/settings.hpp"

namespace bench_transfers::bench {

/// Whether with_result_file() gives such names.
bool is_default_file(std::string_view name);

/// The settings, for a run without --out with a new, empty result file in the current folder.
/// Complains if none can be written there.
settings with_result_file(bench::settings settings);

}  // namespace bench_transfers::bench
