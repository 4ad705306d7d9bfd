#include "src/gate/model/baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "src/common/printable.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::gate {
namespace {

using std::chrono::sys_seconds;

constexpr std::chrono::hours same_session{1};

bool known_to_differ(const std::string& left, const std::string& right) {
  return !left.empty() && !right.empty() && left != right;
}

std::string quoted(const std::filesystem::path& file) {
  return "'" + common::printable(file.string()) + "'";
}

bool is_same_start(const process& left, const process& right) {
  return left.started && right.started && *left.started == *right.started && !left.boot.empty() &&
         left.boot == right.boot && left.card == right.card;
}

void warn_of(const run& one, std::vector<std::string>& warnings) {
  if (!one.complete)
    warnings.push_back(
        fmt::format("{} was interrupted: what it lacks has fewer processes", quoted(one.file)));
}

double median_of(std::vector<double> values, const metric& judged_by) {
  if (judged_by.key != "gb_per_s") return statistics::median(std::move(values));
  // The bandwidth of the median time, as summaries and reports have it.
  const auto inverse = [](double value) { return 1 / value; };
  std::ranges::transform(values, values.begin(), inverse);
  return inverse(statistics::median(std::move(values)));
}

}  // namespace

std::vector<difference> differences(const fingerprint& before, const fingerprint& after) {
  std::vector<difference> found;
  const auto value_in = [](const fingerprint& of, const std::string& key) {
    const auto there = std::ranges::find(of, key, &fingerprint::value_type::first);
    return there == of.end() ? std::string() : there->second;
  };
  // Known only of memory that a run has used.
  const auto may_be_unknown = [](const std::string& key) {
    return key.starts_with("memory_type.");
  };
  for (const auto& [key, value] : before) {
    const auto other = value_in(after, key);
    if (other != value && !(other.empty() && may_be_unknown(key)))
      found.push_back({key, value, other});
  }
  for (const auto& [key, value] : after)
    if (value_in(before, key).empty() && !may_be_unknown(key)) found.push_back({key, "", value});
  return found;
}

void require_comparable(std::span<const run> runs, std::span<const process> known) {
  std::map<std::uint64_t, std::string> seen;
  for (const auto& one : known) seen.try_emplace(one.content, one.file + " of the baseline");
  for (const auto& one : runs) {
    const auto [place, is_new] = seen.try_emplace(one.content, quoted(one.file));
    if (!is_new)
      throw bad_input(fmt::format("{} holds the same measurements as {}: they are not independent",
                                  quoted(one.file), place->second));
    // The file that a run has left when it was interrupted, or while it went on, beside that of the
    // whole: two short runs may begin in the same second, but not one that ended and one that did
    // not.
    const auto is_of_the_same = [&](const process& other) {
      return !one.complete && is_same_start(origin_of(one), other);
    };
    const bool is_part = std::ranges::any_of(known, is_of_the_same) ||
                         std::ranges::any_of(runs, [&](const run& other) {
                           return &other != &one && is_of_the_same(origin_of(other));
                         });
    if (is_part)
      throw bad_input(
          fmt::format("{} was interrupted, and another file is of a run that began in the same "
                      "second on the same "
                      "machine: they may be one run",
                      quoted(one.file)));
    const auto& first = runs.front();
    if (one.ours != first.ours)
      throw bad_input(fmt::format("{} and {} were made by different programs", quoted(first.file),
                                  quoted(one.file)));
    if (one.on_host != first.on_host)
      throw bad_input(fmt::format("{} was made without a GPU and {} with one",
                                  quoted(one.on_host ? one.file : first.file),
                                  quoted(one.on_host ? first.file : one.file)));
  }
}

process origin_of(const run& one) {
  return {one.file.filename().string(), one.started, one.boot, one.card, one.content};
}

double cost(double value, const metric& judged_by) {
  return judged_by.more_is_better ? -std::log(value) : std::log(value);
}

double value_of(double cost, const metric& judged_by) {
  return std::exp(judged_by.more_is_better ? -cost : cost);
}

std::optional<double> figure_of(const measured& one, const metric& judged_by) {
  if (one.values.empty() || one.failed > 0) return std::nullopt;
  if (!judged_by.fastest_repetition) return median_of(one.values, judged_by);
  return judged_by.more_is_better ? std::ranges::max(one.values) : std::ranges::min(one.values);
}

