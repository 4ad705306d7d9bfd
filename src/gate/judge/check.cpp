#include "src/gate/judge/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>
#include <variant>

#include "src/common/regular_expression.hpp"
#include "src/common/text.hpp"
#include "src/gate/judge/capability.hpp"
#include "src/gate/judge/conclude.hpp"
#include "src/gate/judge/lineage.hpp"
#include "src/gate/judge/observe.hpp"
#include "src/gate/model/bad_input.hpp"
#include "src/gate/model/identity.hpp"

namespace bench_transfers::gate {
namespace {

std::vector<process> origins_of(std::span<const run> runs) {
  std::vector<process> origins;
  for (const auto& run : runs) origins.push_back(origin_of(run));
  return origins;
}

std::regex compiled(const std::string& expression) {
  try {
    return common::regular_expression(expression);
  } catch (const common::expression_error& error) {
    throw bad_input(fmt::format("--allow-missing='{}' {}", common::printable_in_short(expression),
                                error.what()));
  }
}

void require_same_kind(const baseline& before, const run& first) {
  if (before.ours != first.ours)
    throw bad_input(fmt::format("'{}' was made by another program than the baseline's runs",
                                first.file.string()));
  if (before.on_host != first.on_host)
    throw bad_input(fmt::format("'{}' was made {} a GPU, the baseline's runs {} one",
                                first.file.string(), first.on_host ? "without" : "with",
                                before.on_host ? "without" : "with"));
}

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

/// The baseline's metric. The new runs' declaration must agree with it and does not change it:
/// otherwise a run could choose the threshold that it is judged by.
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

verdict verdict_of(outcome value) {
  switch (value) {
    case outcome::slower: return verdict::slower;
    case outcome::faster: return verdict::faster;
    case outcome::ambiguous: return verdict::ambiguous;
    case outcome::unchanged: return verdict::unchanged;
    case outcome::not_known: break;
  }
  return verdict::not_known;
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
  return std::ranges::any_of(before.benchmarks,
                             [](const auto& entry) { return has_all_means(entry.second); });
}

/// The look of each run, in the order of time. Runs that do not fill a look belong to the last one.
std::vector<std::size_t> looks_of(std::span<const process> runs, std::size_t look_runs) {
  std::vector<std::size_t> order(runs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return runs[i].started; });
  const auto looks = std::max<std::size_t>(1, runs.size() / look_runs);
  std::vector<std::size_t> result(runs.size());
  for (std::size_t place = 0; place < order.size(); ++place)
    result[order[place]] = std::min(place / look_runs, looks - 1);
  return result;
}

class checking {
 public:
  checking(const baseline& before, std::span<const run> after, const question& question)
      : before_(before), after_(after), excused_(compiled(question.allow_missing)) {
    result_.question = question;
    result_.judged_by = metric_of(before, after);
    auto [classes, deciding, limits] = stakes_of(before, question.limits, question.decide_by);
    classes_ = std::move(classes);
    deciding_ = std::move(deciding);
    limits.other_machine = is_other_machine(before, after);
    limits.sessions_are_machines = are_machines(before);
    result_.question.limits = std::move(limits);
    result_.has_means = has_means(before);
    result_.device = before.device;
    result_.on_host = before.on_host;
    for (const auto& run : after)
      if (!run.card.empty()) result_.cards.insert(run.card);
    result_.has_fingerprint = !before.machine.empty();
    result_.processes_before = before.processes.size();
    result_.sessions_before = number_of_sessions(before.processes);
    result_.processes_after = after.size();
    const auto origins = origins_of(after);
    sessions_after_ = sessions_of(origins);
    result_.sessions_after = number_of_sessions(origins);
    const auto differing = differences_of(before, after);
    result_.changed = changed_facts(differing, question.allow_different);
    if (!question.allow_different.contains(std::string(started_key)))
      result_.older_runs = count_older(differing);
    looks_after_ = looks_of(origins, question.look_runs);
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
      if (process.parts > 1) result_.notes.emplace_back(notes::in_parts{file, process.parts});
      note_warnings(process, file);
    }
    const auto undated = std::ranges::count_if(
        after_, [&](const run& process) { return !is_age_known(before_, process); });
    if (undated > 0)
      result_.notes.emplace_back(
          notes::age_unknown{static_cast<std::size_t>(undated), after_.size()});
    if (!result_.has_fingerprint) result_.notes.emplace_back(notes::no_fingerprint{});
    if (const auto slower = slower_than_first(before_, result_.question.limits); slower.count > 0)
      result_.notes.emplace_back(
          notes::baseline_crept{slower.count, slower.worst, slower.slowdown});
    if (result_.sessions_before < 2) result_.notes.emplace_back(notes::one_session{});
  }

