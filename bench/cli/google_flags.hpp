#pragma once

#include "bench/harness/settings.hpp"

namespace bench_transfers::bench {

/// Passes Google Benchmark's own flags to it. Flags that this program implements are switched off
/// there, because it runs once per repetition. Throws usage_error for flags that it does not know.
/// Google Benchmark keeps the pointer `program` (main's argv[0]).
void hand_to_google_benchmark(char* program, const settings& settings);

}  // namespace bench_transfers::bench
