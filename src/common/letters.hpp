#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Letters of UTF-8, which are one column of a terminal wide each.

namespace bench_transfers::common {

std::size_t letters_in(std::string_view text);
std::string first_letters(std::string_view text, std::size_t letters);

}  // namespace bench_transfers::common
