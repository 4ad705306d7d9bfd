#pragma once

#include "bench/cli/fleet_options.hpp"
#include "src/common/exit_code.hpp"

namespace bench_transfers::bench {

/// Measures one GPU, as one of many processes (docs/FLEET.md). Throws
/// usage_error and common::write_error.
common::exit_code measure_in_fleet(settings settings, const fleet_request& request);

}  // namespace bench_transfers::bench
