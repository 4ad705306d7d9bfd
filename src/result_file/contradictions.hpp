#pragma once

#include <string_view>

#include "src/result_file/contents.hpp"

namespace bench_transfers::result_file {

/// Throws bad_entry for what cannot all be true: a repetition that is there twice; repetitions of
/// one benchmark that move different numbers of bytes; and, of bench_transfers, repetitions of one
/// benchmark by different procedures; times, percentiles, rates, numbers of operations and sizes of
/// one repetition that do not fit each other, or a time that real_time_ns refuses; variants and
/// directions of benchmarks; two descriptions of the first device; an end before the start.
void require_no_contradiction(const contents& read);

/// A value of a repetition that has not failed. Throws bad_entry if it is not there, there twice or
/// no number above zero.
double positive(const row& row, std::string_view name);

/// The number of the procedure that has measured a repetition of bench_transfers. Throws bad_entry
/// if it is no whole number from 1 on.
unsigned procedure_of(const row& row);

/// Nanoseconds in a row's time_unit. Throws bad_entry if it is none of Google Benchmark's.
double ns_per_unit(const row& row);

/// A positive real_time in nanoseconds. Throws bad_entry for a time that nobody can have measured.
double real_time_ns(const row& row);

}  // namespace bench_transfers::result_file
