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
  /// The whole document. Throws same_benchmark_twice.
  std::string (*write)(std::span<const run_values> runs);
};

/// Null if there is none.
const format* find_format(std::string_view word);
std::vector<std::string> words_of_formats();

/// A format that knows a benchmark by its name alone cannot hold it twice; what() is one line.
class same_benchmark_twice : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Each format.

std::string csv_of(std::span<const run_values> runs);
std::string markdown_of(std::span<const run_values> runs);
/// With several files, the label `file` tells them apart.
std::string openmetrics_of(std::span<const run_values> runs);
/// Bencher Metric Format. Throws same_benchmark_twice.
std::string bencher_of(std::span<const run_values> runs);
/// Of github-action-benchmark: times (customSmallerIsBetter) or rates (customBiggerIsBetter).
/// Throws same_benchmark_twice.
std::string github_times_of(std::span<const run_values> runs);
std::string github_rates_of(std::span<const run_values> runs);

}  // namespace bench_transfers::exports
