#pragma once

#include <cstddef>
#include <string>

#include "src/common/text.hpp"
#include "src/exports/answer.hpp"

namespace bench_transfers::exports {

/// "Problems:" and its sentences, two letters to the right; of no sentences nothing. Without a
/// title the sentences are paragraphs.
std::string text_of(const section& shown, std::size_t terminal_columns = std::string::npos);

/// Below its title, four letters to the right: the paragraphs, and "$ command".
std::string text_of(const finding& shown, std::size_t terminal_columns = common::terminal_columns);

/// A line of titles and one of each row, as wide as they need, with two spaces between columns.
/// Where that is wider than the terminal, the widest words lose their middle ("gpu-no~-rack7"), but
/// for `least_letters`. Where all columns but the first are numbers, those for which there is no
/// room follow below, beside the first one again; those below one heading stay together.
std::string text_of(const table& shown, std::size_t terminal_columns = common::terminal_columns);
inline constexpr std::size_t least_letters = 12;

std::string text_of(const answer& shown, std::size_t terminal_columns = common::terminal_columns);

}  // namespace bench_transfers::exports
