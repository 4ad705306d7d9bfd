#include "src/gate/judge/session_moves.hpp"

#include <algorithm>
#include <cmath>

#include "src/statistics/distributions.hpp"

namespace bench_transfers::gate {
namespace {

template <class Condition>
double count_others(const estimate& benchmark, std::span<const estimate> all, Condition condition) {
  return static_cast<double>(std::ranges::count_if(
      all, [&](const estimate& other) { return &other != &benchmark && condition(other); }));
}

/// Others that got faster by about as much. One may be an improvement.
double moved_by_one_session(const estimate& benchmark, std::span<const estimate> all) {
  const double shift = benchmark.least_slowdown();
  const auto moved = count_others(benchmark, all, [&](const estimate& other) {
    return other.least_speedup() >= shift / 3 && other.least_speedup() <= 4 * shift;
  });
  return std::max(0.0, moved - 1);
}

/// Others whose sessions are apart by about as much.
double moved_alike(const estimate& benchmark, std::span<const estimate> all) {
  const double shift = benchmark.least_slowdown();
  return count_others(benchmark, all, [&](const estimate& other) {
    return other.levels.differ() && other.levels.apart >= shift / 2 &&
           other.levels.apart <= 4 * shift;
  });
}

}  // namespace

double moved_unseen(const estimate& benchmark, std::span<const estimate> all) {
  const double moved =
      benchmark.sessions < 2 ? moved_by_one_session(benchmark, all) : moved_alike(benchmark, all);
  // One with two levels shows the same in all its sessions by this chance.
  return moved * std::pow(0.5, static_cast<double>(benchmark.sessions));
}

bool may_be_as_many(double expected, std::size_t moved, double rate) {
  if (expected == 0) return false;
  return statistics::poisson_at_least(expected, static_cast<double>(moved)) >= rate;
}

}  // namespace bench_transfers::gate
