#include "src/gate/judge/compare.hpp"

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "src/gate/model/baseline.hpp"
#include "src/statistics/clipped_variance.hpp"
#include "src/statistics/holm.hpp"
#include "src/statistics/location.hpp"
#include "src/statistics/quantile.hpp"
#include "src/statistics/variance_prior.hpp"

namespace bench_transfers::gate {
namespace {

/// Fewer benchmarks have no common shift: their median could be that of real changes.
constexpr std::size_t enough_for_a_class = 10;
/// Ambiguous is what would be an alarm at so many times the rate of false ones allowed.
constexpr double ambiguous_rates = 3;

double square(double x) { return x * x; }

/// By how much the centre of all processes varies with the sessions, as a part of their variance.
double session_part(const costs& sessions, std::size_t processes) {
  double part = 0;
  for (const auto& one : sessions)
    part += square(static_cast<double>(one.size()) / static_cast<double>(processes));
  return part;
}

/// One benchmark on its way to a judgement.
struct figures {
  std::vector<double> before, after;  ///< processes of all sessions, ascending
  double centre = 0;                  ///< of those before
  double shift = 0;
  double common = 0;  ///< part of the shift that the class has in common
  double process_variance = 0;
  double process_degrees = 0;
  double process_part = 0;  ///< of the shift's variance, as a multiple of the process variance
  double session_part = 0;  ///< likewise of the session variance
  session_estimate session{0, 1};
  double threshold = 0;  ///< in logarithms

  [[nodiscard]] double by_processes() const { return process_variance * process_part; }
  [[nodiscard]] double by_sessions() const { return session.variance * session_part; }
  [[nodiscard]] double standard_error() const { return std::sqrt(by_processes() + by_sessions()); }
  /// Welch-Satterthwaite.
  [[nodiscard]] double degrees() const {
    return square(by_processes() + by_sessions()) /
           (square(by_processes()) / process_degrees + square(by_sessions()) / session.degrees);
  }
  /// Slower by at least so much, whether or not the common shift belongs to it.
  [[nodiscard]] double slower_by() const { return std::min(shift, shift - common); }
  [[nodiscard]] double faster_by() const { return -std::max(shift, shift - common); }
};

std::vector<figures> figures_of(std::span<const observed> all, std::size_t assumed_after,
                                const limits& allowed) {
  statistics::clipped_variance variance_within;
  std::vector<statistics::variance_estimate> variances;
  std::vector<figures> found;
  for (const auto& one : all) {
    figures item;
    item.before = joined(one.before);
    item.after = joined(one.after);
    const auto after = assumed_after > 0 ? assumed_after : item.after.size();
    if (item.before.size() < least_processes || after == 0)
      throw std::invalid_argument("a benchmark needs three processes before and one after");
    std::ranges::sort(item.before);
    std::ranges::sort(item.after);
    item.centre = statistics::location(item.before);
    if (!item.after.empty()) item.shift = statistics::location(item.after) - item.centre;
    item.process_part =
        statistics::location_variance(item.before.size()) + statistics::location_variance(after);
    item.session_part = session_part(one.before, item.before.size()) +
                        (assumed_after > 0 ? 1 : session_part(one.after, after));
    item.threshold = std::log1p(allowed.threshold_for(one.latency_bound));
    auto variance = variance_within(one.before);
    // With one process a session, processes and sessions cannot be told apart.
    if (variance.degrees <= 0) variance = variance_within(costs{item.before});
    variance.variance = std::max({variance.variance, square(one.least_deviation), square(1e-4)});
    variances.push_back(variance);
    found.push_back(std::move(item));
  }
  const statistics::variance_prior prior(variances);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto moderated = prior.moderated(variances[i]);
    found[i].process_variance = moderated.variance;
    found[i].process_degrees = moderated.degrees;
  }
  return found;
}

/// Centres of the baseline's sessions, from their mean; none where a benchmark was not measured.
using centres = std::vector<std::optional<double>>;

void subtract_mean(centres& of) {
  double sum = 0;
  double count = 0;
  for (const auto& one : of)
    if (one) {
      sum += *one;
      ++count;
    }
  for (auto& one : of)
    if (one) *one -= sum / count;
}

centres session_centres(const observed& one) {
  centres found;
  for (const auto& session : one.before)
    found.push_back(session.empty() ? std::nullopt : std::optional(statistics::location(session)));
  subtract_mean(found);
  return found;
}

/// What benchmarks have in common in each session of the baseline: their median.
std::vector<double> common_to_sessions(const std::vector<centres>& of_class) {
  std::vector<std::vector<double>> by_session;
  for (const auto& one : of_class) {
    by_session.resize(one.size());
    for (std::size_t s = 0; s < one.size(); ++s)
      if (one[s]) by_session[s].push_back(*one[s]);
  }
  std::vector<double> common;
  for (auto& one : by_session)
    common.push_back(one.empty() ? 0 : statistics::median(std::move(one)));
  return common;
}

/// Half of the interval in which the common shift of one more session lies 99 times of 100.
double explained_by(const std::vector<double>& common) {
  if (common.size() < 3) return 0;  // two sessions tell next to nothing
  double squares = 0;
  for (const double one : common) squares += square(one);
  const auto sessions = static_cast<double>(common.size());
  const boost::math::students_t t(sessions - 1);
  return quantile(t, 0.995) * std::sqrt(squares / (sessions - 1) * (1 + 1 / sessions));
}

std::vector<std::size_t> members(std::span<const observed> all, bool latency_bound) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].latency_bound == latency_bound) places.push_back(i);
  return places;
}

