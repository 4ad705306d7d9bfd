#include "src/gate/judge/history.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "src/gate/judge/answer.hpp"
#include "src/gate/judge/baseline_sessions.hpp"
#include "src/gate/judge/capability.hpp"
#include "src/gate/judge/check.hpp"
#include "src/gate/judge/observe.hpp"
#include "src/gate/model/identity.hpp"
#include "src/statistics/clipped_variance.hpp"
#include "src/statistics/distributions.hpp"
#include "src/statistics/holm.hpp"
#include "src/statistics/levels.hpp"
#include "src/statistics/location.hpp"
#include "src/statistics/quantile.hpp"
#include "src/statistics/square.hpp"
#include "src/statistics/variance_prior.hpp"

namespace bench_transfers::gate {
namespace {

using statistics::square;
using statistics::variance_estimate;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A series with what is known of its noise.
struct noisy_series {
  gate::series series;
  variance_estimate of_session{0, 0};  ///< of one session around its level
  std::vector<double> slowest = {};    ///< shift of each session's slowest process
};

std::vector<double> known(const std::vector<std::optional<double>>& shifts) {
  std::vector<double> values;
  for (const auto& shift : shifts)
    if (shift) values.push_back(*shift);
  return values;
}

/// The sessions of a baseline and of further runs, in the order of time.
class time_line {
 public:
  /// `runs`: that the baseline does not have.
  time_line(const baseline& line, std::vector<run> runs, const std::set<std::string>& may_differ)
      : line_(line), may_differ_(may_differ), runs_(std::move(runs)), processes_(line.processes) {
    for (const auto& run : runs_) processes_.push_back(origin_of(run));
    session_of_ = sessions_of(processes_);
    records_.resize(number_of_sessions(processes_));
    for (std::size_t i = 0; i < processes_.size(); ++i) record(i);
  }

  [[nodiscard]] const std::vector<session_record>& records() const { return records_; }

  /// The costs of a benchmark, session by session.
  [[nodiscard]] costs costs_of_benchmark(const std::string& name, const history& history) const {
    gate::history all;
    all.figures = history.figures;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const auto measured = runs_[i].benchmarks.find(name);
      const bool is_same =
          counts_[i] && measured != runs_[i].benchmarks.end() &&
          !is_other_procedure(history.work, measured->second.work) &&
          (!history.bytes || is_same_number(*history.bytes, measured->second.bytes.value_or(0))) &&
          !difference_of(history.work, measured->second.work);
      all.figures.push_back(is_same ? figure_of(measured->second, line_.judged_by) : std::nullopt);
    }
    return costs_of(all, session_of_, records_.size(), line_.judged_by);
  }

 private:
  void record(std::size_t index) {
    auto& session = records_[session_of_[index]];
    const auto& started = processes_[index].started;
    if (!session.begin || (started && *started < *session.begin)) session.begin = started;
    ++session.runs;
    if (index < line_.processes.size()) {
      session.of_baseline = true;
      return;
    }
    const auto& run = runs_[index - line_.processes.size()];
    std::set<std::string> keys(session.changed.begin(), session.changed.end());
    bool differs = false;
    for (const auto& fact : differences_from(line_, run)) {
      if (fact.key == started_key) continue;  // a history has all times
      keys.insert(fact.key);
      differs = differs || !may_differ_.contains(fact.key);
    }
    session.changed.assign(keys.begin(), keys.end());
    const auto doubts = doubts_of(run);
    counts_.push_back(!differs && doubts.empty());
    if (!doubts.empty())
      ++session.doubted[doubts.front()];
    else if (differs)
      ++session.differing;
    session.of_other_procedures = std::max(session.of_other_procedures, other_procedures_in(run));
  }

  /// Of the line's benchmarks.
  [[nodiscard]] std::size_t other_procedures_in(const run& process) const {
    return static_cast<std::size_t>(std::ranges::count_if(line_.benchmarks, [&](const auto& entry) {
      const auto measured = process.benchmarks.find(entry.first);
      return measured != process.benchmarks.end() && is_usable(measured->second) &&
             is_other_procedure(entry.second.work, measured->second.work);
    }));
  }

