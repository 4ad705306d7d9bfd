#pragma once

#include "src/result_file/contents.hpp"

namespace bench_transfers::result_file {

/// Throws bad_entry for what cannot all be true: a repetition that is there twice; repetitions of
/// one benchmark that move different numbers of bytes; and, of bench_transfers, times, percentiles,
/// rates and numbers of operations of one repetition that do not fit each other.
void require_no_contradiction(const contents& read);

/// Nanoseconds in a row's time_unit. Throws bad_entry if it is none of Google Benchmark's.
double ns_per_unit(const row& row);

}  // namespace bench_transfers::result_file