/// Below this a class's shifts may be improvements: the fastest tenth.
double fastest_tenth(std::vector<double> shifts) {
  std::ranges::sort(shifts);
  return std::min(0.0, statistics::quantile(shifts, 0.1));
}

/// What the sessions of the baseline say of one benchmark, after what its class has in common.
void add_between_sessions(const observed& one, centres of, const std::vector<double>& common,
                          session_evidence& to) {
  double sessions = 0;
  for (std::size_t s = 0; s < of.size(); ++s) {
    if (!of[s]) continue;
    if (!common.empty()) *of[s] -= common[s];
    ++sessions;
  }
  if (sessions < 2) return;
  subtract_mean(of);
  to.between_degrees = sessions - 1;
  for (std::size_t s = 0; s < of.size(); ++s) {
    if (!of[s]) continue;
    to.between_sessions += square(*of[s]) / to.between_degrees;
    to.between_process_part += statistics::location_variance(one.before[s].size()) / sessions;
  }
}

/// Finds what each class has in common, takes it out of what sessions and shifts tell, and
/// estimates from the rest how much sessions differ.
std::vector<common_shift> take_out_common(std::span<const observed> all, bool with_after,
                                          std::vector<figures>& found, const limits& allowed) {
  std::vector<common_shift> classes;
  std::vector<session_evidence> evidence(all.size());
  for (const bool latency_bound : {false, true}) {
    const auto places = members(all, latency_bound);
    std::vector<double> shifts;
    std::vector<centres> of_class;
    for (const auto i : places) {
      shifts.push_back(found[i].shift);
      of_class.push_back(session_centres(all[i]));
      evidence[i].process_variance = found[i].process_variance;
    }
    // A class too small for a common shift says nothing about the new session: it may be all real.
    const bool is_class = places.size() >= enough_for_a_class;
    const auto in_sessions = is_class ? common_to_sessions(of_class) : std::vector<double>();
    common_shift common{latency_bound, places.size(), 0, explained_by(in_sessions), false};
    if (with_after && is_class) common.shift = statistics::median(shifts);
    common.changed = std::abs(common.shift) > std::log1p(allowed.threshold_for(latency_bound));
    if (is_class) classes.push_back(common);
    for (auto& one : shifts) one -= common.shift;
    const double censored_below = is_class ? fastest_tenth(shifts) : 0;
    for (std::size_t k = 0; k < places.size(); ++k) {
      const auto i = places[k];
      found[i].common = common.shift;
      add_between_sessions(all[i], of_class[k], in_sessions, evidence[i]);
      if (!with_after || !is_class) continue;
      evidence[i].shift = shifts[k];
      evidence[i].censored_below = censored_below;
      evidence[i].shift_process_part = found[i].process_part;
      evidence[i].shift_session_part = found[i].session_part;
    }
  }
  const auto estimates = session_variances(evidence);
  for (std::size_t i = 0; i < found.size(); ++i) found[i].session = estimates[i];
  return classes;
}

/// A slowdown is taken for one when every process shows it, not only their centre: one of three
/// that was disturbed, or a benchmark with two speeds, is not a slower program. Of every three
/// processes beyond the third one may be as fast as before, and of 20 of the baseline one as slow
/// as now.
struct every_process {
  double least;  ///< above the centre of the baseline: what the fastest new process must exceed
  std::size_t tolerated;

  every_process(const figures& of, std::size_t after, double threshold)
      : tolerated(after < 3 ? 0 : (after - 3) / 3) {
    constexpr double deviations_from_centre = 2.5;
    constexpr double deviations_from_slowest = 2;
    const double deviation = std::sqrt(of.process_variance);
    const double one_process =
        std::sqrt(of.process_variance * (1 + statistics::location_variance(of.before.size())) +
                  of.by_sessions());
    const auto slowest = of.before[of.before.size() - 1 - of.before.size() / 40] - of.centre;
    least = std::max(0.0, of.common) + std::max({threshold, deviations_from_centre * one_process,
                                                 slowest + deviations_from_slowest * deviation});
  }

  [[nodiscard]] bool shown_by(const figures& of) const {
    return of.after[tolerated] - of.centre > least;
  }
};

