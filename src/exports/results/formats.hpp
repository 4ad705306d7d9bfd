#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "src/exports/results/values.hpp"

// The values of result files in the formats of other programs: docs/EXPORTS.md.

namespace bench_transfers::exports {

struct format {
  const char* word;  ///< of --format
  /// The whole document. Throws not_exportable.
  std::string (*write)(std::span<const run_values> runs);
};

/// Null if there is none.
const format* find_format(std::string_view word);
std::vector<std::string> words_of_formats();

/// The format cannot hold these runs, such as one benchmark twice if it knows benchmarks by their
/// names alone; what() is one line.
class not_exportable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Each format.

std::string csv_of(std::span<const run_values> runs);
std::string markdown_of(std::span<const run_values> runs);
/// With several files, the label `file` tells them apart.
std::string openmetrics_of(std::span<const run_values> runs);
/// One run, whose start is the timestamp of each sample. Throws not_exportable.
std::string openmetrics_timestamps_of(std::span<const run_values> runs);
/// Bencher Metric Format. Throws not_exportable.
std::string bencher_of(std::span<const run_values> runs);
/// Of github-action-benchmark: times (customSmallerIsBetter) or rates (customBiggerIsBetter).
/// Throws not_exportable.
std::string github_times_of(std::span<const run_values> runs);
std::string github_rates_of(std::span<const run_values> runs);

}  // namespace bench_transfers::exports
