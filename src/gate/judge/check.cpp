#include "src/gate/judge/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/common/printable.hpp"
#include "src/common/regular_expression.hpp"
#include "src/gate/judge/conclude.hpp"
#include "src/gate/judge/observe.hpp"
#include "src/gate/model/bad_input.hpp"

namespace bench_transfers::gate {
namespace {

std::vector<process> origins_of(std::span<const run> runs) {
  std::vector<process> all;
  for (const auto& run : runs) all.push_back(origin_of(run));
  return all;
}

std::regex compiled(const std::string& expression) {
  try {
    return common::regular_expression(expression);
  } catch (const common::expression_error& wrong) {
    throw bad_input(fmt::format("--allow-missing='{}' {}", common::printable_in_short(expression),
                                wrong.what()));
  }
}

void require_like(const baseline& before, const run& first) {
  if (before.ours != first.ours)
    throw bad_input(fmt::format("'{}' was made by another program than the baseline's runs",
                                first.file.string()));
  if (before.on_host != first.on_host)
    throw bad_input(fmt::format("'{}' was made {} a GPU, the baseline's runs {} one",
                                first.file.string(), first.on_host ? "without" : "with",
                                before.on_host ? "without" : "with"));
}

std::vector<changed_fact> changed_facts(const baseline& before, std::span<const run> after,
                                        const std::set<std::string>& allowed) {
  std::vector<changed_fact> changes;
  for (const auto& process : after)
    for (auto& fact : differences(before.machine, process.machine)) {
      // What the baseline does not have it cannot hold against anybody.
      if (fact.before.empty()) continue;
      const bool is_new = std::ranges::none_of(changes, [&](const changed_fact& known) {
        return known.fact.key == fact.key && known.fact.after == fact.after;
      });
      const bool is_allowed = allowed.contains(fact.key);
      if (is_new) changes.push_back({std::move(fact), is_allowed});
    }
  return changes;
}

/// The baseline's: what the new runs declare must agree with it and changes nothing, lest a run
/// choose the threshold that it is judged by.
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

verdict verdict_of(outcome judged) {
  switch (judged) {
    case outcome::slower: return verdict::slower;
    case outcome::faster: return verdict::faster;
    case outcome::ambiguous: return verdict::ambiguous;
    case outcome::same: break;
  }
  return verdict::same;
}

class checking {
 public:
  checking(const baseline& before, std::span<const run> after, const question& asked)
      : before_(before), after_(after), excused_(compiled(asked.allow_missing)) {
    result_.asked = asked;
    result_.judged_by = metric_of(before, after);
    result_.device = before.device;
    result_.on_host = before.on_host;
    result_.has_fingerprint = !before.machine.empty();
    result_.processes_before = before.processes.size();
    result_.sessions_before = number_of_sessions(before.processes);
    result_.processes_after = after.size();
    const auto origins = origins_of(after);
    sessions_after_ = sessions_of(origins);
    result_.sessions_after = number_of_sessions(origins);
    result_.changed = changed_facts(before, after, asked.allow_different);
  }

  report answer() {
    note_runs();
    compare_benchmarks();
    note_new_benchmarks();
    conclude(result_);
    return std::move(result_);
  }

 private:
  void note_runs() {
    for (const auto& process : after_) {
      const auto file = common::printable(process.file.string());
      if (!process.faults.empty())
        result_.notes.emplace_back(notes::faults_injected{file, process.faults});
      if (!process.complete) result_.notes.emplace_back(notes::interrupted{file});
    }
    if (!result_.has_fingerprint) result_.notes.emplace_back(notes::no_fingerprint{});
    if (!before_.settings_covered) result_.notes.emplace_back(notes::settings_not_covered{});
    if (result_.sessions_before < 2) result_.notes.emplace_back(notes::one_session{});
  }

