#pragma once

#include "bench/verification/pattern.hpp"

// The benchmark's test pattern, by which tests of the library recognise their data.
namespace transfers {

using bench_transfers::bench::check_host_pattern;
using bench_transfers::bench::check_pattern;
using bench_transfers::bench::pattern;
using bench_transfers::bench::pattern_check;
using bench_transfers::bench::write_host_pattern;
using bench_transfers::bench::write_pattern;

}  // namespace transfers
