#include "src/gate/judge/observe.hpp"

#include <utility>

#include "src/statistics/location.hpp"

namespace bench_transfers::gate {
namespace {

/// The resolution of clocks and digits.
constexpr double least_time_difference_ns = 0.5;

std::optional<double> nanoseconds_of(double value, const history& history,
                                     const metric& judged_by) {
  if (judged_by.is_time()) return judged_by.nanoseconds(value);
  if (judged_by.key == "gb_per_s" && history.bytes) return *history.bytes / value;
  return std::nullopt;
}

}  // namespace

costs costs_of(const history& history, std::span<const std::size_t> sessions, std::size_t count,
               const metric& judged_by) {
  costs by_session(count);
  for (std::size_t i = 0; i < history.figures.size(); ++i)
    if (history.figures[i]) by_session[sessions[i]].push_back(cost(*history.figures[i], judged_by));
  return by_session;
}

std::optional<history> by(figures_of_processes history::*others, const history& history) {
  if (!has_all(history, history.*others)) return std::nullopt;
  auto result = history;
  result.figures = history.*others;
  return result;
}

double centre_of(const costs& sessions, const metric& judged_by) {
  return value_of(statistics::location(joined(sessions)), judged_by);
}

observation observe(const history& history, std::span<const std::size_t> sessions,
                    std::size_t count, const metric& judged_by) {
  observation result;
  result.before = costs_of(history, sessions, count, judged_by);
  const double centre = centre_of(result.before, judged_by);
  result.kind = class_of(history.limited_by, nanoseconds_of(centre, history, judged_by));
  if (judged_by.is_time())
    result.least_deviation = least_time_difference_ns / judged_by.nanoseconds(centre);
  return result;
}

std::map<std::string, observation> observe(const baseline& before) {
  const auto sessions = sessions_of(before.processes);
  const auto count = number_of_sessions(before.processes);
  std::map<std::string, observation> observations;
  for (const auto& [name, history] : before.benchmarks)
    observations.emplace(name, observe(history, sessions, count, before.judged_by));
  return observations;
}

std::map<benchmark_class, std::vector<observation>> observe_classes(const baseline& before) {
  std::map<benchmark_class, std::vector<observation>> classes;
  for (auto& [name, observed] : observe(before))
    classes[observed.kind].push_back(std::move(observed));
  return classes;
}

}  // namespace bench_transfers::gate
