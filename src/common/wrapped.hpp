#pragma once

#include <cstddef>
#include <string>

namespace bench_transfers::common {

inline constexpr std::size_t terminal_columns = 100;

/// A sentence over as many lines as it needs; further lines are indented.
std::string wrapped(const std::string& text, std::size_t columns = terminal_columns,
                    std::size_t indent = 2);

/// The same, but a short line stays as it is: names of files may contain several spaces in a row.
std::string wrapped_if_long(const std::string& text);

}  // namespace bench_transfers::common
