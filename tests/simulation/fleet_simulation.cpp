// Simulates how often the judge of fleets errs: docs/FLEET.md has the figures and the command.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "src/fleet/judge/judge.hpp"
#include "src/statistics/quantile.hpp"
#include "tests/simulation/made_up_fleet.hpp"

using namespace bench_transfers;

namespace {

using simulation::fault;

/// Faults of one kind, of which a sweep has several.
struct fault_kind {
  fault::where at;
  double slower;
  std::size_t count;
  std::vector<fleet::direction> towards = {fleet::direction::h2d, fleet::direction::d2h};
};

struct scenario {
  std::string name;
  simulation::fleet_kind fleet;
  std::vector<fault_kind> faults = {};
};

const char* word_of(fault::where at) {
  switch (at) {
    case fault::where::gpu: return "GPU";
    case fault::where::node: return "node";
    case fault::where::rack: return "rack";
    case fault::where::slot: return "slot";
    case fault::where::fleet: break;
  }
  return "fleet";
}

std::string describe(const fault_kind& kind) {
  return fmt::format("{} {:.0f} % slower{}", word_of(kind.at), 100 * kind.slower,
                     kind.towards.size() == 1 ? ", " + to_string(kind.towards.front()) : "");
}

/// How many faults of a kind there were, and how many were found.
struct tally {
  std::size_t made = 0;
  std::size_t named = 0;    ///< by this part's own name
  std::size_t blurred = 0;  ///< by a part around it, or by parts of it
};

struct totals {
  std::size_t sweeps = 0, wrong = 0, sweeps_with_wrong = 0, healthy = 0, unknown = 0;
  std::map<std::string, tally> faults;
  std::vector<double> detectable;
};

/// Parts of the fleet that a fault lies in, and those that lie in it.
bool touches(const fleet::sweep& sweep, const fleet::finding& found, const fault& fault) {
  return std::ranges::any_of(sweep.gpus, [&](const fleet::gpu& gpu) {
    const auto is_in = [&](const std::string& name) {
      return gpu.uuid == name || gpu.node == name || gpu.rack == name;
    };
    return is_in(found.name) && is_in(fault.name);
  });
}

/// Whether a finding is about this fault: it has the fault's name, or stands in for it, because the
/// fault has not been named itself. Whatever else is named beside a fault is wrong.
bool is_about(const fleet::sweep& sweep, const fleet::finding& found, const fault& fault,
              const std::set<std::string>& names) {
  return found.name == fault.name || (!names.contains(fault.name) && touches(sweep, found, fault));
}

/// Faults of all kinds in different nodes, and slow racks without others.
std::vector<fault> place(const scenario& scenario, std::mt19937_64& random) {
  const auto& fleet = scenario.fleet;
  const auto racks = (fleet.nodes + fleet.nodes_in_rack - 1) / fleet.nodes_in_rack;
  std::vector<std::size_t> nodes(fleet.nodes);
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i] = i;
  std::ranges::shuffle(nodes, random);
  std::vector<fault> faults;
  std::vector<std::size_t> slow_racks;
  const auto add = [&](const fault_kind& kind, std::string name) {
    faults.push_back({kind.at, std::move(name), kind.slower, true, kind.towards});
  };
  for (const auto& kind : scenario.faults) {
    if (kind.at != fault::where::rack) continue;
    for (std::size_t i = 0; i < kind.count; ++i) {
      slow_racks.push_back(random() % racks);
      add(kind, simulation::name_of_rack(slow_racks.back()));
    }
  }
  std::erase_if(nodes, [&](std::size_t node) {
    return std::ranges::find(slow_racks, node / fleet.nodes_in_rack) != slow_racks.end();
  });
  for (const auto& kind : scenario.faults) {
    if (kind.at == fault::where::rack) continue;
    for (std::size_t i = 0; i < kind.count && !nodes.empty(); ++i, nodes.pop_back())
      add(kind, kind.at == fault::where::node
                    ? simulation::name_of_node(nodes.back())
                    : simulation::name_of_gpu(nodes.back(), random() % fleet.gpus_in_node));
  }
  return faults;
}

bool is_there(const fleet::sweep& sweep, const fault& fault) {
  return std::ranges::any_of(sweep.gpus, [&](const fleet::gpu& gpu) {
    return gpu.uuid == fault.name || gpu.node == fault.name || gpu.rack == fault.name;
  });
}

void count(const scenario& scenario, const fleet::sweep& sweep, const std::vector<fault>& faults,
           const fleet::judgement& judged, totals& sums) {
  std::size_t wrong = 0;
  std::set<std::string> names;
  for (const auto& found : judged.findings) names.insert(found.name);
  for (const auto& found : judged.findings)
    wrong += std::ranges::none_of(
        faults, [&](const fault& fault) { return is_about(sweep, found, fault, names); });
  sums.wrong += wrong;
  sums.sweeps_with_wrong += wrong > 0;
  std::size_t next = 0;
  const auto count_kind = [&](const fault_kind& kind) {
    auto& tally = sums.faults[describe(kind)];
    for (std::size_t i = 0; i < kind.count && next < faults.size(); ++i, ++next) {
      const auto& fault = faults[next];
      if (!is_there(sweep, fault)) continue;
      ++tally.made;
      const auto& findings = judged.findings;
      const bool named =
          std::ranges::find(findings, fault.name, &fleet::finding::name) != findings.end();
      tally.named += named;
      tally.blurred += !named && std::ranges::any_of(findings, [&](const auto& found) {
        return touches(sweep, found, fault);
      });
    }
  };
  for (const auto& kind : scenario.faults)
    if (kind.at == fault::where::rack) count_kind(kind);
  for (const auto& kind : scenario.faults)
    if (kind.at != fault::where::rack) count_kind(kind);
}

