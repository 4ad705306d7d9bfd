// How often the gate errs, found by simulation: docs/GATE.md has the figures and the command.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "src/gate/judge/compare.hpp"

using namespace bench_transfers;

namespace {

struct setting {
  std::string name;
  std::size_t sessions, processes, after;  ///< sessions before, processes in each, new processes
  double least_deviation, most_deviation;  ///< of processes, log-uniform over benchmarks
  double most_session_deviation;           ///< uniform over benchmarks
  double common_session_deviation;         ///< of what a session does to all benchmarks alike
  double outliers;                         ///< part of processes, 5 to 50 % slower
  double two_modes;     ///< part of benchmarks, 3 to 15 % slower in 10 to 50 % of processes
  double slowdown = 0;  ///< of a twentieth of the benchmarks
};

struct suite {
  std::vector<gate::observation> benchmarks;
  std::vector<bool> slowed;
};

class simulation {
 public:
  explicit simulation(std::uint64_t seed) : random_(seed) {}

  suite next(const setting& of, std::size_t benchmarks) {
    suite made;
    std::vector<double> common(of.sessions + 1);
    for (auto& one : common) one = normal(of.common_session_deviation);
    for (std::size_t i = 0; i < benchmarks; ++i) {
      made.slowed.push_back(of.slowdown > 0 && i < (benchmarks + 19) / 20);
      made.benchmarks.push_back(benchmark(of, common, made.slowed.back()));
    }
    return made;
  }

 private:
  double uniform(double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(random_);
  }
  double normal(double deviation) {
    return deviation > 0 ? std::normal_distribution<double>(0, deviation)(random_) : 0;
  }

  gate::observation benchmark(const setting& of, const std::vector<double>& common, bool slowed) {
    const double deviation =
        std::exp(uniform(std::log(of.least_deviation), std::log(of.most_deviation)));
    const double session_deviation = uniform(0, of.most_session_deviation);
    const bool two_modes = uniform(0, 1) < of.two_modes;
    const double between_modes = uniform(0.03, 0.15);
    const double often_slow = uniform(0.1, 0.5);
    const auto session = [&](std::size_t which, std::size_t processes) {
      const double level = common[which] + normal(session_deviation);
      std::vector<double> values;
      for (std::size_t i = 0; i < processes; ++i) {
        values.push_back(level + normal(deviation));
        if (uniform(0, 1) < of.outliers) values.back() += std::log(uniform(1.05, 1.5));
        if (two_modes && uniform(0, 1) < often_slow) values.back() += between_modes;
      }
      return values;
    };
    gate::observation made;
    for (std::size_t s = 0; s < of.sessions; ++s) made.before.push_back(session(s, of.processes));
    made.after.push_back(session(of.sessions, of.after));
    if (slowed)
      for (auto& one : made.after.front()) one += std::log1p(of.slowdown);
    return made;
  }

