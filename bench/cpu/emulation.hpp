#pragma once

#include "bench/cpu/instructions.hpp"

namespace bench_transfers::bench::cpu {

/// Stands in for write-combined memory where there is none, and is slow for a true reason: ordinary
/// loads drop their line from the caches first, each for itself, so that every single one waits for
/// memory; streaming loads drop each line once and load it whole. For tests of what tells the two
/// apart, and labelled as emulation wherever it shows. Where caches cannot be flushed, all readers
/// are null.
const instruction_set& emulated_write_combined();

}  // namespace bench_transfers::bench::cpu
