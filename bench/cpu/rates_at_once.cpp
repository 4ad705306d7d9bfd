#include "bench/cpu/rates_at_once.hpp"

#include <algorithm>

namespace bench_transfers::bench::cpu {
namespace {

using clock = std::chrono::steady_clock;
using nanoseconds = std::chrono::duration<double, std::nano>;

double turns_per_ns(const turn_marks& marks, clock::time_point begin, clock::time_point end) {
  if (marks.size() == 2 || end <= begin)
    return static_cast<double>(marks.size() - 1) /
           nanoseconds(marks.back() - marks.front()).count();
  double turns = 0;
  for (std::size_t k = 1; k < marks.size(); ++k) {
    const auto common = std::min(marks[k], end) - std::max(marks[k - 1], begin);
    if (common > clock::duration::zero())
      turns += nanoseconds(common) / nanoseconds(marks[k] - marks[k - 1]);
  }
  return turns / nanoseconds(end - begin).count();
}

}  // namespace

std::vector<double> rates_at_once(std::span<const turn_marks> threads) {
  auto begin = threads.front().front(), end = threads.front().back();
  for (const auto& marks : threads) {
    begin = std::max(begin, marks.front());
    end = std::min(end, marks.back());
  }
  std::vector<double> rates;
  for (const auto& marks : threads) rates.push_back(turns_per_ns(marks, begin, end));
  return rates;
}

}  // namespace bench_transfers::bench::cpu
