// How often the gate errs on machines that differ by as much as the recorded ones:
// results/gate/machines-2026-11-26.txt has its output.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "src/gate/judge/check.hpp"

using namespace bench_transfers;

namespace {

struct range {
  double least, most;
};

/// One class of a quick run. Its noise is that of results/nvidia-h200: from the 5th to the 95th
/// percentile of its benchmarks.
struct simulated_class {
  gate::benchmark_class kind;
  std::size_t benchmarks;
  double nanoseconds;
  range process_deviation;
  range machine_deviation;  ///< beyond what the class has in common
  double common_deviation;  ///< of the class from machine to machine
};

constexpr std::array recorded_classes{
    simulated_class{gate::benchmark_class::link, 56, 2.4e6, {.0008, .0020}, {.0004, .0029}, .0022},
    simulated_class{gate::benchmark_class::host, 24, 1.0e6, {.0233, .0918}, {.0113, .0733}, .0709},
    simulated_class{
        gate::benchmark_class::latency, 160, 7e3, {.0072, .0562}, {.0200, .1204}, .0734}};

struct options {
  std::size_t suites = 1000;
  std::size_t machines = 4;  ///< of the baseline
  std::size_t runs = 5;      ///< of each of them
  std::size_t new_runs = 3;
  double outliers = 0.001;  ///< part of values, 2 to 50 % slower
  std::uint64_t seed = 1;
};

/// Suites of one baseline and new runs of another machine.
class laboratory {
 public:
  explicit laboratory(const options& options) : options_(options), random_(options.seed) {}

  struct made_up_suite {
    gate::baseline before;
    std::vector<gate::run> after;
  };

  /// `slowed`: the first benchmarks of the class `link`, slower by a part.
  made_up_suite next(std::size_t slowed, double slowdown) {
    made_up_suite result;
    add_processes(result);
    for (const auto& kind : recorded_classes) add_class(kind, slowed, slowdown, result);
    return result;
  }

 private:
  static constexpr std::chrono::hours between_machines{24};

  void add_processes(made_up_suite& suite) const {
    suite.before.device = "simulated GPU";
    suite.before.machine = {{"device.name", "simulated GPU"}};
    for (std::size_t m = 0; m <= options_.machines; ++m) {
      const auto started = std::chrono::sys_seconds{} + between_machines * (m + 1);
      const bool is_new = m == options_.machines;
      for (std::size_t r = 0; r < (is_new ? options_.new_runs : options_.runs); ++r) {
        const auto card = fmt::format("GPU-{}", m);
        const auto number = 1000 * m + r;
        if (!is_new) {
          suite.before.processes.push_back({fmt::format("{}", number), started, "", card, number});
          continue;
        }
        auto& run = suite.after.emplace_back();
        run.file = fmt::format("{}", number);
        run.ours = true;
        run.device = suite.before.device;
        run.machine = suite.before.machine;
        run.card = card;
        run.started = started;
        run.content = number;
      }
    }
  }

  void add_class(const simulated_class& kind, std::size_t slowed, double slowdown,
                 made_up_suite& suite) {
    std::vector<double> common;
    for (std::size_t m = 0; m <= options_.machines; ++m)
      common.push_back(normal(kind.common_deviation));
    for (std::size_t i = 0; i < kind.benchmarks; ++i) {
      const auto name = fmt::format("{}/{}", to_string(kind.kind), i);
      const double process_deviation = log_uniform(kind.process_deviation);
      const double machine_deviation = log_uniform(kind.machine_deviation);
      auto& history = suite.before.benchmarks[name];
      history.limited_by = kind.kind;
      for (std::size_t m = 0; m <= options_.machines; ++m) {
        const double level = std::log(kind.nanoseconds) + common[m] + normal(machine_deviation);
        const bool is_new = m == options_.machines;
        const bool is_slowed = is_new && kind.kind == gate::benchmark_class::link && i < slowed;
        for (std::size_t r = 0; r < (is_new ? options_.new_runs : options_.runs); ++r) {
          double cost = level + normal(process_deviation) + (is_slowed ? std::log1p(slowdown) : 0);
          if (uniform(0, 1) < options_.outliers) cost += std::log(uniform(1.02, 1.5));
          if (is_new)
            suite.after[r].benchmarks[name] = {{std::exp(cost)}, 0, {}, kind.kind};
          else
            history.figures.emplace_back(std::exp(cost));
        }
      }
    }
  }

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  double log_uniform(range range) {
    return std::exp(uniform(std::log(range.least), std::log(range.most)));
  }
  double normal(double deviation) {
    return std::normal_distribution<double>(0, deviation)(random_);
  }

