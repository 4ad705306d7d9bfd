#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace bench_transfers::common {

/// "2026-11-21T14:01:39Z" or with an offset, "2026-11-21T15:01:39+01:00" (RFC 3339 without
/// fractions of a second); none for anything else and for dates that no calendar has.
std::optional<std::chrono::sys_seconds> parse_timestamp(std::string_view text);

/// "2026-11-21T14:01:39Z".
std::string timestamp_text(std::chrono::sys_seconds time);

}  // namespace bench_transfers::common
