#pragma once

#include <cstddef>
#include <string>

namespace results {

inline constexpr std::size_t terminal_columns = 100;

/// A sentence over as many lines as it needs; further lines are indented.
std::string wrapped(const std::string& text, std::size_t columns = terminal_columns);

}  // namespace results
