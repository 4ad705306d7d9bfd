#pragma once

#include <chrono>
#include <string_view>

namespace bench_transfers::common {

/// "90s", "1.5h": a positive number with the unit ms, s, min, h or d, or none for seconds; at most
/// a year. Throws usage_error, which begins with the name of the option.
std::chrono::nanoseconds parse_duration(std::string_view option, std::string_view text);

}  // namespace bench_transfers::common
