// How often the gate is right with the noise of recorded runs: checks in which nothing changed, in
// which something got slower, and in which sessions move a few benchmarks. docs/GATE.md has the
// figures and the command.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include "src/gate/io/read_run.hpp"
#include "src/gate/judge/check.hpp"
#include "src/gate/judge/conclude.hpp"
#include "src/gate/model/pin.hpp"
#include "src/statistics/quantile.hpp"

using namespace bench_transfers;

namespace {

using costs_by_name = std::map<std::string, double>;

struct options {
  std::vector<std::filesystem::path> files;
  std::size_t checks = 100;
  std::uint64_t seed = 1;
  std::string only;
  bool fastest = false;
};

/// Logarithms of the recorded times: centres of machines, and what each process adds.
struct recorded {
  std::vector<gate::run> runs;
  std::map<std::string, gate::benchmark_class> kinds;  ///< of the benchmarks that all runs have
  costs_by_name grand;
  std::vector<costs_by_name> machines;  ///< centres, against `grand`
  std::vector<costs_by_name>
      processes;                       ///< against their machine, as far apart as their number asks
  std::vector<costs_by_name> means;    ///< of their operations, against their medians
  std::vector<costs_by_name> fastest;  ///< of their operations, likewise; of the same processes
};

/// "first" for first-3.json.gz.
std::string machine_of(const gate::run& run) {
  const auto name = run.file.filename().string();
  return name.substr(0, name.rfind('-'));
}

recorded read(const options& options, const gate::metric& judged_by) {
  recorded result;
  for (const auto& file : options.files)
    std::ranges::move(gate::read_runs(file, judged_by), std::back_inserter(result.runs));
  std::map<std::string, std::vector<costs_by_name>> machines;
  std::map<std::string, std::vector<costs_by_name>> fastest;
  for (const auto& run : result.runs) {
    auto& costs = machines[machine_of(run)].emplace_back();
    auto& of_fastest = fastest[machine_of(run)].emplace_back();
    for (const auto& [name, values] : run.benchmarks)
      if (const auto figure = gate::figure_of(values, judged_by)) {
        costs[name] = gate::cost(*figure, judged_by);
        of_fastest[name] = gate::cost(*gate::fastest_of(values), judged_by) - costs[name];
      }
  }
  for (const auto& [name, values] : result.runs.front().benchmarks) {
    const auto is_in = [&](const gate::run& run) { return run.benchmarks.contains(name); };
    if (!std::ranges::all_of(result.runs, is_in)) continue;
    std::vector<double> centres;
    for (const auto& [machine, runs] : machines) {
      std::vector<double> own;
      for (const auto& run : runs) own.push_back(run.at(name));
      centres.push_back(statistics::median(own));
    }
    result.grand[name] = statistics::median(centres);
    result.kinds[name] = gate::class_of(values.limited_by, std::exp(result.grand[name]));
    result.machines.resize(centres.size());
    for (std::size_t m = 0; m < centres.size(); ++m)
      result.machines[m][name] = centres[m] - result.grand[name];
    const auto processes = static_cast<double>(result.runs.size());
    const double factor = std::sqrt(processes / (processes - static_cast<double>(machines.size())));
    std::size_t m = 0, p = 0;
    result.processes.resize(result.runs.size());
    result.means.resize(result.runs.size());
    for (std::size_t run = 0; run < result.runs.size(); ++run) {
      const auto& own = result.runs[run].benchmarks.at(name);
      result.means[run][name] =
          std::log(*gate::mean_of(own, judged_by) / *gate::figure_of(own, gate::metric{}));
    }
    for (const auto& [machine, runs] : machines) {
      for (const auto& run : runs)
        result.processes[p++][name] = factor * (run.at(name) - centres[m]);
      ++m;
    }
  }
  for (auto& [machine, runs] : fastest) std::ranges::move(runs, std::back_inserter(result.fastest));
  return result;
}

/// A name's cost in a process, in addition to the noise.
using change = std::function<double(const std::string& name, std::size_t session, std::size_t run)>;

/// Makes up baselines and new runs: classes of processes and of machines are drawn by themselves.
class laboratory {
 public:
  laboratory(const recorded& noise, std::uint64_t seed, bool machines)
      : noise_(noise), random_(seed), machines_(machines) {}

  std::mt19937_64& random() { return random_; }

  costs_by_name session() {
    costs_by_name result;
    for (const auto kind : gate::all_classes) {
      const auto& shifts = noise_.machines[random_() % noise_.machines.size()];
      const double deviation = kind == gate::benchmark_class::link ? .001 : .015;
      const double common = normal(deviation);
      for (const auto& [name, of] : noise_.kinds)
        if (of == kind) result[name] = machines_ ? shifts.at(name) : common + normal(deviation / 2);
    }
    return result;
  }

