#pragma once

#include <string>
#include <string_view>

namespace bench_transfers::common {

/// Text that cannot break a line or steer a terminal: control characters, what reverses the
/// direction of writing and bytes that are not UTF-8 are shown as `\n`, `\x1b`, `\u202e`.
std::string printable(std::string_view text);

/// The same for messages: no longer than a few terminal lines, then "…".
std::string printable_in_short(std::string_view text);

}  // namespace bench_transfers::common
