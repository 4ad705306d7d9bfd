#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <span>

#include "bench/harness/plan.hpp"
#include "bench/harness/session.hpp"
#include "bench/harness/settings.hpp"
#include "bench/record/earlier_run.hpp"
#include "bench/record/observe.hpp"
#include "src/result_file/writer.hpp"

namespace bench_transfers::bench {

/// Completes the result file: aggregates if requested (otherwise readers compute them from the
/// repetitions), skipped benchmarks, how and when the run ended, and for each device the changes of
/// link and clocks during the run (not known for a lost device). `context`: of make_context.
/// `earlier`: the run that this one goes on with; null: none. Throws common::write_error.
void finish(result_file::writer& file, nlohmann::ordered_json context, const settings& settings,
            const plan& plan, const outcome& measured, std::span<const observation> start,
            std::span<const observation> end, const earlier_run* earlier = nullptr);

/// Prints the summary, or the rows in the form that --benchmark_format requests. Throws
/// common::write_error if writing to `out` fails.
void report(std::ostream& out, const result_file::writer& file, const settings& settings,
            const outcome& measured);

}  // namespace bench_transfers::bench
