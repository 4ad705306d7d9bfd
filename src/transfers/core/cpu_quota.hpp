#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace transfers::detail {

/// The number of processors that a control group may use at a time, rounded up, from the text of
/// its file cpu.max: "200000 100000" is two, "max 100000" no limit (Linux, cgroup-v2.rst, "CPU
/// Interface Files"). Nullopt if there is no limit, or for another text.
inline std::optional<unsigned> processors_of_quota(std::string_view cpu_max) {
  const auto* const end = cpu_max.data() + cpu_max.size();
  unsigned long quota = 0;
  unsigned long period = 0;
  const auto [after_quota, no_quota] = std::from_chars(cpu_max.data(), end, quota);
  if (no_quota != std::errc{} || after_quota == end) return std::nullopt;
  const auto [after_period, no_period] = std::from_chars(after_quota + 1, end, period);
  if (no_period != std::errc{} || quota == 0 || period == 0) return std::nullopt;
  return static_cast<unsigned>((quota + period - 1) / period);
}

}  // namespace transfers::detail
