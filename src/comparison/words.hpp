#pragma once

#include <string>
#include <vector>

#include "src/comparison/compare.hpp"

// The sentences of a comparison, one line each, without markup. No code depends on them.

namespace bench_transfers::comparison {

/// The code of the JSON file.
std::string to_string(basis basis);
std::string to_string(finding known);
/// For people: "slower", "not significant".
std::string words_of(finding known);

/// "A: 3 runs of NVIDIA H200: first-1.json.gz, ..."; of a side without a GPU it says so.
std::string side_sentence(const char* letter, const side& runs);
/// What must be known before the differences: other machines, and what disturbed the runs.
std::vector<std::string> warnings_of(const side& first, const side& second,
                                     const comparison_result& result);
/// The heading of the intervals.
std::string interval_title(basis basis);
/// What the intervals cover.
std::string basis_sentence(const comparison_result& result);
/// How many groups differ.
std::string count_sentence(const comparison_result& result);
/// What whole classes have in common, and what is not compared.
std::vector<std::string> notes_of(const comparison_result& result);

/// "+1.23 %" and "+1.10 to +1.36 %"; "-" if there is no interval.
std::string shift_text(double shift);
/// "+1.23": for ends of an interval behind a figure with its unit.
std::string shift_digits(double shift);
std::string interval_text(const std::optional<statistics::interval>& ends);
/// "64MiB", "64MiB cold", "64MiB written_here"; the benchmark's name if it has no size.
std::string size_text(const compared_benchmark& benchmark);

}  // namespace bench_transfers::comparison
