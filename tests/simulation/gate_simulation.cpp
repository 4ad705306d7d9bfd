// Simulates how often the gate errs: docs/GATE.md has the figures and the command.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "src/gate/judge/answer.hpp"
#include "src/gate/judge/compare.hpp"

using namespace bench_transfers;

namespace {

struct scenario {
  std::string name;
  std::size_t sessions, processes, new_processes;  ///< of the baseline, of each session, in all
  double least_deviation, most_deviation;          ///< of processes, log-uniform over benchmarks
  double most_session_deviation;                   ///< uniform over benchmarks
  double common_session_deviation;  ///< of the shift that all benchmarks of a session share
  double outliers;                  ///< part of processes, 5 to 50 % slower
  double two_modes;     ///< part of benchmarks, 3 to 15 % slower in 10 to 50 % of processes
  double slowdown = 0;  ///< of a twentieth of the benchmarks
};

struct simulated_suite {
  std::vector<gate::observation> benchmarks;
  std::vector<bool> slowed;
};

/// How the times of one benchmark vary.
struct noise {
  double process_deviation = 0, session_deviation = 0;
  bool two_modes = false;
  double mode_distance = 0;    ///< logarithm of the slow mode's time over the fast one's
  double slow_mode_share = 0;  ///< part of processes in the slow mode
};

class simulation {
 public:
  explicit simulation(std::uint64_t seed) : random_(seed) {}

  simulated_suite next_suite(const scenario& scenario, std::size_t benchmarks) {
    simulated_suite suite;
    std::vector<double> common_shifts(scenario.sessions + 1);
    for (auto& shift : common_shifts) shift = normal(scenario.common_session_deviation);
    for (std::size_t i = 0; i < benchmarks; ++i) {
      const bool slowed = scenario.slowdown > 0 && i < (benchmarks + 19) / 20;
      suite.slowed.push_back(slowed);
      suite.benchmarks.push_back(next_benchmark(scenario, common_shifts, slowed));
    }
    return suite;
  }

 private:
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  double normal(double deviation) {
    return deviation > 0 ? std::normal_distribution<double>(0, deviation)(random_) : 0;
  }

  noise next_noise(const scenario& scenario) {
    // The order of these calls determines the results for a seed.
    noise noise;
    noise.process_deviation =
        std::exp(uniform(std::log(scenario.least_deviation), std::log(scenario.most_deviation)));
    noise.session_deviation = uniform(0, scenario.most_session_deviation);
    noise.two_modes = uniform(0, 1) < scenario.two_modes;
    noise.mode_distance = uniform(0.03, 0.15);
    noise.slow_mode_share = uniform(0.1, 0.5);
    return noise;
  }

  /// Costs of one benchmark in the processes of one session.
  std::vector<double> next_session(const noise& noise, double common_shift, double outliers,
                                   std::size_t processes) {
    const double level = common_shift + normal(noise.session_deviation);
    std::vector<double> costs;
    for (std::size_t i = 0; i < processes; ++i) {
      double cost = level + normal(noise.process_deviation);
      if (uniform(0, 1) < outliers) cost += std::log(uniform(1.05, 1.5));
      if (noise.two_modes && uniform(0, 1) < noise.slow_mode_share) cost += noise.mode_distance;
      costs.push_back(cost);
    }
    return costs;
  }

  gate::observation next_benchmark(const scenario& scenario,
                                   const std::vector<double>& common_shifts, bool slowed) {
    const auto noise = next_noise(scenario);
    gate::observation benchmark;
    for (std::size_t session = 0; session < scenario.sessions; ++session)
      benchmark.before.push_back(
          next_session(noise, common_shifts[session], scenario.outliers, scenario.processes));
    benchmark.after.push_back(
        next_session(noise, common_shifts.back(), scenario.outliers, scenario.new_processes));
    if (slowed)
      for (auto& cost : benchmark.after.front()) cost += std::log1p(scenario.slowdown);
    return benchmark;
  }

