#include "src/gate/judge/baseline_sessions.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "src/statistics/location.hpp"
#include "src/statistics/quantile.hpp"
#include "src/statistics/square.hpp"

namespace bench_transfers::gate {
namespace {

using statistics::square;

/// Centres of the baseline's sessions minus their mean; none where a benchmark was not measured.
using centres = std::vector<std::optional<double>>;

void subtract_mean(centres& sessions) {
  double sum = 0;
  double count = 0;
  for (const auto& centre : sessions)
    if (centre) {
      sum += *centre;
      ++count;
    }
  for (auto& centre : sessions)
    if (centre) *centre -= sum / count;
}

template <class Centre>
centres centres_by(const costs& sessions, Centre centre_of_session) {
  centres result;
  for (const auto& session : sessions)
    result.push_back(session.empty() ? std::nullopt : std::optional(centre_of_session(session)));
  subtract_mean(result);
  return result;
}

centres centres_by_location(const costs& sessions) {
  return centres_by(sessions, [](const auto& session) { return statistics::location(session); });
}

centres centres_by_median(const costs& sessions) {
  return centres_by(sessions, [](const auto& session) { return statistics::median(session); });
}

/// `common` is empty for a class that is too small.
void subtract_common(centres& sessions, std::span<const double> common) {
  for (std::size_t s = 0; s < sessions.size() && !common.empty(); ++s)
    if (sessions[s]) *sessions[s] -= common[s];
  subtract_mean(sessions);
}

}  // namespace

std::vector<double> common_of_sessions(std::span<const observation> observations) {
  if (observations.size() < least_class_size) return {};
  std::vector<std::vector<double>> centres_of_sessions;
  for (const auto& observed : observations) {
    const auto of_benchmark = centres_by_location(observed.before);
    centres_of_sessions.resize(of_benchmark.size());
    for (std::size_t s = 0; s < of_benchmark.size(); ++s)
      if (of_benchmark[s]) centres_of_sessions[s].push_back(*of_benchmark[s]);
  }
  std::vector<double> medians;
  for (auto& of_session : centres_of_sessions)
    medians.push_back(of_session.empty() ? 0 : statistics::median(std::move(of_session)));
  return medians;
}

std::optional<baseline_evidence> baseline_evidence_of(const observation& observed,
                                                      std::span<const double> common) {
  auto sessions = centres_by_location(observed.before);
  const double count = static_cast<double>(sessions.size()) -
                       static_cast<double>(std::ranges::count(sessions, std::optional<double>()));
  if (count < 2) return std::nullopt;
  subtract_common(sessions, common);
  baseline_evidence evidence{.degrees = count - 1};
  for (std::size_t s = 0; s < sessions.size(); ++s) {
    if (!sessions[s]) continue;
    evidence.variance += square(*sessions[s]) / evidence.degrees;
    evidence.process_part += statistics::location_variance(observed.before[s].size()) / count;
  }
  return evidence;
}

session_levels session_levels_of(const observation& observed, std::span<const double> common,
                                 const baseline_evidence& evidence, double process_deviation) {
  auto sessions = centres_by_median(observed.before);
  subtract_common(sessions, common);
  double fastest = 0, slowest = 0;  // around their mean
  for (const auto& level : sessions) {
    if (!level) continue;
    fastest = std::min(fastest, *level);
    slowest = std::max(slowest, *level);
  }
  // Far more than chance would put between the slowest and the fastest of ten sessions.
  const double deviations = std::max(4.0, 6 * std::sqrt(evidence.process_part));
  return {.apart = slowest - fastest, .apart_by_processes = process_deviation * deviations};
}

}  // namespace bench_transfers::gate