  const baseline& line_;
  const std::set<std::string>& may_differ_;
  std::vector<run> runs_;
  std::vector<bool> counts_;  ///< of each run
  std::vector<process> processes_;
  std::vector<std::size_t> session_of_;
  std::vector<session_record> records_;
};

/// The variance of a session's centre: at least what its processes explain.
variance_estimate variance_of(const std::vector<double>& shifts, const costs& sessions) {
  static constexpr double least_deviation = 1e-4;
  const auto process = statistics::clipped_variance(sessions);
  double explained = 0;
  std::size_t measured = 0;
  for (const auto& session : sessions)
    if (!session.empty()) {
      explained += process.variance * statistics::location_variance(session.size());
      ++measured;
    }
  if (measured > 0) explained /= static_cast<double>(measured);
  const double between = square(statistics::deviation_of_neighbours(shifts));
  // Medians of distances have about a third of the degrees of freedom.
  const double degrees = static_cast<double>(shifts.size()) / 3;
  return {std::max({between, explained, square(least_deviation)}), std::max(1.0, degrees)};
}

void moderate(std::vector<noisy_series>& all) {
  std::map<benchmark_class, std::vector<variance_estimate>> by_class;
  for (const auto& one : all) by_class[one.series.kind].push_back(one.of_session);
  std::map<benchmark_class, statistics::variance_prior> priors;
  for (const auto& [kind, estimates] : by_class)
    priors.emplace(kind, statistics::variance_prior(estimates));
  for (auto& one : all) {
    auto moderated = priors.at(one.series.kind).moderated(one.of_session);
    moderated.variance = std::max(moderated.variance, one.of_session.variance);
    one.of_session = moderated;
  }
}

/// Of values around the means of their levels.
double variance_within(std::span<const double> values, std::span<const std::size_t> firsts) {
  if (values.size() <= firsts.size()) return 0;
  double squares = 0;
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    const auto end = i + 1 < firsts.size() ? firsts[i + 1] : values.size();
    const auto level = values.subspan(firsts[i], end - firsts[i]);
    const double mean =
        std::accumulate(level.begin(), level.end(), 0.0) / static_cast<double>(level.size());
    for (const double value : level) squares += square(value - mean);
  }
  return squares / static_cast<double>(values.size() - firsts.size());
}

/// Finds the levels, and how sure the newest is beyond the threshold: not yet adjusted.
void follow(noisy_series& one, std::size_t all, double false_alarm, std::size_t first_sessions) {
  auto& series = one.series;
  const auto values = known(series.shifts);
  if (values.size() < 2) return;
  const double chances = 2 * static_cast<double>(all * values.size());
  const double penalty =
      square(statistics::normal_exceeded_by(std::min(0.25, false_alarm / chances)));
  const auto firsts = statistics::choose_levels(values, one.of_session.variance, penalty);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < series.shifts.size(); ++i)
    if (series.shifts[i]) places.push_back(i);
  double before = 0;
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    const auto end = i + 1 < firsts.size() ? firsts[i + 1] : values.size();
    const double level = statistics::location(
        {values.begin() + std::ptrdiff_t(firsts[i]), values.begin() + std::ptrdiff_t(end)});
    if (i > 0) series.steps.push_back({places[firsts[i]], level - before});
    before = level;
  }
  series.sum = before;
  const double limit = std::log1p(series.threshold);
  const std::span newest = std::span(values).subspan(firsts.back());
  if (!std::ranges::all_of(newest, [&](double shift) { return shift > limit; })) return;
  // A benchmark with two speeds may have the slow one in all new sessions by chance.
  if (!one.slowest.empty() && firsts.size() > 1) {
    const auto end = one.slowest.begin() + static_cast<std::ptrdiff_t>(places[firsts[1]]);
    if (series.sum <= *std::max_element(one.slowest.begin(), end)) return;
  }
  // Sessions that lie far off are not as the neighbours say.
  const double variance = std::max(one.of_session.variance, variance_within(values, firsts));
  const double error = std::sqrt(variance * (1 / static_cast<double>(newest.size()) +
                                             1 / static_cast<double>(first_sessions)));
  const statistics::students_t t{one.of_session.degrees};
  series.p = t.above((series.sum - limit) / error);
}

/// What the benchmarks of a class have in common.
std::vector<noisy_series> of_classes(const std::vector<noisy_series>& benchmarks,
                                     std::size_t sessions) {
  std::vector<noisy_series> classes;
  for (const auto kind : all_classes) {
    std::vector<const series*> members;
    for (const auto& one : benchmarks)
      if (one.series.kind == kind) members.push_back(&one.series);
    if (members.size() < least_class_size) continue;
    noisy_series whole;
    whole.series.kind = kind;
    whole.series.threshold = members.front()->threshold;
    for (std::size_t i = 0; i < sessions; ++i) {
      std::vector<double> shifts;
      for (const auto* member : members)
        if (member->shifts[i]) shifts.push_back(*member->shifts[i]);
      whole.series.shifts.push_back(2 * shifts.size() < members.size()
                                        ? std::nullopt
                                        : std::optional(statistics::median(std::move(shifts))));
    }
    whole.of_session = variance_of(known(whole.series.shifts), {});
    classes.push_back(std::move(whole));
  }
  return classes;
}

