#pragma once

#include <string>

#include "src/comparison/compare.hpp"

namespace bench_transfers::comparison {

/// For a terminal of 100 columns.
std::string text_of(const side& first, const side& second, const comparison_result& result);
/// For a comment: shorter than GitHub's 65,536 characters.
std::string markdown_of(const side& first, const side& second, const comparison_result& result);
/// For programs: docs/EXPORTS.md.
std::string json_of(const side& first, const side& second, const comparison_result& result);

}  // namespace bench_transfers::comparison
