#pragma once

#include <iosfwd>
#include <span>

#include "bench/harness/plan.hpp"
#include "bench/harness/session.hpp"
#include "bench/harness/settings.hpp"
#include "bench/record/observe.hpp"
#include "src/result_file/writer.hpp"

namespace bench_transfers::bench {

/// What --list prints: each strategy, its explanation, what it needs, and why not here if so.
void list_strategies(std::ostream& out, const std::vector<const strategy*>& strategies,
                     const transfers::device& device);

/// What --benchmark_list_tests prints: the names, one a line.
void list_benchmarks(std::ostream& out, const plan& all);

/// Completes the result file: aggregates where asked for (else readers take them from the
/// repetitions), what was skipped, how and when the run ended, and what link and clocks did between
/// its start and its end, of each device (nothing is known of that where the device was lost).
/// Throws common::write_error.
void finish(result_file::writer& file, const options& chosen, const plan& all,
            const outcome& measured, std::span<const observation> start,
            std::span<const observation> end);

/// Prints the summary, or the rows in the form that --benchmark_format asks for. Throws
/// common::write_error when `out` does not take it.
void report(std::ostream& out, const result_file::writer& file, const options& chosen,
            const outcome& measured);

}  // namespace bench_transfers::bench
