#include "src/gate/judge/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "src/common/regular_expression.hpp"
#include "src/common/text.hpp"
#include "src/gate/judge/capability.hpp"
#include "src/gate/judge/conclude.hpp"
#include "src/gate/judge/figure_verdicts.hpp"
#include "src/gate/judge/lineage.hpp"
#include "src/gate/judge/new_runs.hpp"
#include "src/gate/judge/observe.hpp"
#include "src/gate/judge/runs_told.hpp"
#include "src/gate/model/bad_input.hpp"

namespace bench_transfers::gate {
namespace {

/// The benchmarks that may be missing.
class allowed_missing {
 public:
  /// Of a regular expression; empty: none.
  explicit allowed_missing(const std::string& expression) : is_any_(!expression.empty()) {
    try {
      names_ = common::regular_expression(expression);
    } catch (const common::expression_error& error) {
      throw bad_input(fmt::format("--allow-missing='{}' {}", common::printable_in_short(expression),
                                  error.what()));
    }
  }

  [[nodiscard]] bool contains(const std::string& name) const {
    // std::regex uses stack space for each character: an absurd name must not crash the program.
    constexpr std::size_t longest_name = 4096;
    return is_any_ && name.size() <= longest_name && std::regex_search(name, names_);
  }

 private:
  bool is_any_;
  std::regex names_;
};

void require_same_kind(const baseline& before, const run& first) {
  if (before.ours != first.ours)
    throw bad_input(fmt::format("'{}' was made by another program than the baseline's runs",
                                first.file.string()));
  if (before.on_host != first.on_host)
    throw bad_input(fmt::format("'{}' was made {} a GPU, the baseline's runs {} one",
                                first.file.string(), first.on_host ? "without" : "with",
                                before.on_host ? "without" : "with"));
}

/// A figure that benchmarks are judged by: what is compared, within which limits, and where the
/// answer tells of it.
struct judged_figure {
  std::optional<benchmark_judgement> finding::*judgement;
  double finding::*threshold;
  std::optional<common_shift> class_answer::*shared;  ///< null: it tells nothing of a whole class
  gate::limits limits = {};
  std::vector<observation> observations = {};
  std::vector<std::size_t> places = {};  ///< of their findings
};

std::vector<std::optional<double>> shifts_of(const history& figures, double centre,
                                             const metric& judged_by) {
  std::vector<std::optional<double>> shifts;
  for (const auto& figure : figures.figures)
    shifts.push_back(figure ? std::optional(cost(*figure, judged_by) - cost(centre, judged_by))
                            : std::nullopt);
  return shifts;
}

/// Whether each new run that can be judged is much slower than all of the baseline. Then a lack of
/// repetitions excuses nothing.
bool are_all_much_slower(const observation& observed, double threshold) {
  const auto before = joined(observed.before);
  const auto after = joined(observed.after);
  return !before.empty() && !after.empty() &&
         std::ranges::min(after) - std::ranges::max(before) > std::log1p(3 * threshold);
}

class checking {
 public:
  checking(const baseline& before, std::span<const run> after, const question& question)
      : before_(before),
        excused_(question.allow_missing),
        stakes_(stakes_of(before, question.limits, question.decide_by)),
        sessions_before_(sessions_of(before.processes)) {
    auto asked = question;
    asked.limits = limits_for(before, after, stakes_.limits);
    result_ = told_of_runs(before, after, asked);
    medians_.limits = means_.limits = fastest_.limits = result_.question.limits;
  }

  report answer(std::span<const run> after) {
    const new_runs runs(after, result_.judged_by, result_.question.look_runs);
    for (const auto& [name, history] : before_.benchmarks) add_benchmark(name, history, runs);
    add_classes();
    judge();
    add_new_benchmarks(after);
    conclude(result_);
    return std::move(result_);
  }

 private:
  [[nodiscard]] observation observed_in(const history& history) const {
    return observe(history, sessions_before_, result_.sessions_before, result_.judged_by);
  }

  void add_benchmark(const std::string& name, const history& before, const new_runs& runs) {
    const auto& judged_by = result_.judged_by;
    auto observed = observed_in(before);
    auto& entry = result_.findings.emplace_back();
    entry.name = name;
    entry.kind = observed.kind;
    entry.threshold = result_.question.limits.threshold_for(observed.kind);
    entry.before = centre_of(observed.before, judged_by);
    auto [figures, cause] = runs.figures_of(name, before);
    runs.add_to(observed, figures);
    if (!joined(observed.after).empty()) entry.after = centre_of(observed.after, judged_by);
    if (cause) {
      const bool was_measured = std::holds_alternative<remarks::few_repetitions>(*cause);
      entry.result = was_measured ? verdict::not_known : verdict::missing;
      entry.note = std::move(cause);
      entry.excused = excused_.contains(name);
      if (was_measured && !entry.excused && are_all_much_slower(observed, entry.threshold))
        entry.result = verdict::ambiguous;
      return;
    }
    entry.shifts = shifts_of(figures, *entry.before, judged_by);
    add_others(means_, &history::means, before, figures, runs);
    if (stakes_.deciding.contains(entry.kind))
      add_others(fastest_, &history::fastest, before, figures, runs);
    add(medians_, std::move(observed));
  }

