#pragma once

#include "bench/cpu/access.hpp"

namespace bench_transfers::bench::cpu {

/// Each load waits for the one before.
access reading_random();
/// Independent stores.
access writing_random();

}  // namespace bench_transfers::bench::cpu
