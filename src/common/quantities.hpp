#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bench_transfers::common {

/// "1MiB", "4B", "1000B": the largest IEC unit that divides the size, as in benchmark names.
std::string format_size(std::size_t bytes);

/// The bytes of what format_size() has written; none if it is something else.
std::optional<std::size_t> size_from(std::string_view text);

/// A whole number with a unit B, KiB, MiB, GiB or TiB, or none for bytes; letter case is ignored.
/// Throws usage_error.
std::size_t parse_size(std::string_view text);

/// A list ("4KiB,1MiB"), ranges with a factor ("4KiB:1GiB:x4", the factor defaults to x2), or both;
/// ascending, without duplicates. A range ends at the last step that does not exceed its end.
/// Throws usage_error, also for sizes above `limit`, which this machine cannot allocate.
std::vector<std::size_t> parse_sizes(std::string_view text, std::size_t limit);

/// "90s", "1.5h": a positive number with the unit ms, s, min, h or d, or none for seconds; at most
/// a year. Throws usage_error, which begins with the name of the option.
std::chrono::nanoseconds parse_duration(std::string_view option, std::string_view text);

/// "2026-11-21T14:01:39Z" or with an offset, "2026-11-21T15:01:39+01:00" (RFC 3339 without
/// fractions of a second); none for anything else and for dates that no calendar has.
std::optional<std::chrono::sys_seconds> parse_timestamp(std::string_view text);

/// "2026-11-21T14:01:39Z".
std::string timestamp_text(std::chrono::sys_seconds time);

}  // namespace bench_transfers::common