void simulate(const scenario& scenario, std::mt19937_64& random, totals& sums) {
  const auto faults = place(scenario, random);
  const auto sweep = simulation::make_up(scenario.fleet, faults, random);
  const auto judged = fleet::judge(sweep, fleet::settings::usual());
  ++sums.sweeps;
  sums.healthy += judged.verdict == fleet::verdict::healthy;
  sums.unknown += judged.verdict == fleet::verdict::unknown;
  count(scenario, sweep, faults, judged, sums);
  double detectable = 0;
  for (const auto& tested : judged.tested)
    if (tested.aspect.kind == fleet::benchmark_class::link && !is_wide(tested.parts.scope))
      detectable = std::max(detectable, tested.detectable);
  sums.detectable.push_back(detectable);
}

void print(const scenario& scenario, totals sums) {
  const auto share = [](std::size_t part, std::size_t whole) {
    return whole > 0 ? fmt::format("{:.1f} %",
                                   100.0 * static_cast<double>(part) / static_cast<double>(whole))
                     : std::string("-");
  };
  std::ranges::sort(sums.detectable);
  fmt::print(
      "{}\n  {} sweeps of {} x {} GPUs: {} healthy, {} unknown; {} wrong findings, in {} of "
      "the sweeps; detectable {:.1f} %\n",
      scenario.name, sums.sweeps, scenario.fleet.nodes, scenario.fleet.gpus_in_node,
      share(sums.healthy, sums.sweeps), share(sums.unknown, sums.sweeps), sums.wrong,
      share(sums.sweeps_with_wrong, sums.sweeps), 100 * statistics::quantile(sums.detectable, 0.5));
  for (const auto& [name, tally] : sums.faults)
    fmt::print("  {:<28} {:>6} made, found {:>7}, named rightly {:>7}\n", name, tally.made,
               share(tally.named + tally.blurred, tally.made), share(tally.named, tally.made));
  std::cout.flush();
}

std::vector<scenario> scenarios_of(std::size_t nodes) {
  using enum fault::where;
  const auto h2d = std::vector{fleet::direction::h2d};
  const std::vector<fault_kind> usual{{gpu, .03, 20}, {gpu, .05, 20}, {gpu, .05, 20, h2d},
                                      {node, .03, 5}, {node, 1.0, 2}, {rack, .05, 1}};
  simulation::fleet_kind healthy{.nodes = nodes};
  auto tails = healthy;
  tails.heavy_tails = true;
  auto worst = tails;
  worst.models = 2;
  worst.dead = 0.02;
  std::vector<scenario> list{{"healthy", healthy},
                             {"healthy, heavy tails", tails},
                             {"healthy, heavy tails, 2 % dead, two models", worst},
                             {"faults", healthy, usual},
                             {"faults, heavy tails", tails, usual},
                             {"faults, heavy tails, 2 % dead, two models", worst, usual}};
  for (auto several : {healthy, tails}) {
    several.runs = 3;
    const std::string name = several.heavy_tails ? "three runs, heavy tails" : "three runs";
    list.push_back({name + ", healthy", several});
    list.push_back({name, several, usual});
  }
  for (const auto nodes_in_rack : {2, 3, 4}) {
    auto racks = healthy;
    racks.nodes = 60;
    racks.nodes_in_rack = static_cast<std::size_t>(nodes_in_rack);
    const auto name = fmt::format("racks of {} nodes", nodes_in_rack);
    list.push_back({name, racks, {{node, .05, 1}}});
    list.push_back({name, racks, {{node, 1.0, 1}}});
    list.push_back({name, racks, {{rack, .05, 1}}});
  }
  for (const auto& [few, gpus] : {std::pair{1, 2}, {1, 8}, {2, 1}, {2, 8}, {4, 4}, {16, 1}}) {
    const simulation::fleet_kind small{.nodes = static_cast<std::size_t>(few),
                                       .gpus_in_node = static_cast<std::size_t>(gpus)};
    list.push_back({"small, healthy", small});
    for (const auto slower : {.03, .05, .1, 1.0})
      list.push_back({"small", small, {{gpu, slower, 1}}});
    if (few > 1 && gpus > 1) list.push_back({"small", small, {{node, 1.0, 1}}});
  }
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t sweeps = 20;
  std::size_t small_sweeps = 300;
  std::size_t nodes = 1000;
  std::uint64_t seed = 1;
  std::string only;
  CLI::App app{"How often the judge of fleets errs, on made-up sweeps."};
  app.add_option("--sweeps", sweeps, "of each large fleet (20)")->check(CLI::PositiveNumber);
  app.add_option("--small-sweeps", small_sweeps, "of each small fleet (300)")
      ->check(CLI::PositiveNumber);
  app.add_option("--nodes", nodes, "of the large fleets (1000)")->check(CLI::Range(100, 100000));
  app.add_option("--seed", seed, "(1)");
  app.add_option("--only", only, "the fleets whose name contains this");
  CLI11_PARSE(app, argc, argv);

  for (const auto& scenario : scenarios_of(nodes)) {
    if (scenario.name.find(only) == std::string::npos) continue;
    std::mt19937_64 random(seed);
    totals sums;
    const auto count = scenario.fleet.nodes < 100 ? small_sweeps : sweeps;
    for (std::size_t i = 0; i < count; ++i) simulate(scenario, random, sums);
    print(scenario, sums);
  }
  return 0;
}
