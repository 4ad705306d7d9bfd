#include "gate/check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <regex>
#include <utility>

#include "gate/wording.hpp"
#include "input/printable.hpp"
#include "statistics/location.hpp"

namespace gate {
namespace {

constexpr std::size_t least_new_processes = 3;
/// Operations shorter than this are latency-bound: a call and its wait take 6 to 10 us, so that of
/// longer ones they are less than a fifth, and where latency drifts by 5 %, the threshold for what
/// is bound by it, these drift by less than 1 %.
constexpr double latency_border_ns = 50e3;
/// What clocks and digits cannot tell apart.
constexpr double least_time_difference_ns = 0.5;

bool is_time(const metric& judged_by) {
  return judged_by.key == "real_time" || judged_by.key == "cpu_time";
}

std::optional<double> time_of(double value, const history& of, const metric& judged_by) {
  if (is_time(judged_by)) return value;
  if (judged_by.key == "gb_per_s" && of.bytes) return *of.bytes / value;
  return std::nullopt;
}

costs costs_of(const history& of, std::span<const std::size_t> sessions, std::size_t count,
               const metric& judged_by) {
  costs by_session(count);
  for (std::size_t i = 0; i < of.figures.size(); ++i)
    if (of.figures[i]) by_session[sessions[i]].push_back(cost(*of.figures[i], judged_by));
  return by_session;
}

std::vector<double> joined(const costs& sessions) {
  std::vector<double> all;
  for (const auto& one : sessions) all.insert(all.end(), one.begin(), one.end());
  return all;
}

/// The baseline's part of what is compared.
observed observed_in(const history& of, std::span<const std::size_t> sessions, std::size_t count,
                     const metric& judged_by) {
  observed one;
  one.before = costs_of(of, sessions, count, judged_by);
  const double centre = value_of(statistics::location(joined(one.before)), judged_by);
  const auto time = time_of(centre, of, judged_by);
  one.latency_bound = time && *time < latency_border_ns;
  if (is_time(judged_by)) one.least_deviation = least_time_difference_ns / centre;
  return one;
}

std::vector<process> origins_of(std::span<const run> runs) {
  std::vector<process> all;
  for (const auto& one : runs) all.push_back(origin_of(one));
  return all;
}

std::regex compiled(const std::string& expression) {
  try {
    return std::regex(expression, std::regex::extended);
  } catch (const std::regex_error&) {
    throw bad_input(fmt::format("--allow-missing='{}' is not a regular expression", expression));
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
  std::vector<changed_fact> found;
  for (const auto& one : after)
    for (auto& what : differences(before.machine, one.machine)) {
      // What the baseline does not have it cannot hold against anybody.
      if (what.before.empty()) continue;
      const bool is_new = std::ranges::none_of(found, [&](const changed_fact& known) {
        return known.what.key == what.key && known.what.after == what.after;
      });
      const bool is_allowed = allowed.contains(what.key);
      if (is_new) found.push_back({std::move(what), is_allowed});
    }
  return found;
}

verdict verdict_of(outcome one) {
  switch (one) {
    case outcome::slower: return verdict::slower;
    case outcome::faster: return verdict::faster;
    case outcome::ambiguous: return verdict::ambiguous;
    case outcome::same: break;
  }
  return verdict::same;
}

/// Worst first.
int rank(const line& one) {
  switch (one.found) {
    case verdict::slower: return 0;
    case verdict::ambiguous: return 1;
    case verdict::missing: return one.excused ? 5 : 2;
    case verdict::faster: return 3;
    case verdict::added: return 4;
    case verdict::same: break;
  }
  return 6;
}

class checking {
 public:
  checking(const baseline& before, std::span<const run> after, const question& asked)
      : before_(before), after_(after), excused_(compiled(asked.allow_missing)) {
    result_.asked = asked;
    result_.judged_by = before.judged_by;
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
    for (const auto& one : after_) {
      const auto file = input::printable(one.file.string());
      if (!one.faults.empty())
        result_.notes.push_back(fmt::format("{} has faults injected on purpose: {}", file,
                                            fmt::join(one.faults, ", ")));
      if (!one.complete) result_.notes.push_back(fmt::format("{} was interrupted", file));
    }
    if (!result_.has_fingerprint)
      result_.notes.emplace_back(
          "these files do not say on which machine they were made: whether it is the same is not "
          "checked");
    if (result_.sessions_before < 2)
      result_.notes.emplace_back(
          "the baseline is of one session: how much sessions differ is judged from this check "
          "alone, or assumed");
  }

  /// The new runs' figures of a benchmark, and why they are too few.
  std::pair<history, std::string> new_figures(const std::string& name) const {
    history figures;
    std::size_t failed = 0;
    std::size_t usable = 0;
    bool unjudged = false;
    for (const auto& one : after_) {
      unjudged = unjudged || std::ranges::find(one.unjudged, name) != one.unjudged.end();
      const auto found = one.benchmarks.find(name);
      figures.figures.emplace_back();
      if (found == one.benchmarks.end()) continue;
      if (found->second.failed > 0) ++failed;
      figures.figures.back() = figure_of(found->second, before_.judged_by);
      if (figures.figures.back()) ++usable;
    }
    if (failed > 0) return {figures, fmt::format("failed in {} of {} runs", failed, after_.size())};
    if (usable == 0 && unjudged)
      return {figures, fmt::format("has no repetitions with '{}'", before_.judged_by.key)};
    if (usable == 0) return {figures, "not measured"};
    if (usable < least_new_processes)
      return {figures, fmt::format("measured by {} of {} runs, {} are needed", usable,
                                   after_.size(), least_new_processes)};
    return {figures, ""};
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
      auto one = observed_in(known, sessions_before, result_.sessions_before, before_.judged_by);
      line entry;
      entry.name = name;
      entry.latency_bound = one.latency_bound;
      entry.threshold = result_.asked.allowed.threshold_for(one.latency_bound);
      entry.before = value_of(statistics::location(joined(one.before)), before_.judged_by);
      auto [figures, why_not] = new_figures(name);
      one.after = costs_of(figures, sessions_after_, result_.sessions_after, before_.judged_by);
      if (const auto values = joined(one.after); !values.empty())
        entry.after = value_of(statistics::location(values), before_.judged_by);
      if (why_not.empty()) {
        compared.push_back(std::move(one));
        places.push_back(result_.lines.size());
      } else {
        entry.found = verdict::missing;
        entry.note = why_not;
        entry.excused = is_excused(name);
      }
      result_.lines.push_back(std::move(entry));
    }
    if (compared.empty()) return;
    auto judgement = compare(compared, result_.asked.allowed);
    result_.classes = std::move(judgement.classes);
    for (std::size_t i = 0; i < places.size(); ++i) {
      auto& entry = result_.lines[places[i]];
      entry.judgement = judgement.benchmarks[i];
      entry.found = verdict_of(entry.judgement->verdict);
      entry.advisory = slowdown(entry.judgement->resolution) > entry.threshold;
    }
  }

  void note_new_benchmarks() {
    std::set<std::string> added;
    for (const auto& one : after_)
      for (const auto& [name, figures] : one.benchmarks)
        if (!before_.benchmarks.contains(name)) added.insert(name);
    for (const auto& name : added) {
      line entry;
      entry.name = name;
      entry.found = verdict::added;
      result_.lines.push_back(std::move(entry));
    }
  }

  const baseline& before_;
  std::span<const run> after_;
  std::regex excused_;
  std::vector<std::size_t> sessions_after_;
  report result_;
};

}  // namespace

void conclude(report& answer) {
  auto& reasons = answer.reasons;
  reasons.clear();
  answer.code = exit_code::pass;
  const auto differing =
      std::ranges::count_if(answer.changed, [](const changed_fact& one) { return !one.allowed; });
  if (differing > 0)
    reasons.push_back(fmt::format("the machine is not the baseline's: {} {}", differing,
                                  differing == 1 ? "difference" : "differences"));
  if (answer.processes_after < least_new_processes)
    reasons.push_back(fmt::format("{} of {} runs that a verdict needs", answer.processes_after,
                                  least_new_processes));
  const auto missing = std::ranges::count_if(
      answer.lines, [](const line& one) { return one.found == verdict::missing && !one.excused; });
  if (missing > 0 && answer.processes_after >= least_new_processes)
    reasons.push_back(fmt::format("{} of the baseline's benchmarks {} missing or failed", missing,
                                  missing == 1 ? "is" : "are"));
  for (const auto& one : answer.classes)
    if (one.changed)
      reasons.push_back(fmt::format(
          "the environment changed: the {} benchmarks that {} decides are {} {} as a whole",
          one.benchmarks, one.latency_bound ? "latency" : "bandwidth",
          percent_text(std::abs(slowdown(one.shift))), one.shift > 0 ? "slower" : "faster"));
  if (const auto unsure = answer.count(verdict::ambiguous); unsure > 0)
    reasons.push_back(fmt::format("{} {} ambiguous: more runs would tell", unsure,
                                  unsure == 1 ? "benchmark is" : "benchmarks are"));
  if (answer.too_noisy())
    reasons.push_back(fmt::format(
        "too noisy: in {} of {} benchmarks a slowdown of the threshold would go unnoticed",
        answer.advisory(), answer.compared()));
  if (answer.compared() == 0 && missing == 0)
    reasons.emplace_back("no benchmark could be compared");

  // Where the machine is another one, that explains what is slower.
  if (answer.count(verdict::slower) > 0 && differing == 0)
    answer.code = exit_code::regression;
  else if (!reasons.empty())
    answer.code = exit_code::inconclusive;
  std::ranges::stable_sort(answer.lines, {}, [](const line& one) {
    return std::pair(rank(one), one.judgement ? -std::abs(one.judgement->shift) : 0.0);
  });
}

std::string to_string(verdict one) {
  switch (one) {
    case verdict::slower: return "slower";
    case verdict::faster: return "faster";
    case verdict::ambiguous: return "ambiguous";
    case verdict::missing: return "missing";
    case verdict::added: return "new";
    case verdict::same: break;
  }
  return "same";
}

double slowdown(double shift) { return std::expm1(shift); }

std::size_t report::count(verdict one) const {
  return static_cast<std::size_t>(std::ranges::count(lines, one, &line::found));
}

std::size_t report::advisory() const {
  return static_cast<std::size_t>(std::ranges::count(lines, true, &line::advisory));
}

std::size_t report::compared() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(lines, [](const line& one) { return one.judgement.has_value(); }));
}

