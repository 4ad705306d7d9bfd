#include "src/gate/judge/noisy_series.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include "src/gate/judge/baseline_sessions.hpp"
#include "src/statistics/clipped_variance.hpp"
#include "src/statistics/distributions.hpp"
#include "src/statistics/holm.hpp"
#include "src/statistics/levels.hpp"
#include "src/statistics/location.hpp"
#include "src/statistics/quantile.hpp"
#include "src/statistics/square.hpp"

namespace bench_transfers::gate {
namespace {

using statistics::square;
using statistics::variance_estimate;

std::vector<double> known_shifts(const series& one) {
  std::vector<double> values;
  for (const auto& shift : one.shifts)
    if (shift) values.push_back(*shift);
  return values;
}

/// The part of the variance of sessions' centres that their processes explain.
double explained_by_processes(const costs& sessions) {
  const auto process = statistics::clipped_variance(sessions);
  double explained = 0;
  std::size_t measured = 0;
  for (const auto& session : sessions)
    if (!session.empty()) {
      explained += process.variance * statistics::location_variance(session.size());
      ++measured;
    }
  return measured > 0 ? explained / static_cast<double>(measured) : explained;
}

/// The variance of a session's centre: at least what its processes explain.
variance_estimate variance_of_session(const series& one, double explained) {
  static constexpr double least_deviation = 1e-4;
  const auto shifts = known_shifts(one);
  const double between = square(statistics::deviation_of_neighbours(shifts));
  // Medians of distances have about a third of the degrees of freedom.
  const double degrees = static_cast<double>(shifts.size()) / 3;
  return {std::max({between, explained, square(least_deviation)}), std::max(1.0, degrees)};
}

/// None where less than half of the class was measured.
std::optional<double> median_shift_in(std::size_t session,
                                      const std::vector<const series*>& members) {
  std::vector<double> shifts;
  for (const auto* member : members)
    if (member->shifts[session]) shifts.push_back(*member->shifts[session]);
  if (2 * shifts.size() < members.size()) return std::nullopt;
  return statistics::median(std::move(shifts));
}

/// The shifts of the sessions that have one, cut into levels.
struct series_levels {
  std::vector<double> shifts;
  std::vector<std::size_t> sessions;  ///< of each shift
  std::vector<std::size_t> firsts;    ///< places of each level's first shift

  [[nodiscard]] std::span<const double> level(std::size_t index) const {
    const auto end = index + 1 < firsts.size() ? firsts[index + 1] : shifts.size();
    return std::span(shifts).subspan(firsts[index], end - firsts[index]);
  }
  [[nodiscard]] std::span<const double> newest() const { return level(firsts.size() - 1); }
};

series_levels levels_of(const noisy_series& one, std::size_t all_series, double false_alarm) {
  series_levels result;
  result.shifts = known_shifts(one.series);
  for (std::size_t i = 0; i < one.series.shifts.size(); ++i)
    if (one.series.shifts[i]) result.sessions.push_back(i);
  const double chances = 2 * static_cast<double>(all_series * result.shifts.size());
  const double penalty =
      square(statistics::normal_exceeded_by(std::min(0.25, false_alarm / chances)));
  result.firsts = statistics::choose_levels(result.shifts, one.of_session.variance, penalty);
  return result;
}

void add_steps(series& one, const series_levels& found) {
  double before = 0;
  for (std::size_t i = 0; i < found.firsts.size(); ++i) {
    const auto level = found.level(i);
    const double centre = statistics::location({level.begin(), level.end()});
    if (i > 0) one.steps.push_back({found.sessions[found.firsts[i]], centre - before});
    before = centre;
  }
  one.sum = before;
}

/// A benchmark with two speeds may have the slow one in all new sessions by chance: whether a
/// process of the first level was as slow as the newest level.
bool was_as_slow_before(const noisy_series& one, const series_levels& found) {
  if (one.slowest.empty() || found.firsts.size() < 2) return false;
  const auto first_step = static_cast<std::ptrdiff_t>(found.sessions[found.firsts[1]]);
  return one.series.sum <= *std::max_element(one.slowest.begin(), one.slowest.begin() + first_step);
}

/// Around the means of their levels.
double variance_within(const series_levels& found) {
  if (found.shifts.size() <= found.firsts.size()) return 0;
  double squares = 0;
  for (std::size_t i = 0; i < found.firsts.size(); ++i) {
    const auto level = found.level(i);
    const double mean =
        std::accumulate(level.begin(), level.end(), 0.0) / static_cast<double>(level.size());
    for (const double shift : level) squares += square(shift - mean);
  }
  return squares / static_cast<double>(found.shifts.size() - found.firsts.size());
}

/// That the newest level is no more than the threshold; not yet adjusted.
double p_of_newest(const noisy_series& one, const series_levels& found,
                   std::size_t first_sessions) {
  const double limit = std::log1p(one.series.threshold);
  const auto newest = found.newest();
  const bool is_all_beyond =
      std::ranges::all_of(newest, [&](double shift) { return shift > limit; });
  if (!is_all_beyond || was_as_slow_before(one, found)) return 1;
  // Sessions that lie far off are not as the neighbours say.
  const double variance = std::max(one.of_session.variance, variance_within(found));
  const double error = std::sqrt(variance * (1 / static_cast<double>(newest.size()) +
                                             1 / static_cast<double>(first_sessions)));
  const statistics::students_t t{one.of_session.degrees};
  return t.above((one.series.sum - limit) / error);
}

void decide(const std::vector<noisy_series*>& all, double false_alarm) {
  std::vector<double> p;
  for (const auto* one : all) p.push_back(one->series.p);
  const auto adjusted = statistics::holm_adjusted(p);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i]->series.p = adjusted[i];
    all[i]->series.has_crept = adjusted[i] < false_alarm;
  }
}

}  // namespace

