// How often the gate errs on recorded runs: takes some processes out of a baseline, slows them if
// requested, and checks them against the remaining ones. docs/GATE.md has the figures and the
// command.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <exception>
#include <map>
#include <optional>
#include <random>
#include <regex>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "src/gate/io/read_baseline.hpp"
#include "src/gate/judge/check.hpp"
#include "src/gate/judge/conclude.hpp"
#include "src/gate/model/identity.hpp"

using namespace bench_transfers;

namespace {

struct options {
  std::string file;
  std::string slowed_pattern = "^$";
  double slowdown_percent = 0;
  std::size_t checks = 300;
  std::size_t runs = 3;
  std::size_t looks = 1;
  std::uint64_t seed = 1;
  bool whole_sessions = false;
  bool consecutive = false;
  bool names_ambiguous = false;
};

struct slowdown {
  std::set<std::string> benchmarks;
  double factor = 1;
};

/// Indices of a baseline's processes.
using process_indices = std::set<std::size_t>;

gate::baseline without_processes(const gate::baseline& recorded, const process_indices& excluded) {
  gate::baseline remaining = recorded;
  remaining.processes.clear();
  for (std::size_t i = 0; i < recorded.processes.size(); ++i)
    if (!excluded.contains(i)) remaining.processes.push_back(recorded.processes[i]);
  for (auto& [name, history] : remaining.benchmarks)
    for (auto* const all : {&history.figures, &history.means, &history.fastest}) {
      gate::figures_of_processes kept;
      for (std::size_t i = 0; i < all->size(); ++i)
        if (!excluded.contains(i)) kept.push_back((*all)[i]);
      *all = std::move(kept);
    }
  return remaining;
}

/// A process of a baseline as a new run, with one repetition of each benchmark.
gate::run run_of_process(const gate::baseline& recorded, std::size_t index,
                         const slowdown& slowdown) {
  const auto& origin = recorded.processes[index];
  gate::run run;
  run.file = origin.file;
  run.ours = recorded.ours;
  run.on_host = recorded.on_host;
  run.machine = recorded.machine;
  run.started = origin.started;
  run.boot = origin.boot;
  run.card = origin.card;
  run.content = origin.content;
  for (const auto& [name, history] : recorded.benchmarks) {
    const double factor = slowdown.benchmarks.contains(name) ? slowdown.factor : 1;
    const auto& figure = history.figures[index];
    // Without a figure too many of its repetitions were disturbed: then its value does not count.
    auto& benchmark = run.benchmarks[name];
    benchmark = {.values = {figure.value_or(1) * factor},
                 .bytes = history.bytes,
                 .limited_by = history.limited_by,
                 .work = history.work,
                 .left_out = figure ? 0U : 2U};
    if (index < history.means.size() && history.means[index])
      benchmark.means = {*history.means[index] * factor};
    if (index < history.fastest.size() && history.fastest[index])
      benchmark.fastest = *history.fastest[index] * factor;
  }
  return run;
}

/// How often a slowed benchmark was compared, and how often its verdict was "slower".
struct detection_count {
  std::size_t compared = 0, detected = 0;
};

struct tally {
  std::map<gate::benchmark_class, std::map<gate::exit_code, std::size_t>> classes;
  std::size_t checks = 0, false_alarms = 0, inconclusive = 0, passes = 0;
  std::size_t cut_short = 0;                            ///< of the inconclusive ones
  std::size_t slowed = 0, detected = 0, ambiguous = 0;  ///< slowed benchmarks of all checks
  std::map<std::string, detection_count> detections_by_name;
  std::map<std::string, std::size_t> false_alarms_by_name;
  /// In checks of which a class that decides was inconclusive: its benchmarks.
  std::map<std::string, std::size_t> ambiguous_by_name;
};

/// The answer to a check, and whether further runs, which nobody has recorded, could change it.
struct answer {
  gate::report report;
  bool cut_short = false;
};

void add_answer(tally& tally, const answer& answer,
                const std::set<std::string>& slowed_benchmarks) {
  const auto& report = answer.report;
  ++tally.checks;
  tally.cut_short += answer.cut_short;
  bool false_alarm = false;
  for (const auto& finding : report.findings) {
    const bool slower = finding.result == gate::verdict::slower;
    if (slowed_benchmarks.contains(finding.name)) {
      auto& detections = tally.detections_by_name[finding.name];
      ++detections.compared;
      detections.detected += slower;
      ++tally.slowed;
      tally.detected += slower;
      tally.ambiguous += finding.result == gate::verdict::ambiguous;
    } else if (slower) {
      false_alarm = true;
      ++tally.false_alarms_by_name[finding.name];
    }
  }
  for (const auto& part : report.classes) {
    ++tally.classes[part.kind][part.code];
    if (part.decides && part.code == gate::exit_code::inconclusive)
      for (const auto& finding : report.findings)
        if (finding.kind == part.kind && finding.result == gate::verdict::ambiguous)
          ++tally.ambiguous_by_name[finding.name];
  }
  tally.false_alarms += false_alarm;
  tally.passes += report.code == gate::exit_code::pass;
  tally.inconclusive += report.code == gate::exit_code::inconclusive;
}

slowdown requested_slowdown(const gate::baseline& recorded, const options& options) {
  const std::regex pattern(options.slowed_pattern, std::regex::extended);
  slowdown slowdown;
  if (options.slowdown_percent == 0) return slowdown;
  slowdown.factor = 1 + options.slowdown_percent / 100;
  for (const auto& [name, history] : recorded.benchmarks)
    if (std::regex_search(name, pattern)) slowdown.benchmarks.insert(name);
  return slowdown;
}

/// As scripts/gate does: looks again as long as more runs may tell.
answer check_in_looks(const gate::baseline& remaining, const std::vector<gate::run>& runs,
                      const options& options) {
  gate::question question;  // those taken out may be older than those that remain
  question.allow_different.insert(gate::identity_keys.begin(), gate::identity_keys.end());
  question.limits.looks = options.looks;
  question.look_runs = options.runs;
  for (std::size_t look = 1;; ++look) {
    auto report = gate::check(remaining, std::span(runs).first(look * options.runs), question);
    const bool goes_on = look < options.looks && gate::more_runs_may_tell(report);
    const bool has_more = (look + 1) * options.runs <= runs.size();
    if (!goes_on || !has_more) return {std::move(report), goes_on};
  }
}

/// Without the benchmarks that some session has not measured: its program may have had none.
gate::baseline of_all_sessions(gate::baseline recorded, const std::vector<std::size_t>& sessions) {
  const auto count = std::set(sessions.begin(), sessions.end()).size();
  std::erase_if(recorded.benchmarks, [&](const auto& entry) {
    std::set<std::size_t> having;
    for (std::size_t i = 0; i < sessions.size(); ++i)
      if (entry.second.figures[i]) having.insert(sessions[i]);
    return having.size() < count;
  });
  return recorded;
}

/// The processes of a check, in the order of time, and all of their session.
struct selection {
  std::vector<std::size_t> checked;
  process_indices session;
};

/// The processes of each session, in the order of time.
std::vector<std::vector<std::size_t>> by_session(const gate::baseline& recorded,
                                                 const std::vector<std::size_t>& sessions) {
  std::vector<std::vector<std::size_t>> result(std::ranges::max(sessions) + 1);
  for (std::size_t i = 0; i < sessions.size(); ++i) result[sessions[i]].push_back(i);
  for (auto& processes : result)
    std::ranges::sort(processes, {}, [&](auto i) { return recorded.processes[i].started; });
  return result;
}

/// All that follow one another, each once; or some at random.
std::vector<selection> selections(const std::vector<std::vector<std::size_t>>& sessions,
                                  const options& options) {
  const auto count = options.runs * options.looks;
  std::vector<selection> result;
  const auto add = [&](const std::vector<std::size_t>& session, std::vector<std::size_t> checked) {
    result.push_back({std::move(checked), {session.begin(), session.end()}});
  };
  if (options.consecutive) {
    // The last ones have fewer looks than could be asked for.
    for (const auto& session : sessions)
      for (std::size_t first = 0; first + options.runs <= session.size(); first += options.runs) {
        const auto end = std::min(session.size(), first + count);
        add(session, {session.begin() + static_cast<std::ptrdiff_t>(first),
                      session.begin() + static_cast<std::ptrdiff_t>(end)});
      }
    return result;
  }
  std::mt19937_64 random(options.seed);
  for (std::size_t i = 0; i < options.checks; ++i) {
    auto session = sessions[random() % sessions.size()];
    if (session.size() < count) continue;
    std::ranges::shuffle(session, random);
    std::vector checked(session.begin(), session.begin() + static_cast<std::ptrdiff_t>(count));
    add(session, std::move(checked));
  }
  return result;
}

tally check_recorded_runs(const options& options) {
  auto recorded = gate::read_baseline(options.file);
  const auto sessions = gate::sessions_of(recorded.processes);
  recorded = of_all_sessions(std::move(recorded), sessions);
  const auto slowdown = requested_slowdown(recorded, options);
  tally tally;
  for (const auto& [checked, session] : selections(by_session(recorded, sessions), options)) {
    const auto remaining = without_processes(
        recorded,
        options.whole_sessions ? session : process_indices(checked.begin(), checked.end()));
    if (remaining.processes.size() < gate::least_processes) continue;
    std::vector<gate::run> runs;
    for (const auto process : checked) runs.push_back(run_of_process(recorded, process, slowdown));
    add_answer(tally, check_in_looks(remaining, runs, options), slowdown.benchmarks);
  }
  return tally;
}

double percentage(std::size_t part, std::size_t total) {
  return 100.0 * static_cast<double>(part) / static_cast<double>(total);
}

void print(tally tally, const options& options) {
  fmt::print(
      "{} checks of {} runs{} against {}: {} with a false alarm, {} passed, {} inconclusive{}\n",
      tally.checks, options.runs,
      options.looks > 1 ? fmt::format(" in up to {} looks", options.looks) : "",
      options.whole_sessions ? "the other sessions" : "all others", tally.false_alarms,
      tally.passes, tally.inconclusive,
      tally.cut_short > 0 ? fmt::format(", of which {} could go on with more runs", tally.cut_short)
                          : "");
  using enum gate::exit_code;
  for (auto& [kind, answers] : tally.classes)
    fmt::print("  {}: {} passed, {} inconclusive, {} regressions\n", to_string(kind), answers[pass],
               answers[inconclusive], answers[regression]);
  for (const auto& [name, count] : tally.false_alarms_by_name)
    fmt::print("  false alarm: {} ({} times)\n", name, count);
  if (options.names_ambiguous)
    for (const auto& [name, count] : tally.ambiguous_by_name)
      fmt::print("  ambiguous where its class was inconclusive: {} ({} times)\n", name, count);
  if (tally.slowed == 0) return;
  fmt::print("slower by {} %: {:.1f} % found, {:.1f} % ambiguous\n", options.slowdown_percent,
             percentage(tally.detected, tally.slowed), percentage(tally.ambiguous, tally.slowed));
  for (const auto& [name, count] : tally.detections_by_name)
    fmt::print("  {:<50} {:>5.1f} %\n", name, percentage(count.detected, count.compared));
}

}  // namespace

int main(int argc, char** argv) {
  options options;
  CLI::App app{"Takes processes out of a baseline at random and checks them against the rest."};
  app.add_option("baseline", options.file, "that gate_transfers pin has made")->required();
  app.add_option("--slow", options.slowdown_percent, "by so many percent (0)");
  app.add_option("--benchmarks", options.slowed_pattern, "regular expression: which are slowed");
  app.add_option("--checks", options.checks, "(300)");
  app.add_option("--runs", options.runs, "taken out each time (3)");
  app.add_option("--looks", options.looks, "at most so many times, while more runs may tell (1)")
      ->check(CLI::PositiveNumber);
  app.add_flag("--whole-sessions", options.whole_sessions,
               "take them from one session and leave the rest of it out, too");
  app.add_flag("--consecutive", options.consecutive,
               "check all runs that followed one another once, instead of some at random");
  app.add_flag("--ambiguous", options.names_ambiguous,
               "name the ambiguous benchmarks where a class that decides was inconclusive");
  app.add_option("--seed", options.seed, "(1)");
  CLI11_PARSE(app, argc, argv);

  try {
    print(check_recorded_runs(options), options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "gate_recorded: {}\n", error.what());
    return 2;
  }
  return 0;
}
