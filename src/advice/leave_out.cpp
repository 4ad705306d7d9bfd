#include "src/advice/leave_out.hpp"

namespace bench_transfers::advice {
namespace {

constexpr double smallest_checked = 4096;

/// Of the sizes that can be left out, as many as are checked, from the first to the last.
std::vector<std::size_t> chosen_sizes(const std::vector<statistics::measured_time>& times) {
  std::vector<std::size_t> all;
  for (std::size_t i = 1; i + 1 < times.size(); ++i)
    if (times[i].bytes >= smallest_checked) all.push_back(i);
  if (all.size() <= most_left_out) return all;
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < most_left_out; ++i)
    chosen.push_back(all[i * (all.size() - 1) / (most_left_out - 1)]);
  return chosen;
}

std::vector<left_out_size> left_out_sizes(const std::vector<statistics::measured_time>& times) {
  std::vector<left_out_size> sizes;
  for (const auto i : chosen_sizes(times)) {
    auto remaining = times;
    remaining.erase(remaining.begin() + static_cast<std::ptrdiff_t>(i));
    const statistics::broken_line fitted(std::move(remaining));
    sizes.push_back({times[i].bytes, times[i].ns, fitted.at(times[i].bytes)});
  }
  return sizes;
}

}  // namespace

std::vector<leave_out_check> check_by_leaving_out(const measurements& measured) {
  std::vector<leave_out_check> checks;
  for (const auto& checked : measured.all_series) {
    if (is_cpu_access(checked.measures)) continue;  // no line is fitted to these
    if (auto sizes = left_out_sizes(checked.times); !sizes.empty())
      checks.push_back({checked.name, checked.measures, statistics::broken_line(checked.times),
                        std::move(sizes)});
  }
  return checks;
}

}  // namespace bench_transfers::advice
