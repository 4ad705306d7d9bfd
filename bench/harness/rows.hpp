#pragma once

#include <benchmark/benchmark.h>

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace bench_transfers::bench {

using run = benchmark::BenchmarkReporter::Run;

/// Google Benchmark's own context (date, host, caches, load …).
nlohmann::ordered_json google_context();

/// The run under our plain name (Google Benchmark appends "/iterations:…/manual_time") and as one
/// of several repetitions, which Google Benchmark does not know of: we call it once per round.
run as_repetition(const run& original, int repetitions, int index);

/// A row of the result file, in Google Benchmark's own words.
nlohmann::ordered_json row_of(const run& one);

/// Mean, median, standard deviation and coefficient of variation over the repetitions of one
/// benchmark, in the form that Google Benchmark gives to its own. Empty for fewer than two.
std::vector<run> aggregates_of(std::span<const run> repetitions);

/// Prints runs the way --benchmark_format asks: "console", "csv" or "json".
void print_runs(std::ostream& out, const std::string& format, const std::vector<run>& runs);

}  // namespace bench_transfers::bench