  void note_warnings(const run& process, const std::string& file) {
    for (const auto& warning : process.warnings)
      if (concerns_figures(warning))
        result_.notes.emplace_back(notes::warned{file, warning.code, warning.text});
    if (is_disturbed(process)) ++result_.disturbed_runs;
  }

  /// New runs with and without a benchmark.
  struct run_counts {
    std::size_t failed = 0;
    std::size_t usable = 0;    ///< with a figure
    std::size_t lacking = 0;   ///< without the benchmark, though they were not interrupted
    std::size_t cut_off = 0;   ///< without the benchmark, because they were interrupted
    std::size_t unjudged = 0;  ///< without the field judged by
    std::size_t few = 0;       ///< with too few repetitions
  };

  [[nodiscard]] std::optional<remark> why_too_few(const run_counts& counts) const {
    const auto runs = after_.size();
    if (counts.failed > 0) return remarks::failed{counts.failed, runs};
    if (counts.usable == 0 && counts.unjudged > 0)
      return remarks::no_such_field{result_.judged_by.key};
    if (counts.usable + counts.few == 0) return remarks::not_measured{};
    // Most runs could have been interrupted where they were slow.
    if (counts.few > 0 &&
        (4 * (counts.few + counts.cut_off) > runs || counts.usable < least_new_processes))
      return remarks::few_repetitions{counts.few, runs};
    if (counts.lacking > 0 || 4 * counts.cut_off > runs)
      return remarks::measured_by_some{counts.usable, runs};
    if (counts.usable < least_new_processes)
      return remarks::too_few_runs{counts.usable, runs, least_new_processes};
    return std::nullopt;
  }

  /// The new runs' figures of a benchmark and, if they are too few, the reason.
  [[nodiscard]] std::pair<history, std::optional<remark>> new_figures(
      const std::string& name) const {
    history figures;
    run_counts counts;
    for (const auto& process : after_) {
      if (std::ranges::find(process.unjudged, name) != process.unjudged.end()) ++counts.unjudged;
      const auto benchmark = process.benchmarks.find(name);
      figures.figures.emplace_back();
      figures.means.emplace_back();
      if (benchmark == process.benchmarks.end()) {
        ++(process.complete ? counts.lacking : counts.cut_off);
        continue;
      }
      if (benchmark->second.failed > 0) ++counts.failed;
      figures.figures.back() = figure_of(benchmark->second, result_.judged_by);
      figures.means.back() = mean_of(benchmark->second, result_.judged_by);
      if (figures.figures.back())
        ++counts.usable;
      else if (benchmark->second.failed == 0)
        ++counts.few;
    }
    return {std::move(figures), why_too_few(counts)};
  }

  /// A benchmark that moves less, or does less, is faster, and not better.
  [[nodiscard]] std::optional<remark> other_work(const std::string& name) const {
    const auto& known = before_.benchmarks.at(name);
    const auto& before = known.bytes;
    for (const auto& process : after_) {
      const auto benchmark = process.benchmarks.find(name);
      if (benchmark == process.benchmarks.end()) continue;
      if (!is_usable(benchmark->second)) continue;
      if (is_other_procedure(known.work, benchmark->second.work))
        return remarks::other_procedure{known.work.procedure, benchmark->second.work.procedure};
      const double after = benchmark->second.bytes.value_or(0);
      if (before && !is_same_number(*before, after)) return remarks::other_bytes{*before, after};
      if (auto other = difference_of(known.work, benchmark->second.work))
        return remarks::other_work{other->key, other->before, other->after};
    }
    return std::nullopt;
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
    // std::regex uses stack space for each character: an absurd name must not crash the program.
    constexpr std::size_t longest_name = 4096;
    return !result_.question.allow_missing.empty() && name.size() <= longest_name &&
           std::regex_search(name, excused_);
  }