  /// The new runs' figures of a benchmark, and why they are too few.
  [[nodiscard]] std::pair<history, std::optional<remark>> new_figures(
      const std::string& name) const {
    history figures;
    std::size_t failed = 0;
    std::size_t usable = 0;
    std::size_t lacking = 0;  // of the runs that were not interrupted
    bool unjudged = false;
    for (const auto& process : after_) {
      unjudged = unjudged || std::ranges::find(process.unjudged, name) != process.unjudged.end();
      const auto benchmark = process.benchmarks.find(name);
      figures.figures.emplace_back();
      if (benchmark == process.benchmarks.end()) {
        if (process.complete) ++lacking;
        continue;
      }
      if (benchmark->second.failed > 0) ++failed;
      figures.figures.back() = figure_of(benchmark->second, result_.judged_by);
      if (figures.figures.back()) ++usable;
    }
    const auto why_too_few = [&]() -> std::optional<remark> {
      const auto runs = after_.size();
      if (failed > 0) return remarks::failed{failed, runs};
      if (usable == 0 && unjudged) return remarks::no_such_field{result_.judged_by.key};
      if (usable == 0) return remarks::not_measured{};
      if (lacking > 0) return remarks::measured_by_some{usable, runs};
      if (usable < least_new_processes)
        return remarks::too_few_runs{usable, runs, least_new_processes};
      return std::nullopt;
    };
    return {std::move(figures), why_too_few()};
  }

  std::vector<std::optional<double>> shifts_of(const history& figures, double centre) const {
    std::vector<std::optional<double>> shifts;
    const auto& judged_by = result_.judged_by;
    for (const auto& figure : figures.figures)
      shifts.push_back(figure ? std::optional(cost(*figure, judged_by) - cost(centre, judged_by))
                              : std::nullopt);
    return shifts;
  }

  [[nodiscard]] bool is_excused(const std::string& name) const {
    // std::regex takes stack for each character: a name that nobody gave must not end the program.
    constexpr std::size_t longest_name = 4096;
    return !result_.asked.allow_missing.empty() && name.size() <= longest_name &&
           std::regex_search(name, excused_);
  }

  void compare_benchmarks() {
    const auto sessions_before = sessions_of(before_.processes);
    std::vector<observed> compared;
    std::vector<std::size_t> places;
    for (const auto& [name, known] : before_.benchmarks) {
      auto costs = observed_in(known, sessions_before, result_.sessions_before, result_.judged_by);
      if (add_benchmark(name, costs)) {
        compared.push_back(std::move(costs));
        places.push_back(result_.findings.size() - 1);
      }
    }
    if (!compared.empty()) judge(compared, places);
  }

  /// Completes the costs with those of the new runs; whether these are enough to compare.
  bool add_benchmark(const std::string& name, observed& costs) {
    const auto& judged_by = result_.judged_by;
    finding entry;
    entry.name = name;
    entry.latency_bound = costs.latency_bound;
    entry.threshold = result_.asked.allowed.threshold_for(costs.latency_bound);
    entry.before = centre_of(costs.before, judged_by);
    auto [figures, why_not] = new_figures(name);
    costs.after = costs_of(figures, sessions_after_, result_.sessions_after, judged_by);
    if (!joined(costs.after).empty()) entry.after = centre_of(costs.after, judged_by);
    const bool is_enough = !why_not;
    if (is_enough) {
      entry.shifts = shifts_of(figures, *entry.before);
    } else {
      entry.result = verdict::missing;
      entry.note = std::move(why_not);
      entry.excused = is_excused(name);
    }
    result_.findings.push_back(std::move(entry));
    return is_enough;
  }

  void judge(std::span<const observed> compared, std::span<const std::size_t> places) {
    auto judgement = compare(compared, result_.asked.allowed);
    result_.classes = std::move(judgement.classes);
    for (std::size_t i = 0; i < places.size(); ++i) {
      auto& entry = result_.findings[places[i]];
      entry.judgement = judgement.benchmarks[i];
      entry.result = verdict_of(entry.judgement->verdict);
      entry.advisory = is_advisory(*entry.judgement, entry.threshold);
    }
  }

  void note_new_benchmarks() {
    std::set<std::string> added;
    for (const auto& process : after_)
      for (const auto& [name, figures] : process.benchmarks)
        if (!before_.benchmarks.contains(name)) added.insert(name);
    for (const auto& name : added) {
      finding entry;
      entry.name = name;
      entry.result = verdict::added;
      result_.findings.push_back(std::move(entry));
    }
  }

  const baseline& before_;
  std::span<const run> after_;
  std::regex excused_;
  std::vector<std::size_t> sessions_after_;
  report result_;
};

}  // namespace

report check(const baseline& before, std::span<const run> after, const question& asked) {
  if (after.empty()) throw bad_input("no runs to check");
  require_like(before, after.front());
  require_comparable(after, before.processes);
  return checking(before, after, asked).answer();
}

}  // namespace bench_transfers::gate