  /// By how much the means of the link's benchmarks are slower than their medians in the new
  /// session.
  void slow_means(double factor) { mean_factor_ = factor; }

  /// `place`: of the session among all, which tells its day and its card.
  gate::run run(const costs_by_name& session, std::size_t place, std::size_t number,
                const change& changed) {
    gate::run result = noise_.runs.front();
    result.benchmarks.clear();
    result.file = fmt::format("{}-{}", place, number);
    result.started = std::chrono::sys_seconds{} + std::chrono::hours(24 * (place + 1)) +
                     std::chrono::minutes(2 * number);
    result.boot = fmt::format("boot-{}", place);
    result.card = machines_ ? fmt::format("GPU-{}", place) : "GPU";
    result.warnings.clear();
    result.content = random_();
    result.measurements.reset();  // those and the times are of the recorded run
    result.periods.clear();
    for (const auto kind : gate::all_classes) {
      const auto drawn = random_() % noise_.processes.size();
      const auto& process = noise_.processes[drawn];
      const auto& mean = noise_.means[random_() % noise_.means.size()];
      for (const auto& [name, of] : noise_.kinds) {
        if (of != kind) continue;
        const double cost = noise_.grand.at(name) + session.at(name) + process.at(name) +
                            normal(1e-4) + changed(name, place, number);
        result.benchmarks[name] = {{std::exp(cost)},
                                   0,
                                   noise_.runs.front().benchmarks.at(name).bytes,
                                   noise_.runs.front().benchmarks.at(name).limited_by,
                                   {std::exp(cost + mean.at(name) + changed_mean(name, place))},
                                   std::exp(cost + noise_.fastest[drawn].at(name))};
      }
    }
    return result;
  }

  double normal(double deviation) {
    return std::normal_distribution<double>(0, deviation)(random_);
  }

 private:
  double changed_mean(const std::string& name, std::size_t place) const;