void decide(std::vector<noisy_series*>& all, const limits& limits) {
  std::vector<double> p;
  for (const auto* one : all) p.push_back(one->series.p);
  const auto adjusted = statistics::holm_adjusted(p);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i]->series.p = adjusted[i];
    all[i]->series.has_crept = adjusted[i] < limits.false_alarm;
  }
}

std::vector<series> without_noise(std::vector<noisy_series> all) {
  std::vector<series> plain;
  for (auto& one : all) plain.push_back(std::move(one.series));
  return plain;
}

}  // namespace

bool history_answer::is_red(const series& one) const {
  return one.has_crept && decide_by.contains(one.kind);
}

bool history_answer::is_unclear(const series& one) const {
  return !one.has_crept && decide_by.contains(one.kind) && slowdown(one.sum) > one.threshold;
}

std::size_t session_record::left_out() const {
  std::size_t count = differing;
  for (const auto& [why, doubted_runs] : doubted) count += doubted_runs;
  return count;
}

std::size_t history_answer::counting_sessions() const {
  return static_cast<std::size_t>(std::ranges::count_if(sessions, &session_record::counts));
}

exit_code history_answer::code() const {
  if (counting_sessions() < least_sessions_of_history) return exit_code::inconclusive;
  const auto is_red = [&](const series& one) { return this->is_red(one); };
  if (std::ranges::any_of(classes, is_red) || std::ranges::any_of(benchmarks, is_red))
    return exit_code::regression;
  if (!sessions.back().counts() || sessions.back().of_other_procedures > 0)
    return exit_code::inconclusive;
  const auto is_unclear = [&](const series& one) { return this->is_unclear(one); };
  return std::ranges::any_of(classes, is_unclear) ? exit_code::inconclusive : exit_code::pass;
}

history_answer history_of(const baseline& line, std::vector<run> runs, const question& question) {
  const auto& limits = question.limits;
  require_like(line, runs);
  runs = runs_beside(line.processes, std::move(runs));
  require_comparable(runs, line.processes);
  require_classes(line, question);
  const time_line times(line, std::move(runs), question.allow_different);
  history_answer answer;
  answer.limits = limits;
  answer.decide_by = stakes_of(line, limits, question.decide_by).deciding;
  answer.judged_by = line.judged_by;
  answer.device = line.device;
  answer.on_host = line.on_host;
  answer.sessions = times.records();
  const auto sessions = sessions_of(line.processes);
  const auto count = number_of_sessions(line.processes);
  std::vector<noisy_series> benchmarks;
  for (const auto& [name, history] : line.benchmarks) {
    const auto observed = observe(history, sessions, count, line.judged_by);
    const double first = cost(
        history.reference.value_or(centre_of(observed.before, line.judged_by)), line.judged_by);
    answer.has_first = answer.has_first || history.reference;
    const auto all_costs = times.costs_of_benchmark(name, history);
    noisy_series one;
    one.series.name = name;
    one.series.kind = observed.kind;
    one.series.threshold = limits.threshold_for(observed.kind);
    for (const auto& session : all_costs)
      one.series.shifts.push_back(
          session.empty() ? std::nullopt : std::optional(statistics::location(session) - first));
    for (const auto& session : all_costs)
      one.slowest.push_back(session.empty() ? -infinity : std::ranges::max(session) - first);
    one.of_session = variance_of(known(one.series.shifts), all_costs);
    benchmarks.push_back(std::move(one));
  }
  auto classes = of_classes(benchmarks, times.records().size());
  moderate(benchmarks);
  std::vector<noisy_series*> all;
  for (auto* part : {&classes, &benchmarks})
    for (auto& one : *part) all.push_back(&one);
  // Of how many sessions the first baseline's values are is not known of an earlier one.
  for (auto* one : all) follow(*one, all.size(), limits.false_alarm, answer.has_first ? 1 : count);
  decide(all, limits);
  answer.classes = without_noise(std::move(classes));
  answer.benchmarks = without_noise(std::move(benchmarks));
  std::ranges::stable_sort(answer.benchmarks, std::greater<>(), &series::sum);
  return answer;
}

}  // namespace bench_transfers::gate
