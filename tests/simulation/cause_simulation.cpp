// Simulates whether one cause leads to one finding: results/fleet/2026-11-26-causes.txt has its
// output.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "src/fleet/judge/judge.hpp"
#include "tests/simulation/causes.hpp"

using namespace bench_transfers;
using namespace bench_transfers::simulation;

namespace {

double percent(std::size_t part, std::size_t whole) {
  return 100 * static_cast<double>(part) / static_cast<double>(whole);
}

std::vector<fleet_kind> fleets() {
  std::vector<fleet_kind> list;
  for (auto [nodes, gpus, nodes_in_rack] : {std::tuple{200, 8, 16}, {16, 8, 4}, {3, 4, 3}})
    for (const bool heavy_tails : {false, true})
      list.push_back({.nodes = static_cast<std::size_t>(nodes),
                      .gpus_in_node = static_cast<std::size_t>(gpus),
                      .nodes_in_rack = static_cast<std::size_t>(nodes_in_rack),
                      .heavy_tails = heavy_tails,
                      .between_sweeps = 0.2,
                      .of_sweeps = 0.2});
  return list;
}

std::string name_of(const fleet_kind& kind) {
  return fmt::format("{} x {}, {}", kind.nodes, kind.gpus_in_node,
                     kind.heavy_tails ? "heavy tails" : "normal");
}

/// How often a cause leads to what it must, and to how many findings.
void try_causes(const fleet_kind& kind, double slower, std::size_t sweeps, std::uint64_t seed,
                const std::string& only) {
  std::mt19937_64 random(seed);
  const auto kinds = causes_of(kind, slower, random).size();
  for (std::size_t which = 0; which < kinds; ++which) {
    std::size_t right = 0, all_found = 0, findings = 0, expected = 0;
    std::string name;
    for (std::size_t i = 0; i < sweeps; ++i) {
      const auto cause = causes_of(kind, slower, random)[which];
      name = cause.name;
      if (name.find(only) == std::string::npos) break;
      const auto found = judged(kind, cause, random);
      right += is_as_expected(found, cause);
      all_found += is_found(found, cause);
      findings += found.findings.size();
      expected = cause.expected.size();
    }
    if (expected > 0)
      fmt::print(
          "{}, {:g} %, {}: {} expected, found in {:.1f} %, alone in {:.1f} % of {}, {:.2f} "
          "findings\n",
          name_of(kind), 100 * slower, name, expected, percent(all_found, sweeps),
          percent(right, sweeps), sweeps,
          static_cast<double>(findings) / static_cast<double>(sweeps));
    std::cout.flush();
  }
}

void try_healthy(const fleet_kind& kind, std::size_t sweeps, std::uint64_t seed) {
  for (const bool has_reference : {false, true})
    for (const std::size_t models : {1, 2}) {
      std::mt19937_64 random(seed);
      std::size_t wrong = 0, with_wrong = 0;
      for (std::size_t i = 0; i < sweeps; ++i) {
        const auto found = judged(kind, {"healthy", {}, {}, models, has_reference}, random);
        wrong += found.findings.size();
        with_wrong += !found.findings.empty();
      }
      fmt::print("{}, healthy, {}{}: {} wrong findings in {} of {} sweeps\n", name_of(kind),
                 models == 1 ? "one model" : "two models",
                 has_reference ? ", with a reference" : "", wrong, with_wrong, sweeps);
      std::cout.flush();
    }
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t sweeps = 100;
  std::uint64_t seed = 1;
  std::vector<double> percents{2.2, 2.5, 3, 5};
  std::string only, only_fleet;
  bool healthy = false;
  CLI::App app{"Whether one cause leads to one finding, on made-up sweeps."};
  app.add_option("--sweeps", sweeps, "of each cause and fleet (100)")->check(CLI::PositiveNumber);
  app.add_option("--seed", seed, "(1)");
  app.add_option("--slower", percents, "in percent (2.2,2.5,3,5)")->delimiter(',');
  app.add_option("--only", only, "the causes whose name contains this");
  app.add_option("--fleet", only_fleet, "the fleets whose name contains this");
  app.add_flag("--healthy", healthy, "count wrong findings in healthy fleets instead");
  CLI11_PARSE(app, argc, argv);

  for (const auto& kind : fleets()) {
    if (name_of(kind).find(only_fleet) == std::string::npos) continue;
    if (healthy) {
      try_healthy(kind, sweeps, seed);
      continue;
    }
    for (const auto slower : percents) try_causes(kind, slower / 100, sweeps, seed, only);
  }
  return 0;
}
