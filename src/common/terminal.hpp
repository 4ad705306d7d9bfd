#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

namespace bench_transfers::common {

/// How many columns a line may have; `otherwise` if the stream is no terminal or does not tell.
std::size_t columns_of(std::FILE* stream, std::size_t otherwise);

/// How far a program is, in a line that takes the place of the one before; the last one stays.
/// Nothing where no terminal is: a log would get lines without an end.
void show_progress(std::FILE* stream, const std::string& text, bool is_last);

}  // namespace bench_transfers::common