  std::mt19937_64 random_;
};

struct rates {
  double alarm = 0, inconclusive = 0;  ///< of suites
  double found = 0, ambiguous = 0;     ///< of slowed benchmarks
  double predicted_at_least = 0;       ///< of slowed ones: that `detectable` says are found
};

rates simulate(const setting& of, std::size_t suites, std::size_t benchmarks, std::uint64_t seed,
               const gate::limits& allowed) {
  simulation made(seed);
  rates counted;
  double slowed = 0;
  for (std::size_t i = 0; i < suites; ++i) {
    const auto one = made.next(of, benchmarks);
    const auto result = gate::compare(one.benchmarks, allowed);
    bool alarm = false;
    const auto telling = std::ranges::count_if(
        result.benchmarks, [&](const auto& b) { return !gate::is_advisory(b, allowed.threshold); });
    bool unsure = std::ranges::any_of(result.classes, &gate::common_shift::changed) ||
                  gate::are_too_few(static_cast<std::size_t>(telling), benchmarks);
    for (std::size_t b = 0; b < benchmarks; ++b) {
      const auto verdict = result.benchmarks[b].verdict;
      if (one.slowed[b]) {
        ++slowed;
        counted.found += verdict == gate::outcome::slower;
        counted.ambiguous += verdict == gate::outcome::ambiguous;
        counted.predicted_at_least += result.benchmarks[b].detectable <= std::log1p(of.slowdown);
      } else {
        alarm = alarm || verdict == gate::outcome::slower;
        unsure = unsure || verdict == gate::outcome::ambiguous;
      }
    }
    counted.alarm += alarm;
    counted.inconclusive += unsure && !alarm;
  }
  counted.alarm /= static_cast<double>(suites);
  counted.inconclusive /= static_cast<double>(suites);
  if (slowed > 0)
    for (auto* part : {&counted.found, &counted.ambiguous, &counted.predicted_at_least})
      *part /= slowed;
  return counted;
}

std::vector<setting> unchanged() {
  return {{"processes 0.3-2 %, nothing else", 1, 10, 3, .003, .02, 0, 0, 0, 0},
          {"sessions 0-1 %", 1, 10, 3, .003, .02, .01, 0, 0, 0},
          {"sessions 0-1 %", 2, 5, 3, .003, .02, .01, 0, 0, 0},
          {"sessions 0-1 %", 5, 4, 3, .003, .02, .01, 0, 0, 0},
          {"the same, 0.5 % in common", 2, 5, 3, .003, .02, .01, .005, 0, 0},
          {"and 1 % outliers, 2 % with two modes", 1, 10, 3, .003, .02, .01, .005, .01, .02},
          {"and 1 % outliers, 2 % with two modes", 2, 5, 3, .003, .02, .01, .005, .01, .02},
          {"and 1 % outliers, 2 % with two modes", 3, 5, 3, .003, .02, .01, .005, .01, .02},
          {"and 1 % outliers, 2 % with two modes", 2, 5, 5, .003, .02, .01, .005, .01, .02},
          {"and 2 % outliers, 5 % with two modes", 1, 10, 3, .003, .02, .01, .005, .02, .05},
          {"and 2 % outliers, 5 % with two modes", 2, 5, 3, .003, .02, .01, .005, .02, .05},
          {"and 2 % outliers, 5 % with two modes", 2, 5, 5, .003, .02, .01, .005, .02, .05},
          {"and 2 % outliers, 5 % with two modes", 5, 4, 8, .003, .02, .01, .005, .02, .05},
          {"processes 0.5 %", 2, 5, 3, .005, .005, 0, 0, 0, 0},
          {"processes 0.5 %", 2, 5, 5, .005, .005, 0, 0, 0, 0},
          {"only two modes, 5 %", 2, 5, 3, .003, .02, 0, 0, 0, .05},
          {"only outliers, 2 %", 2, 5, 3, .003, .02, 0, 0, .02, 0}};
}

std::vector<setting> slowed() {
  std::vector<setting> all;
  for (const double slowdown : {0.03, 0.05, 0.10})
    for (const std::size_t sessions : {1, 2})
      all.push_back({fmt::format("processes 0.5 %, slower by {:.0f} %", 100 * slowdown), sessions,
                     10 / sessions, 3, .005, .005, 0, 0, 0, 0, slowdown});
  for (const double deviation : {.01, .02, .03})
    all.push_back({fmt::format("processes {:.0f} %, slower by 10 %", 100 * deviation), 2, 5, 3,
                   deviation, deviation, 0, 0, 0, 0, 0.10});
  for (const double slowdown : {0.03, 0.05, 0.10}) {
    all.push_back({fmt::format("and 1 % outliers, by {:.0f} %", 100 * slowdown), 2, 5, 3, .005,
                   .005, 0, 0, .01, 0, slowdown});
    all.push_back({fmt::format("and sessions 0-0.5 %, by {:.0f} %", 100 * slowdown), 2, 5, 3, .005,
                   .005, .005, 0, .01, 0, slowdown});
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t suites = 1000;
  std::size_t benchmarks = 200;
  std::uint64_t seed = 1;
  double percent = 2;
  CLI::App app{"How often the gate errs: simulated suites, judged as gate_transfers check does."};
  app.add_option("--suites", suites, "of each kind (1000)")->check(CLI::PositiveNumber);
  app.add_option("--benchmarks", benchmarks, "in each suite (200)")->check(CLI::Range(1, 100000));
  app.add_option("--seed", seed, "(1)");
  app.add_option("--threshold", percent, "the slowdown that counts, in percent (2)")
      ->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  gate::limits allowed;
  allowed.threshold = percent / 100;

  fmt::print("{} suites of {} benchmarks each, seed {}, nothing changed\n\n", suites, benchmarks,
             seed);
  fmt::print("{:<40} {:>8} {:>9} {:>4} {:>12} {:>13}\n", "what differs", "sessions", "processes",
             "new", "false alarms", "inconclusive");
  for (const auto& one : unchanged()) {
    const auto found = simulate(one, suites, benchmarks, seed, allowed);
    fmt::print("{:<40} {:>8} {:>9} {:>4} {:>10.1f} % {:>11.1f} %\n", one.name, one.sessions,
               one.sessions * one.processes, one.after, 100 * found.alarm,
               100 * found.inconclusive);
    std::cout.flush();
  }
  fmt::print(
      "\nA twentieth of the benchmarks slowed\n\n{:<40} {:>8} {:>9} {:>4} {:>7} {:>10} {:>10}\n",
      "what differs", "sessions", "processes", "new", "found", "ambiguous", "predicted");
  for (const auto& one : slowed()) {
    const auto found =
        simulate(one, std::max<std::size_t>(1, suites / 5), benchmarks, seed, allowed);
    fmt::print("{:<40} {:>8} {:>9} {:>4} {:>5.1f} % {:>8.1f} % {:>8.1f} %\n", one.name,
               one.sessions, one.sessions * one.processes, one.after, 100 * found.found,
               100 * found.ambiguous, 100 * found.predicted_at_least);
  }
  return 0;
}