  std::mt19937_64 random_;
};

struct rates {
  double false_alarms = 0, inconclusive = 0;  ///< of suites
  double detected = 0, ambiguous = 0;         ///< of slowed benchmarks
  double predicted = 0;  ///< of slowed benchmarks: the slowdown is at least `detectable`
};

rates simulate(const scenario& scenario, std::size_t suites, std::size_t benchmarks,
               std::uint64_t seed, const gate::limits& limits) {
  simulation simulation(seed);
  rates rates;
  double slowed_benchmarks = 0;
  for (std::size_t i = 0; i < suites; ++i) {
    const auto suite = simulation.next_suite(scenario, benchmarks);
    const auto comparison = gate::compare(suite.benchmarks, limits);
    bool false_alarm = false;
    const auto tested = std::ranges::count_if(comparison.benchmarks, [](const auto& judgement) {
      return judgement.verdict != gate::outcome::not_known &&
             judgement.verdict != gate::outcome::ambiguous;
    });
    bool inconclusive = std::ranges::any_of(comparison.classes, &gate::common_shift::changed) ||
                        static_cast<double>(tested) <
                            gate::least_tested_part * static_cast<double>(benchmarks);
    for (std::size_t b = 0; b < benchmarks; ++b) {
      const auto& judgement = comparison.benchmarks[b];
      const bool slower = judgement.verdict == gate::outcome::slower;
      const bool ambiguous = judgement.verdict == gate::outcome::ambiguous;
      if (suite.slowed[b]) {
        ++slowed_benchmarks;
        rates.detected += slower;
        rates.ambiguous += ambiguous;
        rates.predicted += judgement.detectable <= std::log1p(scenario.slowdown);
      } else {
        false_alarm = false_alarm || slower;
        inconclusive = inconclusive || ambiguous;
      }
    }
    rates.false_alarms += false_alarm;
    rates.inconclusive += inconclusive && !false_alarm;
  }
  rates.false_alarms /= static_cast<double>(suites);
  rates.inconclusive /= static_cast<double>(suites);
  if (slowed_benchmarks > 0)
    for (auto* count : {&rates.detected, &rates.ambiguous, &rates.predicted})
      *count /= slowed_benchmarks;
  return rates;
}

/// The values are in the order of the members of `scenario`.
std::vector<scenario> unchanged_scenarios() {
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

std::vector<scenario> slowed_scenarios() {
  std::vector<scenario> scenarios;
  for (const double slowdown : {0.03, 0.05, 0.10})
    for (const std::size_t sessions : {1, 2})
      scenarios.push_back({fmt::format("processes 0.5 %, slower by {:.0f} %", 100 * slowdown),
                           sessions, 10 / sessions, 3, .005, .005, 0, 0, 0, 0, slowdown});
  for (const double deviation : {.01, .02, .03})
    scenarios.push_back({fmt::format("processes {:.0f} %, slower by 10 %", 100 * deviation), 2, 5,
                         3, deviation, deviation, 0, 0, 0, 0, 0.10});
  for (const double slowdown : {0.03, 0.05, 0.10}) {
    scenarios.push_back({fmt::format("and 1 % outliers, by {:.0f} %", 100 * slowdown), 2, 5, 3,
                         .005, .005, 0, 0, .01, 0, slowdown});
    scenarios.push_back({fmt::format("and sessions 0-0.5 %, by {:.0f} %", 100 * slowdown), 2, 5, 3,
                         .005, .005, .005, 0, .01, 0, slowdown});
  }
  return scenarios;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t suites = 1000;
  std::size_t benchmarks = 200;
  std::uint64_t seed = 1;
  double threshold_percent = 2;
  CLI::App app{"How often the gate errs: simulated suites, judged as gate_transfers check does."};
  app.add_option("--suites", suites, "of each kind (1000)")->check(CLI::PositiveNumber);
  app.add_option("--benchmarks", benchmarks, "in each suite (200)")->check(CLI::Range(1, 100000));
  app.add_option("--seed", seed, "(1)");
  app.add_option("--threshold", threshold_percent, "the slowdown that counts, in percent (2)")
      ->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  gate::limits limits;
  limits.threshold = threshold_percent / 100;

  fmt::print("{} suites of {} benchmarks each, seed {}, nothing changed\n\n", suites, benchmarks,
             seed);
  fmt::print("{:<40} {:>8} {:>9} {:>4} {:>12} {:>13}\n", "what differs", "sessions", "processes",
             "new", "false alarms", "inconclusive");
  for (const auto& scenario : unchanged_scenarios()) {
    const auto rates = simulate(scenario, suites, benchmarks, seed, limits);
    fmt::print("{:<40} {:>8} {:>9} {:>4} {:>10.1f} % {:>11.1f} %\n", scenario.name,
               scenario.sessions, scenario.sessions * scenario.processes, scenario.new_processes,
               100 * rates.false_alarms, 100 * rates.inconclusive);
    std::cout.flush();
  }
  fmt::print(
      "\nA twentieth of the benchmarks slowed\n\n{:<40} {:>8} {:>9} {:>4} {:>7} {:>10} {:>10}\n",
      "what differs", "sessions", "processes", "new", "found", "ambiguous", "predicted");
  const auto slowed_suites = std::max<std::size_t>(1, suites / 5);
  for (const auto& scenario : slowed_scenarios()) {
    const auto rates = simulate(scenario, slowed_suites, benchmarks, seed, limits);
    fmt::print("{:<40} {:>8} {:>9} {:>4} {:>5.1f} % {:>8.1f} % {:>8.1f} %\n", scenario.name,
               scenario.sessions, scenario.sessions * scenario.processes, scenario.new_processes,
               100 * rates.detected, 100 * rates.ambiguous, 100 * rates.predicted);
  }
  return 0;
}
