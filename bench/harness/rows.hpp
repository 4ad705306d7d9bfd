#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "bench/harness/google_engine.hpp"
#include "src/common/message.hpp"
#include "src/result_file/format.hpp"

namespace bench_transfers::bench {

/// Google Benchmark's own context (date, host, caches, load …).
nlohmann::ordered_json google_context();

/// The run with the benchmark's plain name (Google Benchmark appends "/iterations:…/manual_time")
/// and its repetition. Google Benchmark does not know of repetitions: it is called once for each.
run as_repetition(const run& original, int repetitions, int index);

/// A row of the result file, with Google Benchmark's keys, and the codes of what disturbed it.
nlohmann::ordered_json row_of(const run& reported,
                              const std::set<result_file::disturbance>& disturbed = {});

/// What disturbed a repetition, by its row.
std::set<result_file::disturbance> disturbances_of(const nlohmann::ordered_json& row);

/// The row of a benchmark that failed, without times and counters.
nlohmann::ordered_json row_of_failure(const std::string& name, int repetitions, int index,
                                      const common::message& error);

/// Mean, median, standard deviation and coefficient of variation over the repetitions of one
/// benchmark, in Google Benchmark's form. Empty for fewer than two.
std::vector<run> aggregates_of(std::span<const run> repetitions);

/// Prints runs in the given --benchmark_format: "console", "csv" or "json".
void print_runs(std::ostream& out, const std::string& format, const std::vector<run>& runs);

}  // namespace bench_transfers::bench
