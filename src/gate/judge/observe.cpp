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

std::optional<double> nanoseconds_of(double value, const history& known, const metric& judged_by) {
  if (judged_by.is_time()) return judged_by.nanoseconds(value);
  if (judged_by.key == "gb_per_s" && known.bytes) return *known.bytes / value;
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
  const auto ns = nanoseconds_of(centre, of, judged_by);
  one.latency_bound = ns && *ns < latency_border_ns;
  if (judged_by.is_time())
    one.least_deviation = least_time_difference_ns / judged_by.nanoseconds(centre);
  return one;
}

}  // namespace bench_transfers::gate
