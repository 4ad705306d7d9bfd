#include "bench/harness/flow_rates.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace bench_transfers::bench {
namespace {

using nanoseconds = std::chrono::duration<double, std::nano>;

/// How many copies had ended at a time between the first and the last end, with the part of the
/// copy that was under way.
double copies_until(const copy_ends& ends, wall_clock::time_point time) {
  const auto next = std::ranges::upper_bound(ends, time);
  if (next == ends.begin()) return 0;
  const auto whole = static_cast<double>(next - ends.begin() - 1);
  if (next == ends.end()) return whole;
  const auto before = *std::prev(next);
  return whole + nanoseconds(time - before) / nanoseconds(*next - before);
}

}  // namespace

bool common_time::is_long_enough() const {
  const nanoseconds time = end - begin;
  return time > nanoseconds(0) && time >= mean_course / 2;
}

std::optional<common_time> common_time_of(std::span<const copy_ends> flows) {
  if (std::ranges::any_of(flows, [](const copy_ends& ends) { return ends.size() < 2; }))
    return std::nullopt;
  common_time time{flows.front().front(), flows.front().back(), {}};
  for (const auto& ends : flows) {
    time.begin = std::max(time.begin, ends.front());
    time.end = std::min(time.end, ends.back());
    time.mean_course += nanoseconds(ends.back() - ends.front()) / static_cast<double>(flows.size());
  }
  return time;
}

std::vector<double> rates_within(const common_time& time, std::span<const copy_ends> flows,
                                 std::span<const std::size_t> bytes) {
  const nanoseconds window = time.end - time.begin;
  std::vector<double> rates;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const double copies = copies_until(flows[i], time.end) - copies_until(flows[i], time.begin);
    rates.push_back(copies * static_cast<double>(bytes[i]) / window.count());
  }
  return rates;
}

std::optional<std::vector<double>> rates_at_once(std::span<const copy_ends> flows,
                                                 std::span<const std::size_t> bytes) {
  const auto time = common_time_of(flows);
  if (!time || !time->is_long_enough()) return std::nullopt;
  return rates_within(*time, flows, bytes);
}

std::size_t copies_lasting(nanoseconds time, std::span<const copy_ends> first_run) {
  constexpr double least = 4, most = 256;
  nanoseconds slowest{1};
  for (const auto& ends : first_run)
    if (ends.size() > 1)
      slowest = std::max(
          slowest, nanoseconds(ends.back() - ends.front()) / static_cast<double>(ends.size() - 1));
  return static_cast<std::size_t>(std::clamp(std::ceil(time / slowest), least, most));
}

}  // namespace bench_transfers::bench
