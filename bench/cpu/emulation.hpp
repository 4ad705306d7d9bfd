#pragma once

#include "bench/cpu/instructions.hpp"

namespace bench_transfers::bench::cpu {

/// Emulates write-combined memory where there is none. An ordinary load flushes its line from the
/// caches first, so that every load waits for memory; a streaming load flushes each line once and
/// loads it whole. For tests of code that distinguishes the two, and labelled as emulation in all
/// output. All readers are null if caches cannot be flushed.
const instruction_set& emulated_write_combined();

}  // namespace bench_transfers::bench::cpu
