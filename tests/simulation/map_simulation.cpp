// Simulates how often maps of hosts err: docs/MAP.md has the figures and the command.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "src/statistics/quantile.hpp"
#include "src/topology/infer/infer.hpp"
#include "src/topology/map/reader.hpp"
#include "src/topology/report/report.hpp"
#include "tests/simulation/made_up_host.hpp"

using namespace bench_transfers;

namespace {

/// How many limits of which effect there were, and how many were found.
struct sensitivity {
  static constexpr std::array<double, 6> bounds{0.001, 0.025, 0.05, 0.1, 0.2, 1.01};
  std::array<double, 5> limits{}, found{};

  void add(double effect, bool is_found) {
    for (std::size_t i = 0; i < limits.size(); ++i) {
      if (effect < bounds[i] || effect >= bounds[i + 1]) continue;
      limits[i] += 1;
      found[i] += is_found;
    }
  }
};

struct totals {
  double hosts = 0, exact = 0, counted = 0, missed = 0, inventing = 0, within = 0, capacities = 0;
  std::vector<double> errors, sets;

  void add(const totals& more) {
    hosts += more.hosts;
    exact += more.exact;
    counted += more.counted;
    missed += more.missed;
    inventing += more.inventing;
    within += more.within;
    capacities += more.capacities;
    errors.insert(errors.end(), more.errors.begin(), more.errors.end());
    sets.insert(sets.end(), more.sets.begin(), more.sets.end());
  }
};

struct scenario {
  std::string name;
  std::size_t depth;
  bool visible = false;  ///< the PCI tree
  bool shuffled = false, unequal = false;
  double more_noise = 1;  ///< times as much as was asked for
  double unfairness = 0;
  bool unfair_links = false, unfair_devices = false;  ///< between directions
  double drift = 0;                                   ///< the part that is lost in the end
  bool all_drift = false;                             ///< not only one device
  bool is_slope = false;                              ///< not at once
  bool is_late = false;  ///< not directly after the devices were measured alone
};

/// Hosts of each depth in which one device, or all of them with their links, get slower.
std::vector<scenario> drifting_hosts() {
  std::vector<scenario> list;
  for (const std::size_t depth : {0, 2})
    for (const auto part : {0.03, 0.08})
      for (const bool all : {false, true})
        for (const auto* const shape : {"step", "late step", "slope"}) {
          scenario added{fmt::format("{}, {} {:.0f} %, {}",
                                     depth == 0 ? "nothing" : fmt::format("depth {}", depth),
                                     all ? "all" : "one", 100 * part, shape),
                         depth};
          added.drift = part;
          added.all_drift = all;
          added.is_slope = shape == std::string("slope");
          added.is_late = shape == std::string("late step");
          list.push_back(added);
        }
  return list;
}

/// Begins when all devices were measured alone, or up to so many sets later.
simulation::made_up_drift drift_of(const scenario& scenario, std::size_t devices,
                                   std::mt19937_64& random) {
  if (scenario.drift == 0) return {};
  const auto alone = 3 * static_cast<double>(devices);
  simulation::made_up_drift drift;
  drift.part = scenario.drift;
  drift.devices = scenario.all_drift ? topology::device_set::up_to(devices)
                                     : topology::device_set::of(random() % devices);
  drift.links = scenario.all_drift;
  drift.begin =
      scenario.is_late ? std::uniform_real_distribution<double>(alone, 2 * alone)(random) : alone;
  drift.length = scenario.is_slope ? 2 * alone : 0;
  return drift;
}

/// A view in which each link that devices share is a port.
topology::pci_view view_of(const simulation::made_up_host& host) {
  topology::pci_view view{true, {}};
  for (std::size_t device = 0; device < host.devices; ++device) {
    topology::pci_path path;
    std::vector<topology::device_set> above;
    for (const auto& limit : host.shared)
      if (limit.devices.contains(device) && std::ranges::find(above, limit.devices) == above.end())
        above.push_back(limit.devices);
    std::ranges::sort(above, std::greater{}, &topology::device_set::size);
    for (const auto set : above)
      path.hops.push_back(
          {fmt::format("0000:{:02x}:{:02x}.0", set.front(), set.size()), {}, {}, {}});
    path.hops.push_back({fmt::format("0000:f0:{:02x}.0", device), {}, {}, {}});
    view.paths.push_back(path);
  }
  return view;
}

void describe(const simulation::made_up_host& host, const topology::host_map& map) {
  for (const auto& limit : simulation::effects_of(host)) {
    fmt::print("  true {} {} effect {:.3f}\n", fmt::join(limit.devices.members(), ","),
               to_string(limit.kind), limit.effect);
  }
  for (const auto& limit : host.limits())
    if (limit.kind == topology::traffic::both && !limit.shares.are_fair())
      fmt::print("  true {} both gives {:.1f} GB/s, {:.3f} of it h2d\n",
                 fmt::join(limit.devices.members(), ","), limit.capacity / 1e9, limit.shares.h2d);
  for (const auto& link : map.links)
    for (const auto kind : topology::every_traffic)
      if (const auto& found = link.of(kind))
        fmt::print("  found {} {} effect {:.3f} in {} sets, {:.1f} GB/s, {:.3f} of it h2d\n",
                   fmt::join(link.devices.members(), ","), to_string(kind), found->effect,
                   found->sets, found->bytes_per_second.value / 1e9,
                   found->shares.value_or(topology::direction_shares{}).h2d);
}

/// How many capacities of links that exist lie within their intervals.
void count_intervals(const simulation::made_up_host& host, const topology::host_map& map,
                     totals& sums) {
  for (const auto& limit : host.shared)
    for (const auto& link : map.links)
      if (link.devices == limit.devices && link.of(limit.kind)) {
        const auto& found = link.of(limit.kind)->bytes_per_second;
        ++sums.capacities;
        if (found.low <= limit.capacity && limit.capacity <= found.high) ++sums.within;
      }
}

void simulate(const scenario& scenario, std::size_t devices, const simulation::made_up_noise& noise,
              bool verbose, std::mt19937_64& random, totals& sums, sensitivity& seen) {
  const auto host =
      simulation::random_host({devices, scenario.depth, scenario.shuffled, scenario.unequal,
                               scenario.unfair_links, scenario.unfair_devices},
                              random);
  simulation::made_up_measurement measure(host,
                                          {scenario.more_noise * noise.repetitions,
                                           scenario.more_noise * noise.sets, scenario.unfairness},
                                          random(), drift_of(scenario, devices, random));
  std::size_t sets = 0;
  const auto map = topology::infer(
      scenario.visible && scenario.depth > 0 ? view_of(host) : topology::pci_view{},
      simulation::names_of_devices(devices), [&](const auto& flows) { return measure(flows); },
      [&](std::size_t done, std::size_t) { sets = done; });
  const auto found = simulation::compare(host, map);
  ++sums.hosts;
  sums.exact += found.exact();
  sums.counted += static_cast<double>(found.counted);
  sums.missed += static_cast<double>(found.missed);
  sums.inventing += found.invented > 0;
  sums.sets.push_back(static_cast<double>(sets));
  count_intervals(host, map, sums);
  if (scenario.more_noise == 1 && scenario.unfairness == 0)
    for (const auto& limit : simulation::effects_of(host))
      seen.add(limit.effect, simulation::has(map, limit));
  for (const auto& set : map.sets)
    for (std::size_t i = 0; set.held_out && i < set.measured.size(); ++i)
      sums.errors.push_back(std::abs(set.predicted[i] / set.measured[i] - 1));
  if (verbose && !found.exact()) {
    fmt::print("{} devices, {}: {} of {} missed, {} invented, {} sets\n", devices, scenario.name,
               found.missed, found.counted, found.invented, sets);
    describe(host, map);
  }
}

void print_head() {
  fmt::print("{:<35} {:>7} {:>6} {:>8} {:>13} {:>9} {:>9} {:>7} {:>7} {:>5} {:>5}\n", "hosts",
             "devices", "hosts", "exact", "limits found", "inventing", "intervals", "median", "p95",
             "sets", "most");
}

void print(const std::string& name, const std::string& devices, totals sums) {
  std::ranges::sort(sums.errors);
  std::ranges::sort(sums.sets);
  const auto share = [](double part, double whole) {
    return whole > 0 ? fmt::format("{:.1f} %", 100 * part / whole) : std::string("-");
  };
  fmt::print("{:<35} {:>7} {:>6} {:>8} {:>13} {:>9} {:>9} {:>6.2f}% {:>6.2f}% {:>5} {:>5}\n", name,
             devices, sums.hosts, share(sums.exact, sums.hosts),
             share(sums.counted - sums.missed, sums.counted), share(sums.inventing, sums.hosts),
             share(sums.within, sums.capacities), 100 * statistics::quantile(sums.errors, 0.5),
             100 * statistics::quantile(sums.errors, 0.95), statistics::quantile(sums.sets, 0.5),
             sums.sets.back());
  std::cout.flush();
}

void print(const sensitivity& seen) {
  fmt::print("\nlimits by the part that they take off (noise as asked for, fair shares)\n");
  for (std::size_t i = 0; i < seen.limits.size(); ++i)
    if (seen.limits[i] > 0)
      fmt::print("{:>5.1f} to {:>5.1f} %: {:>6} limits, {:>5.1f} % found\n",
                 100 * sensitivity::bounds[i], std::min(100.0, 100 * sensitivity::bounds[i + 1]),
                 seen.limits[i], 100 * seen.found[i] / seen.limits[i]);
}

/// The map of the host made up from the rates of NVIDIA/cuda-samples issue 357.
int show_issue_357(const simulation::made_up_noise& noise, std::uint64_t seed) {
  simulation::made_up_measurement measure(simulation::host_of_issue_357(), noise, seed);
  std::size_t sets = 0;
  const auto map = topology::infer(
      {}, simulation::names_of_devices(8), [&](const auto& flows) { return measure(flows); },
      [&](std::size_t done, std::size_t) { sets = done; });
  fmt::print("{}{} sets were measured. This host is simulated.\n", topology::text_of(map), sets);
  return 0;
}

/// A map from the mean rates of the sets of another, which were measured.
int fit_again(const std::string& file) {
  const auto recorded = topology::read_map_file(file).map;
  std::vector<topology::observation> fitted_to;
  std::vector<topology::observation> held_out;
  for (const auto& set : recorded.sets) {
    topology::observation observed{set.flows, {}, {}};
    for (const auto rate : set.measured) observed.rates.push_back({rate});
    (set.held_out ? held_out : fitted_to).push_back(observed);
  }
  const auto map = topology::map_of(recorded.pci, recorded.devices, fitted_to, held_out);
  fmt::print("{}", topology::text_of(map));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t hosts = 50;
  std::uint64_t seed = 1;
  simulation::made_up_noise noise;
  std::vector<std::size_t> sizes{2, 3, 4, 6, 8, 12, 16};
  std::string only;
  bool verbose = false;
  bool issue_357 = false;
  bool drift = false;
  std::string recorded;
  CLI::App app{"How often maps of hosts err: made-up hosts, measured as bench_transfers map does."};
  app.add_option("--hosts", hosts, "of each kind and number of devices (50)")
      ->check(CLI::PositiveNumber);
  app.add_option("--seed", seed, "(1)");
  app.add_option("--noise", noise.repetitions, "of a repetition, as a part of the rate (0.01)");
  app.add_option("--noise-of-sets", noise.sets, "common to the repetitions of a set (0.005)");
  app.add_option("--devices", sizes, "numbers of devices (2 3 4 6 8 12 16)")
      ->check(CLI::Range(2, 64));
  app.add_option("--only", only, "the kinds of hosts whose name contains this");
  app.add_flag("--drift", drift, "hosts that get slower while they are measured");
  app.add_flag("--verbose", verbose, "show the hosts that were not recovered");
  app.add_flag("--issue-357", issue_357, "show the map of the host of NVIDIA/cuda-samples #357");
  app.add_option("--fit-again", recorded, "show the map of the sets of this host_map.json");
  CLI11_PARSE(app, argc, argv);

  std::vector<scenario> scenarios{
      {"nothing shared", 0},
      {"depth 1", 1},
      {"depth 2", 2},
      {"depth 3", 3},
      {"depth 1, tree visible", 1, true},
      {"depth 2, tree visible", 2, true},
      {"depth 3, tree visible", 3, true},
      {"depth 2, shuffled", 2, false, true},
      {"depth 3, shuffled", 3, false, true},
      {"depth 2, unequal devices", 2, false, false, true},
      {"depth 2, noise twice", 2, false, false, false, 2},
      {"depth 2, shares unfair by 3 %", 2, false, false, false, 1, 0.03},
      {"depth 2, shares unfair by 10 %", 2, false, false, false, 1, 0.1},
      {"depth 1, unfair directions", 1, false, false, false, 1, 0, true},
      {"depth 2, unfair directions", 2, false, false, false, 1, 0, true},
      {"depth 3, unfair directions", 3, false, false, false, 1, 0, true},
      {"depth 2, unfair directions, devices", 2, false, false, false, 1, 0, true, true}};
  if (drift) scenarios = drifting_hosts();
  if (issue_357) return show_issue_357(noise, seed);
  if (!recorded.empty()) return fit_again(recorded);
  sensitivity seen;
  print_head();
  for (const auto& scenario : scenarios) {
    if (scenario.name.find(only) == std::string::npos) continue;
    totals whole;
    for (const auto devices : sizes) {
      std::mt19937_64 random(seed);
      totals sums;
      for (std::size_t i = 0; i < hosts; ++i)
        simulate(scenario, devices, noise, verbose, random, sums, seen);
      print(scenario.name, fmt::format("{}", devices), sums);
      whole.add(sums);
    }
    if (sizes.size() > 1) print(scenario.name, "any", whole);
  }
  print(seen);
  return 0;
}
