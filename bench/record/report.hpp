#pragma once

#include <iosfwd>
#include <span>

#include "bench/harness/plan.hpp"
#include "bench/harness/session.hpp"
#include "bench/harness/settings.hpp"
#include "bench/record/observe.hpp"
#include "src/result_file/writer.hpp"

namespace bench_transfers::bench {

/// Completes the result file: aggregates if requested (otherwise readers compute them from the
/// repetitions), skipped benchmarks, how and when the run ended, and for each device the changes of
/// link and clocks during the run (not known for a lost device). Throws common::write_error.
void finish(result_file::writer& file, const settings& settings, const plan& plan,
            const outcome& measured, std::span<const observation> start,
            std::span<const observation> end);

/// Prints the summary, or the rows in the form that --benchmark_format requests. Throws
/// common::write_error if writing to `out` fails.
void report(std::ostream& out, const result_file::writer& file, const settings& settings,
            const outcome& measured);

}  // namespace bench_transfers::bench
