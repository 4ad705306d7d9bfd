#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "src/exports/results/values.hpp"

namespace bench_transfers::exports {

/// What a benchmark is: key and text, in a fixed order, the same keys for each. A text is empty
/// where nothing is known.
std::vector<std::pair<const char*, std::string>> fields_of(const run_values& run,
                                                           const benchmark_value& value);

/// The same without what is not known, and with what few runs have: labels.
std::vector<std::pair<const char*, std::string>> known_fields_of(const run_values& run,
                                                                 const benchmark_value& value);

/// Throws not_exportable if two files have a benchmark of one name.
void require_unique_names(std::span<const run_values> runs, const char* format);

}  // namespace bench_transfers::exports
