#pragma once

#include "bench/cli/fleet_options.hpp"

namespace bench_transfers::bench {

/// Measures one GPU, as one of many processes (docs/FLEET.md). Returns the exit code. Throws
/// usage_error and common::write_error.
int measure_in_fleet(settings settings, const fleet_request& request);

}  // namespace bench_transfers::bench
