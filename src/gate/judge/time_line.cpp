#include "src/gate/judge/time_line.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "src/gate/judge/observe.hpp"
#include "src/gate/model/identity.hpp"

namespace bench_transfers::gate {
namespace {

/// Whether a run has measured the same as the baseline.
bool is_same_work(const history& known, const benchmark_values& measured) {
  return !is_other_procedure(known.work, measured.work) &&
         (!known.bytes || is_same_number(*known.bytes, measured.bytes.value_or(0))) &&
         !difference_of(known.work, measured.work);
}

/// Keys of the facts that differ from the baseline's. The start is none: a history has all times.
std::vector<std::string> changed_keys(const baseline& line, const run& process) {
  std::vector<std::string> keys;
  for (const auto& fact : differences_from(line, process))
    if (fact.key != started_key) keys.push_back(fact.key);
  return keys;
}

void insert_sorted(std::vector<std::string>& keys, const std::vector<std::string>& more) {
  std::set<std::string> all(keys.begin(), keys.end());
  all.insert(more.begin(), more.end());
  keys.assign(all.begin(), all.end());
}

}  // namespace

time_line::time_line(const baseline& line, std::vector<run> runs,
                     const std::set<std::string>& may_differ)
    : line_(line), runs_(std::move(runs)) {
  auto processes = line.processes;
  for (const auto& run : runs_) processes.push_back(origin_of(run));
  session_of_ = sessions_of(processes);
  records_.resize(number_of_sessions(processes));
  for (std::size_t i = 0; i < processes.size(); ++i) {
    auto& session = records_[session_of_[i]];
    const auto& started = processes[i].started;
    if (!session.begin || (started && *started < *session.begin)) session.begin = started;
    ++session.runs;
    if (i < line.processes.size())
      session.of_baseline = true;
    else
      record_run(runs_[i - line.processes.size()], session, may_differ);
  }
}

costs time_line::costs_of_benchmark(const std::string& name, const history& history) const {
  gate::history all;
  all.figures = history.figures;
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const auto measured = runs_[i].benchmarks.find(name);
    const bool is_usable_here = counts_[i] && measured != runs_[i].benchmarks.end() &&
                                is_same_work(history, measured->second);
    all.figures.push_back(is_usable_here ? figure_of(measured->second, line_.judged_by)
                                         : std::nullopt);
  }
  return costs_of(all, session_of_, records_.size(), line_.judged_by);
}

void time_line::record_run(const run& process, session_record& session,
                           const std::set<std::string>& may_differ) {
  const auto changed = changed_keys(line_, process);
  insert_sorted(session.changed, changed);
  const bool differs = !std::ranges::all_of(
      changed, [&](const std::string& key) { return may_differ.contains(key); });
  const auto doubts = doubts_of(process);
  counts_.push_back(!differs && doubts.empty());
  if (!doubts.empty())
    ++session.doubted[doubts.front()];
  else if (differs)
    ++session.differing;
  session.of_other_procedures = std::max(session.of_other_procedures, other_procedures_in(process));
}

/// Of the line's benchmarks.
std::size_t time_line::other_procedures_in(const run& process) const {
  return static_cast<std::size_t>(std::ranges::count_if(line_.benchmarks, [&](const auto& entry) {
    const auto measured = process.benchmarks.find(entry.first);
    return measured != process.benchmarks.end() && is_usable(measured->second) &&
           is_other_procedure(entry.second.work, measured->second.work);
  }));
}

}  // namespace bench_transfers::gate
