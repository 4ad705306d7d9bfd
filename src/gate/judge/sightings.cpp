#include "src/gate/judge/sightings.hpp"

#include <algorithm>
#include <cmath>

#include "src/statistics/distributions.hpp"

namespace bench_transfers::gate {
namespace {

/// How far the slowest process of the baseline is from the next one.
double slowest_stands_out(const estimate& benchmark) {
  const auto& before = benchmark.before;
  return before.back() - before[before.size() - 2];
}

/// The processes of one benchmark that are much slower.
class slow_processes {
 public:
  explicit slow_processes(const estimate& benchmark) : looks_(benchmark.looks.size()) {
    constexpr double deviations = 6;
    const double slowest = benchmark.before.back() + std::max(0.0, benchmark.common);
    const double least =
        std::max(much_slower(benchmark), deviations * std::sqrt(benchmark.process_variance));
    std::size_t processes = 0;
    for (std::size_t look = 0; look < looks_; ++look) {
      processes += benchmark.looks[look].size();
      for (const double cost : benchmark.looks[look]) {
        if (cost - slowest <= least) continue;
        least_distance_ = count_ == 0 ? cost - slowest : std::min(least_distance_, cost - slowest);
        if (count_++ == 0) first_ = look;
        last_ = look;
        watched_ = processes;
      }
    }
  }

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] double least_distance() const { return least_distance_; }
  [[nodiscard]] bool is_in_several_looks() const { return last_ > first_; }
  [[nodiscard]] bool is_looked_after() const { return first_ + 1 < looks_; }
  /// All processes up to the last look that has a slow one: later looks excuse nothing.
  [[nodiscard]] std::size_t watched() const { return watched_; }

 private:
  std::size_t looks_, count_ = 0, first_ = 0, last_ = 0, watched_ = 0;
  double least_distance_ = 0;
};

/// How often single processes of a class stand out by themselves.
class habits {
 public:
  habits(std::span<const estimate> benchmarks, bool is_vetoing) {
    for (const auto& benchmark : benchmarks) {
      distances_.push_back(slowest_stands_out(benchmark));
      processes_ += static_cast<double>(benchmark.before.size());
      after_ += static_cast<double>(benchmark.after.size());
      if (const slow_processes slow(benchmark); !is_vetoing && slow.count() == 1)
        seen_once_.push_back(slow.least_distance());
    }
    std::ranges::sort(distances_);
    std::ranges::sort(seen_once_);
  }

  /// Processes of the baseline that stand out by about as much.
  [[nodiscard]] double like(double distance) const { return at_least(distances_, distance / 2); }

  /// The share of the baseline's processes that stand out by about as much.
  [[nodiscard]] double pace(double distance) const { return (like(distance) + 0.5) / processes_; }

  /// Likewise of the new ones, which may come from a machine with more neighbours: these slow down
  /// many benchmarks once each. What is seen again is left out, as it may be no chance.
  [[nodiscard]] double pace_of_new(double distance) const {
    return at_least(seen_once_, distance / 2) / after_;
  }

  [[nodiscard]] double processes() const { return processes_; }
  [[nodiscard]] double benchmarks() const { return static_cast<double>(distances_.size()); }

 private:
  static double at_least(const std::vector<double>& sorted, double least) {
    return static_cast<double>(sorted.end() - std::ranges::lower_bound(sorted, least));
  }

  std::vector<double> distances_, seen_once_;
  double processes_ = 0, after_ = 0;
};

slow_sighting sighting_of(const estimate& benchmark, const habits& habits, double rate) {
  const slow_processes slow(benchmark);
  if (slow.count() == 0) return {};
  const auto watched = static_cast<double>(slow.watched());
  const double like = habits.like(slow.least_distance());
  constexpr double expected_enough = 0.5;
  const bool is_usual =
      like * watched * habits.benchmarks() / habits.processes() >= expected_enough;
  // That chance explains so many, in any benchmark.
  const auto p_at = [&](double pace) {
    return habits.benchmarks() * statistics::binomial_at_least(watched, std::min(1.0, pace),
                                                               static_cast<double>(slow.count()));
  };
  if (slow.is_in_several_looks()) {
    const double p = p_at(habits.pace(slow.least_distance()));
    if (p < rate && p_at(habits.pace_of_new(slow.least_distance())) < rate)
      return {sighting::again, slow.count()};
    // More processes make single slow ones more usual, but not those that are seen again.
    constexpr double likely = 0.5;
    if (!is_usual || p < likely) return {sighting::unsure, slow.count()};
  }
  if (is_usual) return {sighting::none, slow.count()};
  return {slow.is_looked_after() ? sighting::cleared : sighting::open, slow.count()};
}

}  // namespace

double much_slower(const estimate& benchmark) {
  return std::log1p(3 * std::expm1(benchmark.threshold));
}

std::vector<slow_sighting> sightings(std::span<const estimate> benchmarks, double rate,
                                     bool is_vetoing) {
  const habits habits(benchmarks, is_vetoing);
  std::vector<slow_sighting> result;
  for (const auto& benchmark : benchmarks) result.push_back(sighting_of(benchmark, habits, rate));
  return result;
}

}  // namespace bench_transfers::gate
