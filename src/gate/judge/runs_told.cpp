#include "src/gate/judge/runs_told.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/common/text.hpp"
#include "src/gate/judge/lineage.hpp"
#include "src/gate/model/bad_input.hpp"
#include "src/gate/model/identity.hpp"

namespace bench_transfers::gate {
namespace {

/// Of each run.
using all_differences = std::vector<std::vector<difference>>;

all_differences differences_of(const baseline& before, std::span<const run> after) {
  all_differences differing;
  for (const auto& process : after) differing.push_back(differences_from(before, process));
  return differing;
}

std::vector<changed_fact> changed_facts(const all_differences& differing,
                                        const std::set<std::string>& allow_different) {
  std::vector<changed_fact> changes;
  for (const auto& of_run : differing)
    for (const auto& fact : of_run) {
      const bool is_new = std::ranges::none_of(changes, [&](const changed_fact& change) {
        return change.fact.key == fact.key &&
               (change.fact.after == fact.after || fact.key == started_key);
      });
      if (is_new) changes.push_back({fact, allow_different.contains(fact.key)});
    }
  return changes;
}

/// Runs that began before the newest session of the baseline.
std::size_t count_older(const all_differences& differing) {
  return static_cast<std::size_t>(std::ranges::count_if(differing, [](const auto& of_run) {
    return std::ranges::find(of_run, started_key, &difference::key) != of_run.end();
  }));
}

/// Of a card that no run of the baseline is of. Unknown cards may be the same.
bool is_other_machine(const baseline& before, std::span<const run> after) {
  const auto has_card = [](const std::string& card) {
    return [&card](const process& process) { return process.card == card || process.card.empty(); };
  };
  return std::ranges::any_of(after, [&](const run& run) {
    return !run.card.empty() && std::ranges::none_of(before.processes, has_card(run.card));
  });
}

/// Whether each session is of a card of its own.
bool are_machines(const baseline& before) {
  std::set<std::string> cards;
  for (const auto& process : before.processes)
    if (!process.card.empty()) cards.insert(process.card);
  return cards.size() == number_of_sessions(before.processes);
}

bool has_means(const baseline& before) {
  return std::ranges::any_of(before.benchmarks, [](const auto& entry) {
    return has_all(entry.second, entry.second.means);
  });
}

void add_notes_of_file(report& answer, const run& process) {
  const auto file = common::printable(process.file.string());
  if (!process.faults.empty())
    answer.notes.emplace_back(notes::faults_injected{file, process.faults});
  if (!process.complete) answer.notes.emplace_back(notes::interrupted{file});
  for (const auto& warning : process.warnings)
    if (concerns_figures(warning))
      answer.notes.emplace_back(notes::warned{file, warning.code, warning.text});
}

void add_notes(report& answer, const baseline& before, std::span<const run> after) {
  for (const auto& process : after) {
    if (process.tells_of_file()) add_notes_of_file(answer, process);
    if (process.parts > 1)
      answer.notes.emplace_back(
          notes::in_parts{common::printable(process.file.string()), process.parts});
    if (is_disturbed(process)) ++answer.disturbed_runs;
  }
  const auto undated = std::ranges::count_if(
      after, [&](const run& process) { return !is_age_known(before, process); });
  if (undated > 0)
    answer.notes.emplace_back(notes::age_unknown{static_cast<std::size_t>(undated), after.size()});
  if (!answer.has_fingerprint) answer.notes.emplace_back(notes::no_fingerprint{});
  if (const auto slower = slower_than_first(before, answer.question.limits); slower.count > 0)
    answer.notes.emplace_back(notes::baseline_crept{slower.count, slower.worst, slower.slowdown});
  if (answer.sessions_before < 2) answer.notes.emplace_back(notes::one_session{});
}

}  // namespace

metric metric_of(const baseline& before, std::span<const run> after) {
  const auto& pinned = before.judged_by;
  const auto declared = declaration_in(after, pinned);
  if (!declared) return pinned;
  const bool other_unit = !pinned.unit().empty() && declared->unit != pinned.unit();
  const bool other_kind = pinned.declared && declared->kind != pinned.declared->kind;
  if (other_unit || other_kind)
    throw bad_input(
        fmt::format("the runs have {} in '{}', the baseline in '{}', or as another kind of metric",
                    common::printable_in_short(pinned.key), declared->unit, pinned.unit()));
  return pinned;
}

limits limits_for(const baseline& before, std::span<const run> after, limits given) {
  given.other_machine = is_other_machine(before, after);
  given.sessions_are_machines = are_machines(before);
  return given;
}

report told_of_runs(const baseline& before, std::span<const run> after, const question& question) {
  report answer;
  answer.question = question;
  answer.judged_by = metric_of(before, after);
  answer.has_means = has_means(before);
  answer.device = before.device;
  answer.on_host = before.on_host;
  for (const auto& run : after)
    if (!run.card.empty()) answer.cards.insert(run.card);
  answer.has_fingerprint = !before.machine.empty();
  answer.processes_before = before.processes.size();
  answer.sessions_before = number_of_sessions(before.processes);
  answer.processes_after = after.size();
  answer.sessions_after = number_of_sessions(origins_of(after));
  const auto differing = differences_of(before, after);
  answer.changed = changed_facts(differing, question.allow_different);
  if (!question.allow_different.contains(std::string(started_key)))
    answer.older_runs = count_older(differing);
  add_notes(answer, before, after);
  return answer;
}

}  // namespace bench_transfers::gate