pinned pin(std::span<const run> runs, const metric& judged_by,
           const std::set<std::string>& allowed) {
  if (runs.size() < least_processes)
    throw bad_input(fmt::format("a baseline needs {} runs or more, better {}; here {} {}",
                                least_processes, recommended_processes,
                                runs.size() == 1 ? "is" : "are", runs.size()));
  if (runs.size() > most_processes)
    throw bad_input(
        fmt::format("a baseline can have {} runs, here are {}", most_processes, runs.size()));
  require_comparable(runs);
  pinned result;
  auto& made = result.made;
  const auto& first = runs.front();
  made.judged_by = judged_by;
  made.ours = first.ours;
  made.on_host = first.on_host;
  made.device = first.device;
  made.machine = first.machine;
  std::map<std::string, history> all;
  std::set<std::string> unjudged;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto& one = runs[i];
    if (!one.faults.empty())
      throw bad_input(fmt::format("{} has faults injected on purpose ({}): no baseline",
                                  quoted(one.file), one.faults.front()));
    for (const auto& [key, before, after] : differences(made.machine, one.machine)) {
      if (!allowed.contains(key))
        throw bad_input(fmt::format(
            "{} and {} differ in {}: '{}' and '{}' (--allow-different={} takes them together)",
            quoted(first.file), quoted(one.file), key, before, after, key));
      // What is not the same in all runs cannot tell whether a new one is like them.
      std::erase_if(made.machine, [&](const auto& entry) { return entry.first == key; });
    }
    warn_of(one, result.warnings);
    unjudged.insert(one.unjudged.begin(), one.unjudged.end());
    made.processes.push_back(origin_of(one));
    for (const auto& name : one.unjudged)
      result.warnings.push_back(fmt::format("{} has no repetitions with '{}' in {}: not used there",
                                            name, judged_by.key, one.file.string()));
    for (const auto& [name, figures] : one.benchmarks) {
      auto& place = all[name];
      place.figures.resize(runs.size());
      if (figures.bytes) place.bytes = figures.bytes;
      place.figures[i] = figure_of(figures, judged_by);
      if (figures.failed > 0)
        result.warnings.push_back(
            fmt::format("{} failed in {}: not used there", name, quoted(one.file)));
    }
  }
  if (made.ours && made.machine.empty())
    throw bad_input(
        "no fact of the machine is the same in all runs: nothing could tell another one");
  for (auto& [name, place] : all) {
    const auto measured_by =
        std::ranges::count_if(place.figures, [](const auto& one) { return one.has_value(); });
    if (std::cmp_greater_equal(measured_by, least_processes))
      made.benchmarks.emplace(name, std::move(place));
    else
      result.warnings.push_back(fmt::format("{} is left out: only {} of {} runs have measured it",
                                            name, measured_by, runs.size()));
  }
  if (!unjudged.empty())
    result.warnings.push_back(fmt::format("{} {} left out where they have no {}: {}",
                                          unjudged.size(),
                                          unjudged.size() == 1 ? "benchmark is" : "benchmarks are",
                                          judged_by.key, *unjudged.begin()));
  if (made.benchmarks.empty()) throw bad_input("no benchmark was measured by three runs or more");
  if (runs.size() < recommended_processes)
    result.warnings.push_back(
        fmt::format("{} runs only: {} or more find smaller slowdowns (see gate_transfers power)",
                    runs.size(), recommended_processes));
  if (number_of_sessions(made.processes) < 2)
    result.warnings.push_back(
        "all runs are of one session (an hour, one start of the machine): how much sessions differ "
        "is not in them and will be judged from what a check shows, or assumed; add runs of "
        "another day");
  return result;
}

std::vector<std::size_t> sessions_of(std::span<const process> processes) {
  std::vector<std::size_t> order(processes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, {}, [&](std::size_t i) { return processes[i].started.value_or(sys_seconds::min()); });
  // The latest process of each session so far.
  std::vector<std::size_t> latest;
  std::vector<std::size_t> sessions(processes.size());
  for (const auto i : order) {
    const auto& now = processes[i];
    const auto same = std::ranges::find_if(latest, [&](std::size_t k) {
      const auto& before = processes[k];
      const bool later =
          before.started && now.started && *now.started - *before.started > same_session;
      return !later && !known_to_differ(before.boot, now.boot) &&
             !known_to_differ(before.card, now.card);
    });
    sessions[i] = static_cast<std::size_t>(same - latest.begin());
    if (same == latest.end())
      latest.push_back(i);
    else
      *same = i;
  }
  return sessions;
}

std::size_t number_of_sessions(std::span<const process> processes) {
  const auto sessions = sessions_of(processes);
  return sessions.empty() ? 0 : std::ranges::max(sessions) + 1;
}

}  // namespace bench_transfers::gate
