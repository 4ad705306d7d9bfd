#pragma once

#include <string>
#include <string_view>

namespace bench_transfers::common {

/// Text that cannot break a line or control a terminal: control characters, characters that change
/// the direction of writing, and bytes that are not UTF-8 become `\n`, `\x1b`, `\u202e`.
std::string printable(std::string_view text);

/// The same for messages: a text longer than a few terminal lines ends with "…".
std::string printable_in_short(std::string_view text);

}  // namespace bench_transfers::common