bool report::too_noisy() const {
  const auto all = compared();
  return 10 * (all - advisory()) < all;
}

report check(const baseline& before, std::span<const run> after, const question& asked) {
  if (after.empty()) throw bad_input("no runs to check");
  require_like(before, after.front());
  require_comparable(after, before.processes);
  return checking(before, after, asked).answer();
}

std::vector<power_line> power(const baseline& before, std::size_t new_runs, const limits& allowed) {
  constexpr std::size_t most_runs = 50;
  const auto sessions = sessions_of(before.processes);
  const auto count = number_of_sessions(before.processes);
  std::vector<observed> all;
  std::vector<power_line> lines;
  for (const auto& [name, known] : before.benchmarks) {
    all.push_back(observed_in(known, sessions, count, before.judged_by));
    const auto& one = all.back();
    power_line entry;
    entry.name = name;
    entry.latency_bound = one.latency_bound;
    entry.threshold = allowed.threshold_for(one.latency_bound);
    entry.before = value_of(statistics::location(joined(one.before)), before.judged_by);
    lines.push_back(std::move(entry));
  }
  const auto found = detectable(all, new_runs, allowed);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i].detectable = slowdown(found[i].detectable);
    lines[i].detectable_surely = slowdown(found[i].detectable_surely);
    lines[i].advisory = slowdown(found[i].resolution) > lines[i].threshold;
    lines[i].process_deviation = found[i].process_deviation;
    lines[i].session_deviation = found[i].session_deviation;
  }
  for (std::size_t runs = least_new_processes; runs <= most_runs; ++runs) {
    const auto with_runs = detectable(all, runs, allowed);
    for (std::size_t i = 0; i < lines.size(); ++i)
      if (!lines[i].runs_needed && slowdown(with_runs[i].resolution) <= lines[i].threshold)
        lines[i].runs_needed = runs;
  }
  return lines;
}

}  // namespace gate