  const recorded& noise_;
  std::mt19937_64 random_;
  bool machines_;
  double mean_factor_ = 1;
};

struct trial {
  std::string name;
  bool machines = false;
  std::vector<std::size_t> days{5, 5};  ///< runs of each session of the baseline
  std::set<gate::benchmark_class> decide_by;
  /// The change of one check: of the baseline and of the new session, whose place is 100.
  std::function<change(laboratory&, const recorded&)> changes;
  double mean_factor = 1;  ///< of the link, in the new session
};

constexpr std::size_t new_session = 100;

double laboratory::changed_mean(const std::string& name, std::size_t place) const {
  const bool is_slow = place == new_session && noise_.kinds.at(name) == gate::benchmark_class::link;
  return is_slow ? std::log(mean_factor_) : 0;
}

/// Whether a benchmark that is slower by its threshold than all of the baseline, in all runs,
/// counts as tested.
bool is_wrong(const gate::report& report, const change& changed, std::size_t sessions) {
  return report.code == gate::exit_code::pass &&
         std::ranges::any_of(report.findings, [&](const gate::finding& benchmark) {
           double before = 0;
           for (std::size_t s = 0; s < sessions; ++s)
             before = std::max(before, changed(benchmark.name, s, 0));
           const auto is_slower = [&](std::size_t run) {
             return std::expm1(changed(benchmark.name, new_session, run) - before) >=
                    benchmark.threshold - 1e-9;
           };
           return benchmark.result == gate::verdict::unchanged && is_slower(0) && is_slower(1) &&
                  is_slower(2);
         });
}

struct answer_of_check {
  gate::report report;
  std::size_t runs;
};

/// As scripts/gate does.
answer_of_check checked(const gate::baseline& before, const std::function<gate::run()>& measure,
                        const trial& trial) {
  std::vector<gate::run> runs;
  gate::question question;
  question.decide_by = trial.decide_by;
  question.limits.looks = 3;
  for (std::size_t look = 1;; ++look) {
    for (int i = 0; i < 3; ++i) runs.push_back(measure());
    auto report = gate::check(before, runs, question);
    if (look == question.limits.looks || !gate::more_runs_may_tell(report))
      return {std::move(report), runs.size()};
  }
}

std::vector<std::string> names_of(const recorded& noise, gate::benchmark_class kind,
                                  const std::string& pattern = "") {
  const std::regex expression(pattern);
  std::vector<std::string> names;
  for (const auto& [name, of] : noise.kinds)
    if (of == kind && std::regex_search(name, expression)) names.push_back(name);
  return names;
}

/// Every k-th name.
std::set<std::string> every(const std::vector<std::string>& names, std::size_t k) {
  std::set<std::string> result;
  for (std::size_t i = 0; i < names.size(); i += k) result.insert(names[i]);
  return result;
}

auto slower(std::set<std::string> names, double factor) {
  return [names = std::move(names), factor](const std::string& name, std::size_t session,
                                            std::size_t) {
    return session == new_session && names.contains(name) ? std::log(factor) : 0.0;
  };
}

std::vector<trial> trials() {
  using kind = gate::benchmark_class;
  const std::set<kind> link{kind::link};
  const std::vector<std::size_t> two{5, 5}, four{5, 5, 5, 5};
  const auto nothing = [](laboratory&, const recorded&) -> change {
    return [](const std::string&, std::size_t, std::size_t) { return 0.0; };
  };
  const auto of_kind = [](kind of, const std::string& pattern, double factor) {
    return [=](laboratory&, const recorded& noise) -> change {
      const auto names = names_of(noise, of, pattern);
      return slower({names.begin(), names.end()}, factor);
    };
  };
  const auto one = [](double factor) {
    return [=](laboratory& lab, const recorded& noise) -> change {
      const auto names = names_of(noise, kind::link);
      return slower({names[lab.random()() % names.size()]}, factor);
    };
  };
  const auto everything = [](double factor) {
    return [=](laboratory&, const recorded&) -> change {
      return [=](const std::string&, std::size_t session, std::size_t) {
        return session == new_session ? std::log(factor) : 0.0;
      };
    };
  };
  const auto in_one_of_three = [](double part, double factor, bool again) {
    return [=](laboratory&, const recorded& noise) -> change {
      const auto names = names_of(noise, kind::link);
      const auto some = every(names, static_cast<std::size_t>(std::lround(1 / part)));
      return [=](const std::string& name, std::size_t session, std::size_t run) {
        const bool is_slow = again ? run % 3 == 1 : run == 1;
        return session == new_session && is_slow && some.contains(name) ? std::log(factor) : 0.0;
      };
    };
  };
  const auto mode = [](double factor) {
    return [=](laboratory& lab, const recorded& noise) -> change {
      const auto some = every(names_of(noise, kind::link), 20);
      const auto seed = lab.random()();
      return [=](const std::string& name, std::size_t session, std::size_t) {
        const auto hashed = std::hash<std::string>{}(fmt::format("{}{}{}", name, session, seed));
        return some.contains(name) && (hashed >> 20) % 2 == 1 ? std::log(factor) : 0.0;
      };
    };
  };
  const auto slow_processes = [](std::size_t k, double part, double factor) {
    return [=](laboratory& lab, const recorded& noise) -> change {
      const auto some = every(names_of(noise, kind::link), k);
      const auto seed = lab.random()();
      return [=](const std::string& name, std::size_t session, std::size_t run) {
        std::mt19937_64 random(
            std::hash<std::string>{}(fmt::format("{}/{}/{}/{}", name, session, run, seed)));
        const double chance = std::uniform_real_distribution<double>(0, 1)(random);
        return some.contains(name) && chance < part ? std::log(factor) : 0.0;
      };
    };
  };
  const std::string large = "^copy/pinned/.*/(16|128)MiB$";
  std::vector<trial> all{
      {"A/A, link", false, two, link, nothing},
      {"A/A, default", false, two, {}, nothing},
      {"A/A, four machines, link", true, four, link, nothing},
      {"A/A, four machines, default", true, four, {}, nothing},
      {"A/A, one session", false, {10}, link, nothing},
      {"A/A, ten nights", false, std::vector<std::size_t>(10, 1), link, nothing},
      {"A/A, ten nights and one run", false, {1, 1, 1, 1, 1, 1, 1, 1, 1, 2}, link, nothing}};
  for (const double factor : {1.02, 1.022, 1.025, 1.03, 1.05}) {
    const auto text = fmt::format("{:g} %", std::round(1000 * (factor - 1)) / 10);
    all.push_back({"one of the link +" + text, false, two, link, one(factor)});
    all.push_back({"pinned +" + text, false, two, {}, of_kind(kind::link, large, factor)});
    all.push_back(
        {"pinned, four machines +" + text, true, four, link, of_kind(kind::link, large, factor)});
  }
  all.insert(
      all.end(),
      {{"copies to the device +5 %", false, two, link, of_kind(kind::link, "/h2d/", 1.05)},
       {"whole link +3 %", false, two, link, of_kind(kind::link, "", 1.03)},
       {"everything x 2, link", false, two, link, everything(2)},
       {"everything x 2, default", false, two, {}, everything(2)},
       {"everything x 2, four machines", true, four, {}, everything(2)},
       {"host x 1.5", false, two, link, of_kind(kind::host, "", 1.5)},
       {"host x 1.5, four machines", true, four, link, of_kind(kind::host, "", 1.5)},
       {"host to the device x 1.5", false, two, link, of_kind(kind::host, "h2d", 1.5)},
       {"host of 128 MiB x 1.5", false, two, link, of_kind(kind::host, "128MiB", 1.5)},
       {"host of 128 MiB x 1.5, four machines", true, four, link,
        of_kind(kind::host, "128MiB", 1.5)},
       {"latency x 2", false, two, link, of_kind(kind::latency, "", 2)},
       {"latency of pinned copies x 1.5", false, two, link,
        of_kind(kind::latency, "^copy/pinned/", 1.5)},
       {"one run of three x 100 in half", false, two, link, in_one_of_three(.5, 100, true)},
       {"one run of three x 1.3 in a tenth", false, two, link, in_one_of_three(.1, 1.3, true)},
       {"one run, never again, x 1.3 in a tenth", false, two, link,
        in_one_of_three(.1, 1.3, false)},
       {"means of the link +44 %", false, two, link, nothing, 1.44},
       {"means of the link +8 %", false, two, link, nothing, 1.08},
       {"means of the link +8 %, four machines", true, four, link, nothing, 1.08},
       {"modes of boots +3 %, one boot", false, {10}, link, mode(1.03)},
       {"modes of boots +3 %, two boots", false, two, link, mode(1.03)},
       {"modes of boots +3 %, four boots", false, four, link, mode(1.03)},
       {"a fifth +4 % in a third of processes", false, two, link, slow_processes(5, .33, 1.04)},
       {"all +4 % in a tenth of processes", false, two, link, slow_processes(1, .1, 1.04)},
       {"all +30 % in a hundredth of processes", false, two, link, slow_processes(1, .01, 1.3)}});
  return all;
}

struct tally {
  std::map<std::string, std::size_t> answers;
  std::size_t wrong = 0;  ///< a pass that has tested a benchmark which is slower by the threshold
  std::map<std::string, std::size_t> reasons;
  std::size_t runs = 0;
};

tally tally_of(const trial& trial, const recorded& noise, const gate::metric& judged_by,
               const options& options) {
  tally result;
  laboratory lab(noise, options.seed, trial.machines);
  lab.slow_means(trial.mean_factor);
  for (std::size_t i = 0; i < options.checks; ++i) {
    const auto changed = trial.changes(lab, noise);
    std::vector<gate::run> before;
    for (std::size_t s = 0; s < trial.days.size(); ++s) {
      const auto session = lab.session();
      for (std::size_t r = 0; r < trial.days[s]; ++r)
        before.push_back(lab.run(session, s, r, changed));
    }
    const auto baseline = gate::pin(before, judged_by).baseline;
    const auto session = lab.session();
    std::size_t number = 0;
    const auto [report, runs] = checked(
        baseline, [&] { return lab.run(session, new_session, number++, changed); }, trial);
    ++result.answers[gate::to_string(report.code)];
    if (is_wrong(report, changed, trial.days.size())) ++result.wrong;
    result.runs += runs;
    for (const auto& reason : report.reasons) ++result.reasons[fmt::format("{}", reason.index())];
  }
  return result;
}

/// Suites of another program.
struct suite {
  std::string name;
  std::size_t benchmarks, wide_part;  ///< every so many of them is wide; 0: none
  double wide, narrow;                ///< how far their sessions and those of the others differ
  double least, most;                 ///< deviations of processes
  std::vector<std::size_t> days;
  double factor = 1;  ///< by which the quietest benchmark gets slower
};

gate::report checked(const suite& suite, std::mt19937_64& random) {
  const auto normal = [&](double deviation) {
    return std::normal_distribution<double>(0, deviation)(random);
  };
  std::vector<double> deviations, sessions;
  for (std::size_t b = 0; b < suite.benchmarks; ++b) {
    deviations.push_back(std::exp(std::uniform_real_distribution<double>(
        std::log(suite.least), std::log(suite.most))(random)));
    sessions.push_back(suite.wide_part > 0 && b % suite.wide_part == 0 ? suite.wide : suite.narrow);
  }
  const auto quietest =
      static_cast<std::size_t>(std::ranges::min_element(deviations) - deviations.begin());
  const auto runs_of = [&](std::size_t place, std::size_t count, bool is_new) {
    std::vector<gate::run> runs(count);
    for (std::size_t r = 0; r < count; ++r) {
      runs[r].file = fmt::format("{}-{}", place, r);
      runs[r].started = std::chrono::sys_seconds{} + std::chrono::hours(24 * (place + 1)) +
                        std::chrono::minutes(r);
      runs[r].boot = fmt::format("{}", place);
      runs[r].content = random();
    }
    for (std::size_t b = 0; b < suite.benchmarks; ++b) {
      const double level = std::log(1e6) + (sessions[b] > 0 ? normal(sessions[b]) : 0) +
                           (is_new && b == quietest ? std::log(suite.factor) : 0);
      for (auto& run : runs)
        run.benchmarks[fmt::format("BM/{}", b)] = {
            {std::exp(level + normal(deviations[b]))}, 0, {}, {}};
    }
    return runs;
  };
  std::vector<gate::run> before;
  for (std::size_t s = 0; s < suite.days.size(); ++s)
    std::ranges::move(runs_of(s, suite.days[s], false), std::back_inserter(before));
  gate::question question;
  return gate::check(gate::pin(before, {}).baseline, runs_of(new_session, 3, true), question);
}

std::vector<suite> suites() {
  const std::vector<std::size_t> seven{2, 1, 2, 1, 2, 1, 1}, two{5, 5}, four{5, 5, 5, 5};
  return {{"120 benchmarks, ten runs of seven days", 120, 0, 0, 0, .001, .012, seven},
          {"the same, the quietest +6 %", 120, 0, 0, 0, .001, .012, seven, 1.06},
          {"the same, sessions 0.2 %", 120, 0, 0, .002, .001, .012, seven},
          {"the same, sessions 0.2 %, +6 %", 120, 0, 0, .002, .001, .012, seven, 1.06},
          {"300, a tenth with sessions 2 %, two days", 300, 10, .02, .001, .002, .002, two},
          {"300, a tenth with sessions 2 %, one day", 300, 10, .02, .001, .002, .002, {10}},
          {"300, a tenth with sessions 2 %, four days", 300, 10, .02, .001, .002, .002, four},
          {"300, 2 % with sessions 3 %, two days", 300, 50, .03, .001, .002, .002, two},
          {"300, 2 % with sessions 3 %, four days", 300, 50, .03, .001, .002, .002, four},
          {"five benchmarks, sessions 1 %, two days", 5, 0, 0, .01, .002, .002, two},
          {"five benchmarks, sessions 1 %, one day", 5, 0, 0, .01, .002, .002, {10}}};
}

void print_start(const std::string& name, const std::map<std::string, std::size_t>& answers) {
  fmt::print("{:<45}", name);
  for (const auto& [word, count] : answers) fmt::print(" {} {}", word, count);
}

void end_line() {
  fmt::print("\n");
  std::fflush(stdout);
}

void print_suites(const options& options) {
  for (const auto& suite : suites()) {
    if (!std::regex_search(suite.name, std::regex(options.only))) continue;
    std::mt19937_64 random(options.seed);
    std::map<std::string, std::size_t> answers;
    for (std::size_t i = 0; i < options.checks; ++i)
      ++answers[gate::to_string(checked(suite, random).code)];
    print_start(suite.name, answers);
    end_line();
  }
}

}  // namespace

