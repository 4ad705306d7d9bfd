#include "src/gate/judge/history.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "src/gate/judge/capability.hpp"
#include "src/gate/judge/check.hpp"
#include "src/gate/judge/noisy_series.hpp"
#include "src/gate/judge/observe.hpp"
#include "src/gate/judge/time_line.hpp"

namespace bench_transfers::gate {
namespace {

history_answer answer_about(const baseline& line, const question& question) {
  history_answer answer;
  answer.limits = question.limits;
  answer.decide_by = stakes_of(line, question.limits, question.decide_by).deciding;
  answer.judged_by = line.judged_by;
  answer.device = line.device;
  answer.on_host = line.on_host;
  answer.has_first = std::ranges::any_of(
      line.benchmarks, [](const auto& entry) { return entry.second.reference.has_value(); });
  return answer;
}

std::vector<noisy_series> series_of_benchmarks(const baseline& line, const time_line& times,
                                               const limits& limits) {
  std::vector<noisy_series> benchmarks;
  for (const auto& [name, observed] : observe(line)) {
    const auto& history = line.benchmarks.at(name);
    const double first = history.reference.value_or(centre_of(observed.before, line.judged_by));
    benchmarks.push_back(series_of_benchmark(name, observed.kind,
                                             times.costs_of_benchmark(name, history),
                                             cost(first, line.judged_by), limits));
  }
  return benchmarks;
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
  require_like(line, runs);
  runs = runs_beside(line.processes, std::move(runs));
  require_comparable(runs, line.processes);
  require_classes(line, question);
  const time_line times(line, std::move(runs), question.allow_different);
  auto answer = answer_about(line, question);
  answer.sessions = times.records();
  auto benchmarks = series_of_benchmarks(line, times, question.limits);
  auto classes = series_of_classes(benchmarks, times.records().size());
  moderate(benchmarks);
  std::vector<noisy_series*> all;
  for (auto* part : {&classes, &benchmarks})
    for (auto& one : *part) all.push_back(&one);
  // How many sessions an earlier baseline had is not known.
  follow(all, question.limits, answer.has_first ? 1 : number_of_sessions(line.processes));
  answer.classes = without_noise(std::move(classes));
  answer.benchmarks = without_noise(std::move(benchmarks));
  std::ranges::stable_sort(answer.benchmarks, std::greater<>(), &series::sum);
  return answer;
}

}  // namespace bench_transfers::gate