  void compare_benchmarks() {
    const auto sessions_before = sessions_of(before_.processes);
    for (const auto& [name, history] : before_.benchmarks) {
      auto observed = observe(history, sessions_before, result_.sessions_before, result_.judged_by);
      const auto figures = add_benchmark(name, observed);
      if (!figures) continue;
      add_means(history, *figures, sessions_before, observed.kind);
      medians_.observations.push_back(std::move(observed));
      medians_.places.push_back(result_.findings.size() - 1);
    }
    add_classes();
    for (const auto& crept : crept_classes(before_, result_.question.limits))
      class_of_kind(crept.kind).crept = crept.slowdown;
    judge();
    if (benchmarks_with_slow_runs_ > 0)
      result_.notes.emplace_back(notes::slow_runs{benchmarks_with_slow_runs_});
  }

  /// What is compared, and where its findings are.
  struct comparison_of {
    std::vector<observation> observations;
    std::vector<std::size_t> places;
  };

  void add_new_runs(const history& figures, observation& observed) const {
    const auto& judged_by = result_.judged_by;
    const auto looks = looks_after_.empty() ? 0 : std::ranges::max(looks_after_) + 1;
    observed.after = costs_of(figures, sessions_after_, result_.sessions_after, judged_by);
    observed.looks = costs_of(figures, looks_after_, looks, judged_by);
  }

  /// The class is that of the medians.
  void add_means(const history& before, const history& after,
                 std::span<const std::size_t> sessions_before, benchmark_class kind) {
    const auto means_before = by_means(before);
    const auto means_after = by_means(after);
    if (!means_before || !means_after) return;
    auto observed =
        observe(*means_before, sessions_before, result_.sessions_before, result_.judged_by);
    observed.kind = kind;
    add_new_runs(*means_after, observed);
    means_.observations.push_back(std::move(observed));
    means_.places.push_back(result_.findings.size() - 1);
  }

  /// Adds the new runs to what was observed in the baseline. Returns their figures if they are
  /// enough to compare.
  std::optional<history> add_benchmark(const std::string& name, observation& observed) {
    const auto& judged_by = result_.judged_by;
    finding entry;
    entry.name = name;
    entry.kind = observed.kind;
    entry.threshold = result_.question.limits.threshold_for(observed.kind);
    entry.before = centre_of(observed.before, judged_by);
    auto [figures, cause] = new_figures(name);
    if (const auto other = other_work(name); other && !cause) cause = other;
    add_new_runs(figures, observed);
    if (!joined(observed.after).empty()) entry.after = centre_of(observed.after, judged_by);
    const bool is_enough = !cause;
    if (is_enough) {
      entry.shifts = shifts_of(figures, *entry.before);
    } else {
      const bool was_measured = std::holds_alternative<remarks::few_repetitions>(*cause);
      entry.result = was_measured ? verdict::not_known : verdict::missing;
      entry.note = std::move(cause);
      entry.excused = is_excused(name);
    }
    result_.findings.push_back(std::move(entry));
    return is_enough ? std::optional(std::move(figures)) : std::nullopt;
  }

