#include "src/advice/leave_out.hpp"

#include "src/statistics/broken_line.hpp"

namespace bench_transfers::advice {
namespace {

constexpr double smallest_checked = 4096;

leave_out_check check(const series& checked) {
  const auto& times = checked.times;
  leave_out_check result{checked.name, checked.measures, {}};
  for (std::size_t i = 1; i + 1 < times.size(); ++i) {
    if (times[i].bytes < smallest_checked) continue;
    auto remaining = times;
    remaining.erase(remaining.begin() + static_cast<std::ptrdiff_t>(i));
    const statistics::broken_line fitted(std::move(remaining));
    result.sizes.push_back({times[i].bytes, times[i].ns, fitted.at(times[i].bytes)});
  }
  return result;
}

}  // namespace

std::vector<leave_out_check> check_by_leaving_out(const measurements& measured) {
  std::vector<leave_out_check> checks;
  for (const auto& checked : measured.all_series) {
    if (is_cpu_access(checked.measures)) continue;  // no line is fitted to these
    if (auto result = check(checked); !result.sizes.empty()) checks.push_back(std::move(result));
  }
  return checks;
}

}  // namespace bench_transfers::advice
