#include "src/gate/judge/observe.hpp"

#include <optional>

#include "src/statistics/location.hpp"

namespace bench_transfers::gate {
namespace {

/// Operations shorter than this are latency-bound: a call and its wait take 6 to 10 us, so that of
/// longer ones they are less than a fifth, and where latency drifts by 5 %, the threshold for what
/// is bound by it, these drift by less than 1 %.
constexpr double latency_border_ns = 50e3;
/// What clocks and digits cannot tell apart.
constexpr double least_time_difference_ns = 0.5;

bool is_time(const metric& judged_by) { return judged_by.is_time(); }

std::optional<double> time_of(double value, const history& of, const metric& judged_by) {
  if (is_time(judged_by)) return value;
  if (judged_by.key == "gb_per_s" && of.bytes) return *of.bytes / value;
  return std::nullopt;
}

}  // namespace

costs costs_of(const history& of, std::span<const std::size_t> sessions, std::size_t count,
               const metric& judged_by) {
  costs by_session(count);
  for (std::size_t i = 0; i < of.figures.size(); ++i)
    if (of.figures[i]) by_session[sessions[i]].push_back(cost(*of.figures[i], judged_by));
  return by_session;
}

double centre_of(const costs& sessions, const metric& judged_by) {
  return value_of(statistics::location(joined(sessions)), judged_by);
}

observed observed_in(const history& of, std::span<const std::size_t> sessions, std::size_t count,
                     const metric& judged_by) {
  observed one;
  one.before = costs_of(of, sessions, count, judged_by);
  const double centre = centre_of(one.before, judged_by);
  const auto time = time_of(centre, of, judged_by);
  one.latency_bound = time && *time < latency_border_ns;
  if (is_time(judged_by)) one.least_deviation = least_time_difference_ns / centre;
  return one;
}

}  // namespace bench_transfers::gate