int main(int argc, char** argv) {
  options options;
  CLI::App app{"How often the gate is right with the noise of recorded runs."};
  app.add_option("runs", options.files, "MACHINE-NUMBER.json.gz")->required();
  app.add_option("--checks", options.checks, "of each kind (100)");
  app.add_option("--seed", options.seed, "(1)");
  app.add_option("--only", options.only, "regular expression: which kinds");
  app.add_flag("--fastest", options.fastest, "judge by the fastest repetition");
  CLI11_PARSE(app, argc, argv);
  try {
    gate::metric judged_by;
    judged_by.fastest_repetition = options.fastest;
    const auto noise = read(options, judged_by);
    for (const auto& trial : trials()) {
      if (!std::regex_search(trial.name, std::regex(options.only))) continue;
      const auto result = tally_of(trial, noise, judged_by, options);
      print_start(trial.name, result.answers);
      fmt::print(", {:.1f} runs",
                 static_cast<double>(result.runs) / static_cast<double>(options.checks));
      for (const auto& [index, count] : result.reasons) fmt::print(" [{}:{}]", index, count);
      if (result.wrong > 0) fmt::print(", {} wrong", result.wrong);
      end_line();
    }
    print_suites(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "gate_trials: {}\n", error.what());
    return 2;
  }
  return 0;
}