  const options& options_;
  std::mt19937_64 random_;
};

struct tally {
  std::map<gate::benchmark_class, std::map<gate::exit_code, std::size_t>> answers;
  std::size_t false_alarms = 0;  ///< suites in which a benchmark is called slower that is not
  std::size_t detected = 0;      ///< slowed benchmarks
};

tally simulate(const options& options, std::size_t slowed, double slowdown) {
  laboratory laboratory(options);
  tally tally;
  for (std::size_t i = 0; i < options.suites; ++i) {
    const auto suite = laboratory.next(slowed, slowdown);
    const auto answer = gate::check(suite.before, suite.after, {});
    for (const auto& part : answer.classes) ++tally.answers[part.kind][part.code];
    bool is_false = false;
    for (const auto& benchmark : answer.findings) {
      if (benchmark.result != gate::verdict::slower) continue;
      const bool is_slowed = benchmark.kind == gate::benchmark_class::link &&
                             std::stoul(benchmark.name.substr(5)) < slowed;
      tally.detected += is_slowed;
      is_false = is_false || !is_slowed;
    }
    tally.false_alarms += is_false;
  }
  return tally;
}

void print(tally& tally, const options& options, std::size_t slowed) {
  const auto percent = [](std::size_t part, std::size_t whole) {
    return 100 * static_cast<double>(part) / static_cast<double>(whole);
  };
  fmt::print("false alarms {:.1f} %", percent(tally.false_alarms, options.suites));
  if (slowed > 0)
    fmt::print(", slowed benchmarks found {:.1f} %",
               percent(tally.detected, slowed * options.suites));
  fmt::print("\n");
  for (auto& [kind, answers] : tally.answers)
    fmt::print("  {:<8} PASS {:.1f} %, REGRESSION {:.1f} %, INCONCLUSIVE {:.1f} %\n",
               to_string(kind), percent(answers[gate::exit_code::pass], options.suites),
               percent(answers[gate::exit_code::regression], options.suites),
               percent(answers[gate::exit_code::inconclusive], options.suites));
}

}  // namespace

int main(int argc, char** argv) {
  options options;
  CLI::App app{"How often the gate errs on machines that differ as the recorded ones do."};
  app.add_option("--suites", options.suites, "of each kind (1000)")->check(CLI::PositiveNumber);
  app.add_option("--machines", options.machines, "of the baseline (4)")->check(CLI::PositiveNumber);
  app.add_option("--runs", options.runs, "of each of them (5)")->check(CLI::PositiveNumber);
  app.add_option("--new-runs", options.new_runs, "(3)")->check(CLI::PositiveNumber);
  app.add_option("--outliers", options.outliers,
                 "part of values that are 2 to 50 % slower (0.001)");
  app.add_option("--seed", options.seed, "(1)");
  CLI11_PARSE(app, argc, argv);

  fmt::print("{} suites, {} machines of {} runs before, {} new runs of another machine, seed {}\n",
             options.suites, options.machines, options.runs, options.new_runs, options.seed);
  constexpr std::size_t slowed = 3;
  for (const double slowdown : {0.0, 0.02, 0.03, 0.05}) {
    fmt::print("\n{}: ", slowdown > 0 ? fmt::format("{} benchmarks of the link slower by {:g} %",
                                                    slowed, 100 * slowdown)
                                      : std::string("nothing changed"));
    auto result = simulate(options, slowdown > 0 ? slowed : 0, slowdown);
    print(result, options, slowdown > 0 ? slowed : 0);
  }
  return 0;
}
