// How often the gate errs on recorded runs: some processes of a baseline are taken out of it,
// slowed where asked, and checked against the rest. docs/GATE.md has the figures and the command.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <numeric>
#include <random>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "src/gate/io/read_baseline.hpp"
#include "src/gate/judge/check.hpp"

using namespace bench_transfers;

namespace {

struct split {
  gate::baseline rest;
  std::vector<gate::run> taken;
};

/// Takes these processes out; the values of benchmarks that match `slowed` are multiplied.
split taken_out(const gate::baseline& all, const std::set<std::size_t>& which,
                const std::regex& slowed, double factor) {
  split made{all, {}};
  made.rest.processes.clear();
  for (std::size_t i = 0; i < all.processes.size(); ++i) {
    const auto& origin = all.processes[i];
    if (!which.contains(i)) {
      made.rest.processes.push_back(origin);
      continue;
    }
    gate::run one;
    one.file = origin.file;
    one.ours = all.ours;
    one.on_host = all.on_host;
    one.machine = all.machine;
    one.started = origin.started;
    one.boot = origin.boot;
    one.card = origin.card;
    one.content = origin.content;
    made.taken.push_back(std::move(one));
  }
  for (auto& [name, history] : made.rest.benchmarks) {
    const double times = factor != 1 && std::regex_search(name, slowed) ? factor : 1;
    std::vector<std::optional<double>> left;
    std::size_t next = 0;
    for (std::size_t i = 0; i < history.figures.size(); ++i) {
      const auto& value = history.figures[i];
      if (!which.contains(i))
        left.push_back(value);
      else if (auto& run = made.taken[next++]; value)
        run.benchmarks[name] = {{*value * times}, 0, history.bytes};
    }
    history.figures = std::move(left);
  }
  return made;
}

struct counts {
  std::size_t checks = 0, alarms = 0, inconclusive = 0, passes = 0;
  std::size_t slowed = 0, found = 0, unsure = 0;
  std::map<std::string, std::pair<std::size_t, std::size_t>> by_name;  // found, of
  std::map<std::string, std::size_t> false_alarms;
};

void add(counts& to, const gate::report& answer, const std::regex& slowed, bool any_slowed) {
  ++to.checks;
  bool alarm = false;
  for (const auto& line : answer.findings) {
    if (any_slowed && std::regex_search(line.name, slowed)) {
      ++to.slowed;
      ++to.by_name[line.name].second;
      to.found += line.result == gate::verdict::slower;
      to.by_name[line.name].first += line.result == gate::verdict::slower;
      to.unsure += line.result == gate::verdict::ambiguous;
    } else if (line.result == gate::verdict::slower) {
      alarm = true;
      ++to.false_alarms[line.name];
    }
  }
  to.alarms += alarm;
  to.passes += answer.code == gate::exit_code::pass;
  to.inconclusive += answer.code == gate::exit_code::inconclusive;
}

}  // namespace

int main(int argc, char** argv) {
  std::string file;
  std::string slowed = "^$";
  double percent = 0;
  std::size_t checks = 300;
  std::size_t runs = 3;
  std::uint64_t seed = 1;
  bool by_session = false;
  CLI::App app{"Takes processes out of a baseline at random and checks them against the rest."};
  app.add_option("baseline", file, "that gate_transfers pin has made")->required();
  app.add_option("--slow", percent, "by so many percent (0)");
  app.add_option("--benchmarks", slowed, "regular expression: which are slowed");
  app.add_option("--checks", checks, "(300)");
  app.add_option("--runs", runs, "taken out each time (3)");
  app.add_flag("--whole-sessions", by_session,
               "take them from one session and leave the rest of it out, too");
  app.add_option("--seed", seed, "(1)");
  CLI11_PARSE(app, argc, argv);

  try {
    const auto all = gate::read_baseline(file);
    const auto sessions = gate::sessions_of(all.processes);
    const std::regex names(slowed, std::regex::extended);
    std::mt19937_64 random(seed);
    counts counted;
    for (std::size_t i = 0; i < checks; ++i) {
      // New runs come from one session.
      const auto session = sessions[random() % sessions.size()];
      std::vector<std::size_t> of_session;
      for (std::size_t k = 0; k < sessions.size(); ++k)
        if (sessions[k] == session) of_session.push_back(k);
      if (of_session.size() < runs) continue;
      std::ranges::shuffle(of_session, random);
      std::set<std::size_t> which(of_session.begin(),
                                  of_session.begin() + static_cast<std::ptrdiff_t>(runs));
      auto made = taken_out(all, which, names, 1 + percent / 100);
      if (by_session) {
        const std::set<std::size_t> whole(of_session.begin(), of_session.end());
        made.rest = taken_out(all, whole, names, 1).rest;
      }
      if (made.rest.processes.size() < gate::least_processes) continue;
      add(counted, gate::check(made.rest, made.taken, {}), names, percent != 0);
    }
    fmt::print(
        "{} checks of {} runs against {}: {} with a false alarm, {} passed, {} inconclusive\n",
        counted.checks, runs, by_session ? "the other sessions" : "all others", counted.alarms,
        counted.passes, counted.inconclusive);
    for (const auto& [name, times] : counted.false_alarms)
      fmt::print("  false alarm: {} ({} times)\n", name, times);
    if (counted.slowed > 0) {
      fmt::print("slower by {} %: {:.1f} % found, {:.1f} % ambiguous\n", percent,
                 100.0 * static_cast<double>(counted.found) / static_cast<double>(counted.slowed),
                 100.0 * static_cast<double>(counted.unsure) / static_cast<double>(counted.slowed));
      for (const auto& [name, found] : counted.by_name)
        fmt::print("  {:<50} {:>5.1f} %\n", name,
                   100.0 * static_cast<double>(found.first) / static_cast<double>(found.second));
    }
  } catch (const std::exception& wrong) {
    fmt::print(stderr, "gate_recorded: {}\n", wrong.what());
    return 2;
  }
  return 0;
}