noisy_series series_of_benchmark(const std::string& name, benchmark_class kind,
                                 const costs& sessions, double first, const limits& limits) {
  noisy_series one;
  one.series.name = name;
  one.series.kind = kind;
  one.series.threshold = limits.threshold_for(kind);
  for (const auto& session : sessions) {
    const bool is_measured = !session.empty();
    one.series.shifts.push_back(is_measured ? std::optional(statistics::location(session) - first)
                                            : std::nullopt);
    one.slowest.push_back(is_measured ? std::optional(std::ranges::max(session) - first)
                                      : std::nullopt);
  }
  one.of_session = variance_of_session(one.series, explained_by_processes(sessions));
  return one;
}

std::vector<noisy_series> series_of_classes(const std::vector<noisy_series>& benchmarks,
                                            std::size_t sessions) {
  std::vector<noisy_series> classes;
  for (const auto kind : all_classes) {
    std::vector<const series*> members;
    for (const auto& one : benchmarks)
      if (one.series.kind == kind) members.push_back(&one.series);
    if (members.size() < least_class_size) continue;
    auto& whole = classes.emplace_back();
    whole.series.kind = kind;
    whole.series.threshold = members.front()->threshold;
    for (std::size_t i = 0; i < sessions; ++i)
      whole.series.shifts.push_back(median_shift_in(i, members));
    whole.of_session = variance_of_session(whole.series, 0);
  }
  return classes;
}

void moderate(std::vector<noisy_series>& benchmarks) {
  std::map<benchmark_class, std::vector<variance_estimate>> by_class;
  for (const auto& one : benchmarks) by_class[one.series.kind].push_back(one.of_session);
  std::map<benchmark_class, statistics::variance_prior> priors;
  for (const auto& [kind, estimates] : by_class)
    priors.emplace(kind, statistics::variance_prior(estimates));
  for (auto& one : benchmarks) {
    auto moderated = priors.at(one.series.kind).moderated(one.of_session);
    moderated.variance = std::max(moderated.variance, one.of_session.variance);
    one.of_session = moderated;
  }
}

void follow(const std::vector<noisy_series*>& all, const limits& limits,
            std::size_t first_sessions) {
  for (auto* one : all) {
    const auto found = levels_of(*one, all.size(), limits.false_alarm);
    if (found.shifts.size() < 2) continue;
    add_steps(one->series, found);
    one->series.p = p_of_newest(*one, found, first_sessions);
  }
  decide(all, limits.false_alarm);
}

}  // namespace bench_transfers::gate
