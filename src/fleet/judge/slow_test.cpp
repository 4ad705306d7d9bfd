#include "src/fleet/judge/slow_test.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "src/statistics/distributions.hpp"
#include "src/statistics/false_discovery.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::fleet {
namespace {

/// A run may be disturbed by something that is no fault: it must be slower by more.
constexpr double threshold_of_a_run = 2.5;
/// Beside a fast neighbour a healthy GPU looks slow: beside the whole fleet it must be slower by
/// this part of what it is slower by in its node.
constexpr double least_in_fleet = 0.25;

persistence persistence_of(const scored_part& part) {
  const auto half = part.score.usual / 2;
  if (part.score.lasting <= half) return persistence::sometimes;
  return part.score.fastest > half ? persistence::always : persistence::mostly;
}

/// Whether it is also slow beside the whole fleet, if its distance is that in its node.
bool is_slow_in_fleet(const scored_part& part, scope scope, double score::*member) {
  const bool is_in_node = scope == scope::gpu || scope == scope::slot;
  return !is_in_node || part.in_fleet.*member > least_in_fleet * part.score.*member;
}

}  // namespace

double beyond_chance(double expected) {
  constexpr double in_expected = 25;
  return std::min(in_expected * expected, std::numbers::ln2);
}

std::vector<slow_part> slow_test::slow_among(scope scope, const compared_parts& all) const {
  const auto threshold = threshold_of(scope, all.parts);
  auto slow = slow_by({&score::usual, threshold}, scope, all);
  const bool has_runs = std::ranges::any_of(
      all.parts, [](const auto& part) { return part.score.worst_run != part.score.usual; });
  if (!has_runs) return slow;
  for (const auto& part : slow_by({&score::worst_run, threshold_of_a_run * threshold}, scope, all))
    if (std::ranges::find(slow, part.index, &slow_part::index) == slow.end()) slow.push_back(part);
  return slow;
}

tested_parts slow_test::tested_in(scope scope, const compared_parts& all) const {
  constexpr double probability = 0.8;
  const auto healthy = spread_among(all.healthy, &score::usual);
  const auto count = static_cast<double>(all.parts.size());
  const auto border =
      std::max(threshold_of(scope, all.parts), healthy.exceeded_by(criteria_.false_alarm / count));
  return {
      scope, all.parts.size(),
      border + healthy.deviation * statistics::students_t{healthy.degrees}.quantile(probability)};
}

double slow_test::deviation_of(const std::vector<scored_part>& parts) const {
  return parts.empty() ? criteria_.expected : spread_among(parts, &score::usual).deviation;
}

std::vector<slow_part> slow_test::slow_by(const rule& by, scope scope,
                                          const compared_parts& all) const {
  constexpr double outside = 0.025;  // on either side of an interval of 95 %
  const auto healthy = spread_among(all.healthy, by.member);
  const auto distances = column(all.parts, by.member);
  const auto p = adjusted_p(healthy, distances);
  const auto half = healthy.exceeded_by(outside);
  const bool by_run = by.member == &score::worst_run;
  std::vector<slow_part> slow;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    const auto& part = all.parts[i];
    const auto slower = distances[i];
    if (slower > by.threshold && p[i] <= criteria_.false_alarm &&
        is_slow_in_fleet(part, scope, by.member))
      slow.push_back({.scope = scope,
                      .index = part.index,
                      .slower = {slower, slower - half, slower + half},
                      .p = p[i],
                      .how_long = by_run ? persistence::sometimes : persistence_of(part),
                      .by_slowest_run = by_run});
  }
  return slow;
}

/// Adjusting makes no p smaller: where it is above the rate of false alarms, its value does not
/// matter, and most of the time would go into it.
std::vector<double> slow_test::adjusted_p(const spread& healthy,
                                          const std::vector<double>& values) const {
  const auto least = healthy.exceeded_by(criteria_.false_alarm);
  std::vector<double> p;
  p.reserve(values.size());
  for (const auto value : values) p.push_back(value < least ? 1.0 : healthy.p(value));
  return statistics::discovery_adjusted(p);
}

/// Few parts do not tell how healthy ones differ: then it is what is expected, or what their
/// members let expect.
spread slow_test::spread_among(const std::vector<scored_part>& parts, double score::*member) const {
  const auto error = statistics::median(column(parts, &score::error));
  return spread_of(column(parts, member), std::max(criteria_.expected, error));
}

/// What matters. A handful of parts that differ by more than is expected do not tell whether
/// healthy ones do.
double slow_test::threshold_of(scope scope, const std::vector<scored_part>& parts) const {
  const bool can_tell = is_wide(scope) || parts.size() >= handful ||
                        std::ranges::all_of(parts, [&](const auto& part) {
                          return std::abs(part.score.usual) <= criteria_.threshold;
                        });
  return can_tell ? criteria_.threshold
                  : std::max(criteria_.threshold, beyond_chance(criteria_.expected));
}

}  // namespace bench_transfers::fleet
