#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "src/common/format.hpp"
#include "src/common/or_null.hpp"
#include "src/fleet/report/reports.hpp"
#include "src/fleet/report/sentences.hpp"
#include "src/fleet/report/words.hpp"
#include "src/statistics/estimate.hpp"
#include "src/statistics/square.hpp"

namespace bench_transfers::fleet {
namespace {

using common::or_null;
using json = nlohmann::ordered_json;

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

json to_json(const tried_fault& tried) {
  json entry{{"scope", to_string(tried.scope)},
             {"slower_percent", 100 * tried.slower},
             {"sweeps", tried.sweeps},
             {"made", tried.made},
             {"found", tried.found},
             {"share", nullptr},
             {"interval_95", nullptr}};
  if (tried.made == 0) return entry;
  const auto share = share_of(tried);
  entry["share"] = share.value;
  entry["interval_95"] = {share.low, share.high};
  return entry;
}

/// The kinds of faults, each once.
std::vector<tried_fault> kinds_of(const simulated_findings& simulated) {
  std::vector<tried_fault> kinds;
  for (const auto& tried : simulated.faults)
    if (tried.sweeps == 1) kinds.push_back(tried);
  return kinds;
}

std::string cell_of(const simulated_findings& simulated, const tried_fault& kind,
                    std::size_t sweeps) {
  for (const auto& tried : simulated.faults)
    if (tried.scope == kind.scope && tried.slower == kind.slower && tried.sweeps == sweeps &&
        tried.made > 0)
      return fmt::format("{:.0f} % of {}", 100 * share_of(tried).value, tried.made);
  return "-";
}

}  // namespace

std::string json_of(const sweep& sweep, const simulated_findings& simulated) {
  json document{{"kind", "fleet_simulation"}, {"format", 1},
                {"sweep", or_null(sweep.id)}, {"class", to_string(benchmark_class::link)},
                {"obstacle", nullptr},        {"least_named", json::array()},
                {"faults", json::array()},    {"needed", json::array()},
                {"trials", json::array()}};
  if (simulated.obstacle) document["obstacle"] = to_string(*simulated.obstacle);
  for (const auto& [scope, least] : simulated.least_named)
    document["least_named"].push_back(
        {{"scope", to_string(scope)}, {"slower_percent", 100 * least}});
  for (const auto& tried : simulated.faults) document["faults"].push_back(to_json(tried));
  for (const auto& kind : kinds_of(simulated))
    document["needed"].push_back({{"scope", to_string(kind.scope)},
                                  {"slower_percent", 100 * kind.slower},
                                  {"sweeps", or_null(sweeps_needed(simulated, kind))}});
  for (const auto& trials : simulated.trials)
    document["trials"].push_back(
        {{"sweeps", trials.sweeps}, {"trials", trials.trials}, {"wrong_findings", trials.wrong}});
  return document.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string text_of(const sweep& sweep, const simulated_findings& simulated) {
  if (simulated.obstacle)
    return fmt::format("{}: no slow GPU can be found: {} [{}]\n", size_text(sweep),
                       doubt_sentence(*simulated.obstacle, sweep.gpus.size()),
                       to_string(*simulated.obstacle));
  auto text = fmt::format("{}: slow in copies of page-locked memory, named as what it is\n",
                          size_text(sweep));
  text += fmt::format("{:<6} {:>7}", "", "slower");
  for (const auto& trials : simulated.trials)
    text += fmt::format(" {:>14}",
                        common::counted(static_cast<double>(trials.sweeps), "sweep", "sweeps"));
  text += fmt::format(" {:>14}\n", "needed");
  for (const auto& kind : kinds_of(simulated)) {
    text +=
        fmt::format("{:<6} {:>7}", noun_of(kind.scope), fmt::format("{:g} %", 100 * kind.slower));
    for (const auto& trials : simulated.trials)
      text += fmt::format(" {:>14}", cell_of(simulated, kind, trials.sweeps));
    const auto needed = sweeps_needed(simulated, kind);
    text += fmt::format(" {:>14}\n", needed ? fmt::format("{}", *needed)
                                            : fmt::format("> {}", simulated.trials.back().sweeps));
  }
  for (const auto& trials : simulated.trials)
    text += fmt::format("{} wrong in {} of {} together\n",
                        common::counted(static_cast<double>(trials.wrong), "finding", "findings"),
                        common::counted(static_cast<double>(trials.trials), "trial", "trials"),
                        common::counted(static_cast<double>(trials.sweeps), "sweep", "sweeps"));
  for (const auto& [scope, least] : simulated.least_named)
    text += fmt::format(
        "There are too few {0}s to tell what is chance: a {0} is named only if it measures at "
        "least "
        "{1} slower\nthan the others, however many sweeps there are. What it differs by anyway "
        "adds "
        "to what it was made slower by.\n",
        noun_of(scope), common::percent_text(least));
  return text + fmt::format(
                    "Needed: to find 95 %. The same fleets are made up for each number of sweeps, "
                    "from what this\nsweep's parts differ by. Shares are right to {:.0f} points.\n",
                    100 * widest_half_interval(simulated));
}

}  // namespace bench_transfers::fleet
