#include "src/result_file/control_chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "src/statistics/quantile.hpp"

namespace bench_transfers::result_file {
namespace {

/// One round of a process, as a point of a control chart.
struct point {
  const sentinel_readings* readings;
  double level;  ///< natural logarithm of its time, so that differences are relative
};
using process_points = std::vector<point>;

/// Whether an engine does all of the work.
bool is_of_engine(sentinel kind) { return kind == sentinel::h2d || kind == sentinel::d2h; }

/// Without the fastest quarter, and without the slowest, but at least one: single readings may be
/// much too slow.
double middle_of(std::span<const double> times) {
  std::vector<double> logs;
  for (const double ns : times) logs.push_back(std::log(ns));
  std::ranges::sort(logs);
  const auto quarter = logs.size() / 4;
  const auto middle =
      std::span(logs).subspan(quarter, logs.size() - quarter - std::max<std::size_t>(quarter, 1));
  double sum = 0;
  for (const double log : middle) sum += log;
  return sum / static_cast<double>(middle.size());
}

/// Of copies by an engine the fastest: others delay many of them, but what slows all copies of
/// a round slows the fastest, which repeats best. What the CPU does has several speeds.
double level_of(const sentinel_readings& readings) {
  return is_of_engine(readings.kind) ? std::log(std::ranges::min(readings.ns))
                                     : middle_of(readings.ns);
}

/// By the readings within rounds: the standard deviation of a level, if only they made it differ.
double noise_within(std::span<const process_points> processes) {
  constexpr double of_median_deviation = 1.4826;  ///< a standard deviation in them
  constexpr double of_middle = 1.1;               ///< the middle half is less efficient than all
  std::vector<double> deviations;
  double rounds = 0;
  for (const auto& points : processes)
    for (const auto& [readings, level] : points) {
      std::vector<double> logs;
      for (const double ns : readings->ns) logs.push_back(std::log(ns));
      const double middle = statistics::median(logs);
      for (const double log : logs) deviations.push_back(std::abs(log - middle));
      ++rounds;
    }
  const double most_free = static_cast<double>(deviations.size());
  const double of_round = most_free / rounds;
  return of_middle * of_median_deviation * statistics::median(deviations) *
         std::sqrt(of_round / (of_round - 1)) / std::sqrt(of_round);
}

/// The range of the half of the rounds that lie closest together, in standard deviations. Half of
/// the rounds may be slow, and do not widen it.
double shortest_half(std::vector<double> levels) {
  /// Of 3, 4, … rounds with normally distributed levels: the root mean square.
  static constexpr std::array expected{0.589, 1.141, 0.746, 1.093, 0.836,
                                       1.086, 0.897, 1.092, 0.941, 1.099};
  std::ranges::sort(levels);
  const auto half = levels.size() / 2;
  double range = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i + half < levels.size(); ++i)
    range = std::min(range, levels[i + half] - levels[i]);
  const auto place = levels.size() - 3;
  return range / (place < expected.size() ? expected[place] : 1);
}

/// By the rounds of each process: the same, whatever makes levels differ.
double noise_between(std::span<const process_points> processes) {
  double squares = 0;
  for (const auto& points : processes) {
    std::vector<double> levels;
    for (const auto& point : points) levels.push_back(point.level);
    const double deviation = shortest_half(std::move(levels));
    squares += deviation * deviation;
  }
  return std::sqrt(squares / static_cast<double>(processes.size()));
}

/// Of quiet rounds, the level of the fastest third: two thirds may be slow.
double quiet_level(const process_points& points) {
  std::vector<double> levels;
  for (const auto& point : points) levels.push_back(point.level);
  std::ranges::sort(levels);
  return levels[(levels.size() - 1) / 3];
}

/// Two rounds do not show which of them is slow.
constexpr std::size_t least_rounds = 3;

/// The readings of one sentinel, by process. Those that cannot be judged are not among them.
using chart_key = std::pair<std::size_t, sentinel>;
std::map<chart_key, std::vector<process_points>> charts_of(std::span<const sentinel_readings> all) {
  std::map<chart_key, std::map<int, process_points>> by_process;
  for (const auto& readings : all)
    if (readings.ns.size() >= 2)
      by_process[{readings.device, readings.kind}][readings.process].push_back(
          {&readings, level_of(readings)});
  std::map<chart_key, std::vector<process_points>> charts;
  for (auto& [key, processes] : by_process)
    for (auto& [process, points] : processes)
      if (points.size() >= least_rounds) charts[key].push_back(std::move(points));
  return charts;
}

double percent(double log_ratio) { return 100 * std::expm1(log_ratio); }

/// A neighbour that costs less is not worth a mark, and the clock's steps are no noise.
constexpr double least_limit = 0.025;

/// Of some rounds only is the noise known, itself with noise.
double limit_of(sentinel kind, std::span<const process_points> processes) {
  const double between = noise_between(processes);
  const double least =
      is_of_engine(kind) ? 2.5 * between : 10 * std::max(between, noise_within(processes));
  return std::max(least_limit, least);
}

}  // namespace

std::vector<slow_round> rounds_outside_limits(std::span<const sentinel_readings> all) {
  std::vector<slow_round> slow;
  for (const auto& [key, processes] : charts_of(all)) {
    const double limit = limit_of(key.second, processes);
    for (const auto& points : processes) {
      const double quiet = quiet_level(points);
      for (const auto& [readings, level] : points)
        if (level - quiet > limit)
          slow.push_back({readings->process, readings->round, readings->device, readings->kind,
                          percent(level - quiet), percent(limit)});
    }
  }
  std::ranges::sort(slow, {}, [](const slow_round& entry) {
    return std::tuple(entry.process, entry.round, entry.device, entry.kind);
  });
  return slow;
}

std::size_t count_judged(std::span<const sentinel_readings> all) {
  std::set<std::pair<int, int>> rounds;
  for (const auto& [key, processes] : charts_of(all))
    for (const auto& points : processes)
      for (const auto& point : points)
        rounds.emplace(point.readings->process, point.readings->round);
  return rounds.size();
}

}  // namespace bench_transfers::result_file