/// The shift that is judged slower with this probability, by the normal distribution of centres
/// and the probability that every process shows it.
double detectable_shift(const figures& of, std::size_t after, double threshold, double first_p,
                        double power) {
  const boost::math::normal normal;
  const double error = of.standard_error();
  const double sure = quantile(normal, power);
  const double critical = quantile(complement(boost::math::students_t(of.degrees()), first_p));
  const double centre_shows = std::max(threshold, critical * error) + sure * error;
  const every_process rule(of, after, threshold);
  // The probability of one process that makes so many of them that probable.
  const auto needed = static_cast<double>(after - rule.tolerated);
  const boost::math::beta_distribution<> of_one(needed, static_cast<double>(rule.tolerated) + 1);
  const double each = quantile(normal, quantile(of_one, power));
  const double all_show =
      rule.least + std::sqrt(of.process_variance * square(each) + of.by_sessions() * square(sure));
  return std::max(centre_shows, all_show);
}

judged described(const figures& of, std::size_t after, double first_p) {
  judged one;
  one.shift = of.shift;
  one.standard_error = of.standard_error();
  one.degrees = of.degrees();
  one.process_deviation = std::sqrt(of.process_variance);
  one.session_deviation = std::sqrt(of.session.variance);
  one.detectable = detectable_shift(of, after, of.threshold, first_p, 0.80);
  one.detectable_surely = detectable_shift(of, after, of.threshold, first_p, 0.95);
  one.resolution = detectable_shift(of, after, 0, first_p, 0.80);
  return one;
}

}  // namespace

std::vector<double> joined(const costs& sessions) {
  std::vector<double> all;
  for (const auto& one : sessions) all.insert(all.end(), one.begin(), one.end());
  return all;
}

std::optional<statistics::interval> interval_of(const judged& one, double confidence) {
  const bool is_known = std::isfinite(one.standard_error) && one.standard_error > 0 &&
                        std::isfinite(one.degrees) && one.degrees > 0;
  if (!is_known) return std::nullopt;
  const boost::math::students_t t(one.degrees);
  const double half = quantile(t, (1 + confidence) / 2) * one.standard_error;
  return statistics::interval{one.shift - half, one.shift + half};
}

bool is_advisory(const judged& one, double threshold) {
  return one.resolution > std::log1p(threshold);
}

bool is_blind(const judged& one, double threshold) {
  return one.resolution > std::log1p(3 * threshold);
}

bool says_too_little(std::size_t telling, std::size_t all) {
  return benchmarks_for_each_that_tells * telling < all;
}

comparison compare(std::span<const observed> all, const limits& allowed) {
  auto found = figures_of(all, 0, allowed);
  comparison result;
  result.classes = take_out_common(all, true, found, allowed);

  std::vector<double> p_slower;
  std::vector<double> p_slower_in_all;
  std::vector<double> p_faster;
  for (const auto& one : found) {
    const boost::math::students_t t(one.degrees());
    p_slower.push_back(cdf(complement(t, one.slower_by() / one.standard_error())));
    p_slower_in_all.push_back(cdf(complement(t, one.shift / one.standard_error())));
    p_faster.push_back(cdf(complement(t, one.faster_by() / one.standard_error())));
  }
  p_slower = statistics::holm_adjusted(p_slower);
  p_slower_in_all = statistics::holm_adjusted(p_slower_in_all);
  p_faster = statistics::holm_adjusted(p_faster);

  const double first_p = allowed.false_alarm / static_cast<double>(all.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto& of = found[i];
    auto one = described(of, of.after.size(), first_p);
    one.p = p_slower[i];
    const bool environment_changed =
        std::ranges::any_of(result.classes, [&](const common_shift& c) {
          return c.latency_bound == all[i].latency_bound && c.changed;
        });
    const double unsure = ambiguous_rates * allowed.false_alarm;
    if (of.slower_by() > of.threshold && one.p < unsure) {
      const bool sure = one.p < allowed.false_alarm && !environment_changed &&
                        every_process(of, of.after.size(), of.threshold).shown_by(of);
      one.verdict = sure ? outcome::slower : outcome::ambiguous;
    } else if (of.shift > of.threshold && p_slower_in_all[i] < unsure) {
      // Beyond the threshold only together with its class: whose change that is cannot be told.
      one.verdict = outcome::ambiguous;
    } else if (of.faster_by() > of.threshold && p_faster[i] < allowed.false_alarm) {
      one.verdict = outcome::faster;
    }
    result.benchmarks.push_back(one);
  }
  return result;
}

std::vector<judged> detectable(std::span<const observed> all, std::size_t after,
                               const limits& allowed) {
  auto found = figures_of(all, after, allowed);
  take_out_common(all, false, found, allowed);
  const double first_p = allowed.false_alarm / static_cast<double>(all.size());
  std::vector<judged> result;
  for (const auto& one : found) result.push_back(described(one, after, first_p));
  return result;
}

}  // namespace bench_transfers::gate