  /// The class is that of the medians.
  void add_others(judged_figure& figure, figures_of_processes history::*others,
                  const history& before, const history& after, const new_runs& runs) {
    const auto others_before = by(others, before);
    const auto others_after = by(others, after);
    if (!others_before || !others_after) return;
    auto observed = observed_in(*others_before);
    observed.kind = result_.findings.back().kind;
    runs.add_to(observed, *others_after);
    add(figure, std::move(observed));
  }

  /// Of the benchmark that was added last.
  void add(judged_figure& figure, observation observed) {
    figure.observations.push_back(std::move(observed));
    figure.places.push_back(result_.findings.size() - 1);
  }

  void add_classes() {
    for (const auto kind : all_classes) {
      if (std::ranges::find(result_.findings, kind, &finding::kind) == result_.findings.end())
        continue;
      auto& part = result_.classes.emplace_back();
      part.kind = kind;
      part.decides = stakes_.deciding.contains(kind);
      part.able = std::ranges::find(stakes_.classes, kind, &capability::kind)->able;
    }
    for (const auto& crept : crept_classes(before_, result_.question.limits))
      class_of_kind(crept.kind).crept = crept.slowdown;
  }

  class_answer& class_of_kind(benchmark_class kind) {
    return *std::ranges::find(result_.classes, kind, &class_answer::kind);
  }

  /// The means, which are judged by wider limits, and the fastest operations have small parts of
  /// the rate of false alarms.
  void share_false_alarms() {
    double rest = 1;
    for (auto [figure, part] : {std::pair{&means_, 0.1}, std::pair{&fastest_, 0.05}}) {
      if (figure->observations.empty()) continue;
      figure->limits.false_alarm *= part;
      rest -= part;
    }
    medians_.limits.false_alarm *= rest;
  }

  void judge() {
    means_.limits = limits_of_means(means_.limits);
    share_false_alarms();
    compare_by(medians_, conclude_by_own_figure);
    const auto newest =
        result_.processes_after < 2 * result_.question.look_runs ? look::first : look::later;
    compare_by(fastest_, [&](finding& entry) {
      conclude_by_fastest(entry, class_of_kind(entry.kind), newest);
    });
    compare_by(means_, [&](finding& entry) { conclude_by_mean(entry, newest); });
    for (auto& part : result_.classes) part.mean_threshold = means_.limits.threshold_for(part.kind);
    const auto with_slow_runs = std::ranges::count_if(result_.findings, has_slow_runs);
    if (with_slow_runs > 0)
      result_.notes.emplace_back(notes::slow_runs{static_cast<std::size_t>(with_slow_runs)});
  }

  template <class Conclude>
  void compare_by(const judged_figure& figure, Conclude&& conclude_by) {
    const auto compared = compare(figure.observations, figure.limits);
    if (figure.shared != nullptr)
      for (const auto& shared : compared.classes)
        class_of_kind(shared.kind).*figure.shared = shared;
    for (std::size_t i = 0; i < figure.places.size(); ++i) {
      auto& entry = result_.findings[figure.places[i]];
      entry.*figure.judgement = compared.benchmarks[i];
      entry.*figure.threshold = figure.limits.threshold_for(entry.kind);
      conclude_by(entry);
    }
  }

  void add_new_benchmarks(std::span<const run> after) {
    std::set<std::string> added;
    for (const auto& process : after)
      for (const auto& [name, figures] : process.benchmarks)
        if (!before_.benchmarks.contains(name)) added.insert(name);
    for (const auto& name : added) {
      auto& entry = result_.findings.emplace_back();
      entry.name = name;
      entry.result = verdict::added;
    }
  }

  const baseline& before_;
  allowed_missing excused_;
  stakes stakes_;
  std::vector<std::size_t> sessions_before_;
  judged_figure medians_{&finding::judgement, &finding::threshold, &class_answer::shared};
  judged_figure means_{&finding::by_mean, &finding::mean_threshold, &class_answer::shared_by_mean};
  judged_figure fastest_{&finding::by_fastest, &finding::threshold, nullptr};
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
  static_cast<void>(metric_of(before, after));  // throws for runs that declare another metric
}

report check(const baseline& before, std::span<const run> after, const question& question) {
  if (after.empty()) throw bad_input("no runs to check");
  require_like(before, after);
  require_comparable(after, before.processes);
  require_classes(before, question);
  return checking(before, after, question).answer(after);
}

}  // namespace bench_transfers::gate
