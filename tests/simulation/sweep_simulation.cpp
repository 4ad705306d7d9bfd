// Tells what the judge of fleets would find at the noise of a sweep: docs/FLEET.md has the command.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "src/common/text.hpp"
#include "src/fleet/io/sweep_file.hpp"
#include "src/fleet/report/words.hpp"
#include "src/statistics/estimate.hpp"
#include "src/statistics/square.hpp"
#include "tests/simulation/simulate.hpp"

using namespace bench_transfers;
using namespace bench_transfers::simulation;

namespace {

/// The share that is found, with Wilson's 95 % interval (1927).
statistics::estimate share_of(const tried_fault& tried) {
  constexpr double z = 1.96;
  const auto made = static_cast<double>(tried.made);
  const auto share = static_cast<double>(tried.found) / made;
  const auto spread = statistics::square(z) / made;
  const auto centre = (share + spread / 2) / (1 + spread);
  const auto half =
      z / (1 + spread) * std::sqrt(share * (1 - share) / made + statistics::square(z / made) / 4);
  return {share, std::max(0.0, centre - half), std::min(1.0, centre + half)};
}

/// What the shares may be wrong by.
double widest_half_interval(const simulated_findings& simulated) {
  double widest = 0;
  for (const auto& tried : simulated.faults) {
    if (tried.made == 0) continue;
    const auto share = share_of(tried);
    widest = std::max(widest, (share.high - share.low) / 2);
  }
  return widest;
}

/// How many sweeps together find 95 % of these; none if not as many as were tried.
std::optional<std::size_t> sweeps_needed(const simulated_findings& simulated,
                                         const tried_fault& fault) {
  constexpr double reliably = 0.95;
  std::optional<std::size_t> least;
  for (const auto& tried : simulated.faults)
    if (tried.scope == fault.scope && tried.slower == fault.slower && tried.made > 0 &&
        share_of(tried).value >= reliably && (!least || tried.sweeps < *least))
      least = tried.sweeps;
  return least;
}

/// Whether any fleet had room for such a fault.
bool is_tried(const simulated_findings& simulated, const tried_fault& fault) {
  return std::ranges::any_of(simulated.faults, [&](const tried_fault& tried) {
    return tried.scope == fault.scope && tried.slower == fault.slower && tried.made > 0;
  });
}

/// The kinds of faults, each once.
std::vector<tried_fault> kinds_of(const simulated_findings& simulated) {
  std::vector<tried_fault> kinds;
  for (const auto& tried : simulated.faults)
    if (tried.sweeps == 1) kinds.push_back(tried);
  return kinds;
}

constexpr const char* not_tried = "not tried";

std::string cell_of(const simulated_findings& simulated, const tried_fault& kind,
                    std::size_t sweeps) {
  for (const auto& tried : simulated.faults)
    if (tried.scope == kind.scope && tried.slower == kind.slower && tried.sweeps == sweeps &&
        tried.made > 0)
      return fmt::format("{:.0f} % of {}", 100 * share_of(tried).value, tried.made);
  return not_tried;
}

std::string text_of(const simulated_findings& simulated) {
  auto text = fmt::format("{:<6} {:>7}", "", "slower");
  for (const auto& trials : simulated.trials)
    text += fmt::format(" {:>14}",
                        common::counted(static_cast<double>(trials.sweeps), "sweep", "sweeps"));
  text += fmt::format(" {:>14}\n", "needed");
  for (const auto& kind : kinds_of(simulated)) {
    text +=
        fmt::format("{:<6} {:>7}", to_string(kind.scope), fmt::format("{:g} %", 100 * kind.slower));
    for (const auto& trials : simulated.trials)
      text += fmt::format(" {:>14}", cell_of(simulated, kind, trials.sweeps));
    const auto needed = sweeps_needed(simulated, kind);
    text += fmt::format(" {:>14}\n", needed ? fmt::format("{}", *needed)
                                     : is_tried(simulated, kind)
                                         ? fmt::format("> {}", simulated.trials.back().sweeps)
                                         : not_tried);
  }
  for (const auto& trials : simulated.trials)
    text += fmt::format("{} wrong in {} of {} together\n",
                        common::counted(static_cast<double>(trials.wrong), "finding", "findings"),
                        common::counted(static_cast<double>(trials.trials), "trial", "trials"),
                        common::counted(static_cast<double>(trials.sweeps), "sweep", "sweeps"));
  for (const auto& [scope, least] : simulated.least_named)
    text += fmt::format(
        "Too few parts like a {} to tell what is chance: it is named only if it measures {} slower "
        "than the others, however many sweeps there are.\n",
        to_string(scope), common::percent_text(least));
  return text + fmt::format(
                    "Needed: to find 95 %. The same fleets are made up for each number of sweeps, "
                    "from what this\nsweep's parts differ by. Shares are right to {:.0f} points.\n",
                    100 * widest_half_interval(simulated));
}

}  // namespace

int main(int argc, char** argv) {
  std::filesystem::path sweep;
  std::vector<double> percent{2, 3, 5, 10};
  simulation_request request;
  CLI::App app{"What the judge of fleets would find at the noise of a sweep."};
  app.add_option("SWEEP", sweep, "made by fleet_transfers collect")->required();
  app.add_option("--slower", percent, "slowdowns that are tried, in percent (2,3,5,10)")
      ->delimiter(',')
      ->check(CLI::Range(0.01, 10'000.0));
  app.add_option("--sweeps", request.most_sweeps, "at most so many are judged together (4)")
      ->check(CLI::Range(1, 64));
  CLI11_PARSE(app, argc, argv);

  request.slower.clear();
  for (const auto part : percent) request.slower.push_back(part / 100);
  try {
    const auto simulated = simulate(fleet::read_sweep(sweep), fleet::settings::usual(), request);
    std::cout << (simulated.obstacle ? to_string(*simulated.obstacle) + "\n" : text_of(simulated));
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}
