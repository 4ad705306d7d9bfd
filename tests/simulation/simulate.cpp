#include "tests/simulation/simulate.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/fleet/judge/peers.hpp"
#include "tests/simulation/residuals.hpp"

namespace bench_transfers::simulation {

using namespace fleet;

namespace {

/// A part that is slowed down.
struct fault {
  std::size_t tried;  ///< index into simulated_findings::faults
  std::vector<std::size_t> gpus;
};

class simulating {
 public:
  simulating(const sweep& sweep, const settings& settings, const simulation_request& request)
      : sweep_(sweep),
        settings_(settings),
        request_(request),
        judged_(judge(sweep, settings)),
        residuals_(sweep, judged_) {
    find_parts();
  }

  simulated_findings run() {
    result_.obstacle = obstacle();
    if (result_.obstacle) return std::move(result_);
    find_least_named();
    for (std::size_t sweeps = 1; sweeps <= request_.most_sweeps; sweeps *= 2) {
      const auto first = result_.faults.size();
      for (const auto scope : every_scope)
        if (!parts_[scope].empty())
          for (const auto slower : request_.slower)
            result_.faults.push_back({scope, slower, sweeps});
      result_.trials.push_back({sweeps});
      for (std::size_t i = 0; i < trials(sweeps); ++i) run_trial(first, i, sweeps);
    }
    return std::move(result_);
  }

 private:
  /// Faults slow the link, and are found where parts are compared in it.
  [[nodiscard]] std::optional<doubt> obstacle() const {
    if (std::ranges::any_of(judged_.tested, [](const tested_aspect& tested) {
          return tested.aspect.kind == benchmark_class::link;
        }))
      return std::nullopt;
    for (const auto code : {doubt::host_device, doubt::class_not_measured})
      if (judged_.doubts.contains(code)) return code;
    return doubt::no_peers;
  }

  void find_least_named() {
    const auto least =
        std::expm1(beyond_chance(settings_.classes.at(benchmark_class::link).expected));
    for (const auto& tested : judged_.tested)
      if (tested.aspect.kind == benchmark_class::link && !is_wide(tested.parts.scope) &&
          tested.parts.parts < handful)
        // A node of one GPU is that GPU.
        result_.least_named[parts_.contains(tested.parts.scope) ? tested.parts.scope : scope::gpu] =
            least;
  }

  /// The GPUs of each part that has peers, and can be told from what it is in.
  void find_parts() {
    for (const auto& alike : peers_of(sweep_))
      for (const auto& part : parts_of(alike)) {
        if (part.scope == scope::fleet || part.gpus.size() == alike.gpus.size()) continue;
        auto& gpus = parts_[part.scope].emplace_back();
        for (const auto i : part.gpus) gpus.push_back(alike.gpus[i]);
      }
    for (const auto& gpu : sweep_.gpus) nodes_.insert(gpu.node);
  }

  /// Enough to tell shares apart, in about a minute at most.
  [[nodiscard]] std::size_t trials(std::size_t sweeps) const {
    constexpr std::size_t figures = 2'000'000;
    constexpr std::size_t least = 5;
    constexpr std::size_t each_benchmark = 100;  // judging it costs as much as so many GPUs
    const auto in_trial = (sweep_.gpus.size() + each_benchmark) * sweep_.benchmarks.size() * sweeps;
    return std::clamp(figures / std::max<std::size_t>(1, in_trial),
                      std::min(least, request_.most_trials), request_.most_trials);
  }

  /// Few faults, and of a small fleet one: the others must stay a reference.
  [[nodiscard]] std::vector<fault> place(std::size_t first, std::size_t trial) {
    constexpr std::size_t nodes_for_a_fault = 20;
    const auto kinds = result_.faults.size() - first;
    const auto most = std::max<std::size_t>(1, nodes_.size() / nodes_for_a_fault);
    std::vector<fault> faults;
    std::set<std::string> nodes;
    bool has_rack = false;
    const auto order = order_of_kinds(kinds, trial);
    for (std::size_t i = 0; i < most && kinds > 0; ++i) {
      const auto tried = first + order[i % kinds];
      const auto scope = result_.faults[tried].scope;
      if (scope == scope::rack && has_rack) continue;
      const auto& parts = parts_[scope];
      const auto& gpus =
          parts[std::uniform_int_distribution<std::size_t>(0, parts.size() - 1)(random_)];
      std::set<std::string> touched;
      for (const auto gpu : gpus) touched.insert(sweep_.gpus[gpu].node);
      if (std::ranges::any_of(touched, [&](const auto& node) { return nodes.contains(node); }))
        continue;
      nodes.insert(touched.begin(), touched.end());
      has_rack = has_rack || scope == scope::rack;
      faults.push_back({tried, gpus});
    }
    return faults;
  }

  /// Each kind comes first in its turn, and the others behind it at random: what has no room beside
  /// one of them has it in another trial.
  [[nodiscard]] std::vector<std::size_t> order_of_kinds(std::size_t kinds, std::size_t trial) {
    std::vector<std::size_t> order(kinds);
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (kinds == 0) return order;
    std::swap(order.front(), order[trial % kinds]);
    std::shuffle(order.begin() + 1, order.end(), random_);
    return order;
  }

  void slow_down(sweep& made, const fault& fault) const {
    const auto factor = 1 + result_.faults[fault.tried].slower;
    for (const auto gpu : fault.gpus)
      for (std::size_t b = 0; b < made.benchmarks.size(); ++b)
        if (made.benchmarks[b].aspect.kind == benchmark_class::link)
          for (auto& run : made.gpus[gpu].times[b])
            for (auto& time : run) time *= factor;
  }

  void run_trial(std::size_t first, std::size_t trial, std::size_t sweeps) {
    // The same parts are drawn in each column: these differ by what more sweeps show.
    std::seed_seq seeds{request_.seed, static_cast<std::uint64_t>(trial)};
    random_.seed(seeds);
    const auto faults = place(first, trial);
    auto made = residuals_.draw(sweeps, random_);
    for (const auto& fault : faults) slow_down(made, fault);
    const auto judged = judge(made, settings_);
    auto& counted = result_.trials.back();
    ++counted.trials;
    for (const auto& fault : faults) {
      auto& tried = result_.faults[fault.tried];
      ++tried.made;
      tried.found += std::ranges::any_of(judged.findings, [&](const finding& found) {
        return found.scope == tried.scope && found.kind == benchmark_class::link &&
               std::ranges::includes(found.gpus, fault.gpus);
      });
    }
    // Lower links and wrong data are what the sweep itself has.
    for (const auto& found : judged.findings)
      counted.wrong += !found.aspects.empty() && found.reference == reference::peers &&
                       std::ranges::none_of(faults, [&](const fault& fault) {
                         return std::ranges::includes(found.gpus, fault.gpus) ||
                                std::ranges::includes(fault.gpus, found.gpus);
                       });
  }

  const sweep& sweep_;
  const settings& settings_;
  const simulation_request& request_;
  judgement judged_;
  residuals residuals_;
  std::mt19937_64 random_;
  std::map<scope, std::vector<std::vector<std::size_t>>> parts_;
  std::set<std::string> nodes_;
  simulated_findings result_;
};

}  // namespace

simulated_findings simulate(const sweep& sweep, const settings& settings,
                            const simulation_request& request) {
  return simulating(sweep, settings, request).run();
}

}  // namespace bench_transfers::simulation