  /// A tenth of the rate of false alarms is that of the means, which are judged by wider limits.
  void judge() {
    constexpr double part_of_means = 0.1;
    auto limits = result_.question.limits;
    auto mean_limits = limits_of_means(limits);
    if (!means_.observations.empty()) {
      mean_limits.false_alarm *= part_of_means;
      limits.false_alarm *= 1 - part_of_means;
    }
    const auto medians = compare(medians_.observations, limits);
    for (const auto& shared : medians.classes) class_of_kind(shared.kind).shared = shared;
    for (std::size_t i = 0; i < medians_.places.size(); ++i) {
      auto& entry = result_.findings[medians_.places[i]];
      entry.judgement = medians.benchmarks[i];
      entry.result = verdict_of(entry.judgement->verdict);
      entry.advisory = is_advisory(*entry.judgement, entry.threshold);
      remark_on_slow_runs(entry);
      doubt_implausible(entry);
    }
    const auto means = compare(means_.observations, mean_limits);
    for (const auto& shared : means.classes) class_of_kind(shared.kind).shared_by_mean = shared;
    for (std::size_t i = 0; i < means_.places.size(); ++i) {
      auto& entry = result_.findings[means_.places[i]];
      entry.by_mean = means.benchmarks[i];
      entry.mean_threshold = mean_limits.threshold_for(entry.kind);
      judge_by_mean(entry);
    }
    for (auto& part : result_.classes) part.mean_threshold = mean_limits.threshold_for(part.kind);
  }

  /// The mean tells what the median does not show.
  static void judge_by_mean(finding& entry) {
    const auto of_mean = verdict_of(entry.by_mean->verdict);
    const bool is_worse = (of_mean == verdict::slower && entry.result != verdict::slower) ||
                          (of_mean == verdict::ambiguous && entry.result != verdict::slower &&
                           entry.result != verdict::ambiguous);
    if (!is_worse) return;
    entry.result = of_mean;
    entry.is_by_mean = true;
    entry.note = remarks::mean_slower{slowdown(entry.by_mean->shift)};
  }

  void remark_on_slow_runs(finding& entry) {
    const auto slow = entry.judgement->slow_processes;
    const auto state = entry.judgement->sighting;
    if (slow == 0 || (entry.result == verdict::slower && state != sighting::again)) return;
    double slowest = 0;
    for (const auto& shift : entry.shifts) slowest = std::max(slowest, shift.value_or(0));
    entry.note = remarks::slow_runs{slow, after_.size(), slowdown(slowest)};
    ++benchmarks_with_slow_runs_;
  }

  /// A benchmark that moves no data is fast, too.
  static void doubt_implausible(finding& entry) {
    constexpr double most = 20;
    const double factor = std::exp(-entry.judgement->shift);
    if (factor < most) return;
    entry.result = verdict::ambiguous;
    entry.note = remarks::implausibly_fast{factor};
  }

  class_answer& class_of_kind(benchmark_class kind) {
    return *std::ranges::find(result_.classes, kind, &class_answer::kind);
  }

  void add_class(benchmark_class kind) {
    class_answer part;
    part.kind = kind;
    part.decides = deciding_.contains(kind);
    part.able = std::ranges::find(classes_, kind, &capability::kind)->able;
    result_.classes.push_back(std::move(part));
  }

  void add_classes() {
    for (const auto kind : all_classes)
      if (std::ranges::find(result_.findings, kind, &finding::kind) != result_.findings.end())
        add_class(kind);
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
  std::vector<capability> classes_;
  std::set<benchmark_class> deciding_;
  std::vector<std::size_t> sessions_after_, looks_after_;
  comparison_of medians_, means_;
  std::size_t benchmarks_with_slow_runs_ = 0;
  report result_;
};

}  // namespace

void require_classes(const baseline& before, const question& question) {
  const auto sessions = sessions_of(before.processes);
  const auto count = number_of_sessions(before.processes);
  std::set<benchmark_class> present;
  for (const auto& [name, history] : before.benchmarks)
    present.insert(observe(history, sessions, count, before.judged_by).kind);
  for (const auto kind : question.decide_by)
    if (!present.contains(kind))
      throw bad_input(fmt::format(
          "--decide-by={0}: the baseline has no benchmarks of the class {0}", to_string(kind)));
}

void require_like(const baseline& before, std::span<const run> after) {
  if (after.empty()) return;
  require_same_kind(before, after.front());
  static_cast<void>(metric_of(before, after));
}

report check(const baseline& before, std::span<const run> after, const question& question) {
  if (after.empty()) throw bad_input("no runs to check");
  require_like(before, after);
  require_comparable(after, before.processes);
  require_classes(before, question);
  return checking(before, after, question).answer();
}

}  // namespace bench_transfers::gate
