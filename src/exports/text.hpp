#pragma once

#include <cstddef>
#include <string>

#include "src/common/text.hpp"
#include "src/exports/answer.hpp"

namespace bench_transfers::exports {

/// "Problems:" and its sentences, two letters to the right; of no sentences nothing.
std::string text_of(const section& shown);

/// A line of titles and one of each row, as wide as they need, with two spaces between columns.
/// Where that is wider than the terminal, the widest words lose their middle ("gpu-no~-rack7"), but
/// for `least_letters`.
std::string text_of(const table& shown, std::size_t terminal_columns = common::terminal_columns);
inline constexpr std::size_t least_letters = 12;

}  // namespace bench_transfers::exports
