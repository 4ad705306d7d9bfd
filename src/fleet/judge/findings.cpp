#include "src/fleet/judge/findings.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <string>
#include <utility>

#include "src/fleet/judge/scores.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::fleet {
namespace {

std::vector<std::size_t> gpus_of(const peers& alike, const part_of_peers& part) {
  std::vector<std::size_t> gpus;
  for (const auto i : part.gpus) gpus.push_back(alike.gpus[i]);
  return gpus;
}

std::string name_of(const sweep& sweep, const peers& alike, const part_of_peers& part) {
  const auto& gpu = sweep.gpus[alike.gpus[part.gpus.front()]];
  switch (part.scope) {
    case scope::gpu: return gpu.uuid;
    case scope::node: return gpu.node;
    case scope::rack: return gpu.rack;
    case scope::slot:
      return std::ranges::find_if(
                 alike.slots,
                 [&](const slot& slot) { return slot.gpus.front() == part.gpus.front(); })
          ->name;
    case scope::fleet: break;
  }
  return gpu.model;
}

/// The GPUs of all models that are where a finding's part is.
class neighbourhood {
 public:
  explicit neighbourhood(const question& asked) : sweep_(asked.sweep), slots_(slots_of(sweep_)) {}

  /// By the indices of models.
  [[nodiscard]] std::vector<std::size_t> of(const finding& found, const peers& model) const {
    std::vector<std::size_t> gpus;
    std::ranges::copy_if(model.gpus, std::back_inserter(gpus),
                         [&](std::size_t gpu) { return is_at(gpu, found); });
    return gpus;
  }

 private:
  [[nodiscard]] bool is_at(std::size_t gpu, const finding& found) const {
    switch (found.scope) {
      case scope::gpu: return gpu == found.gpu;
      case scope::node: return sweep_.gpus[gpu].node == found.name;
      case scope::rack: return sweep_.gpus[gpu].rack == found.name;
      case scope::slot: return slots_[gpu] == found.name;
      case scope::fleet: break;
    }
    return true;
  }

  const sweep& sweep_;
  std::vector<std::string> slots_;
};

bool are_about_the_same(const finding& first, const finding& second) {
  const auto *one = first.worst(), *other = second.worst();
  if (!one || !other) return first.pattern == second.pattern;  // links
  return is_about(one->slower.value, other->slower.value);
}

/// The name of a fleet of several models.
constexpr const char* all_models = "all models";

void take_in(finding& wider, const finding& other, const std::vector<std::size_t>& gpus) {
  std::vector<std::size_t> all;
  std::ranges::set_union(wider.gpus, gpus, std::back_inserter(all));
  wider.gpus = std::move(all);
  if (wider.scope == scope::fleet) wider.name = all_models;
  if (other.scope != wider.scope) return;
  for (const auto& slow : other.aspects)
    if (std::ranges::none_of(wider.aspects, [&](const slow_aspect& known) {
          return known.aspect == slow.aspect && known.benchmark == slow.benchmark;
        }))
      wider.aspects.push_back(slow);
  sort_aspects(wider);
}

/// How many repetitions of the part's first GPU show at least half of the slowdown of a lone
/// benchmark.
std::size_t slow_repetitions(const question& asked, const finding& found) {
  const auto& slow = found.aspects.front();
  const auto& gpu = asked.sweep.gpus[found.gpu];
  std::vector<double> costs;
  for (const auto& peer : asked.sweep.gpus)
    if (peer.model == gpu.model)
      if (const auto cost = usual_cost(peer.times[*slow.benchmark])) costs.push_back(*cost);
  if (costs.empty()) return 0;
  const auto border = std::exp(statistics::median(std::move(costs))) * (1 + slow.slower.value / 2);
  std::size_t count = 0;
  for (const auto& run : gpu.times[*slow.benchmark])
    count += static_cast<std::size_t>(
        std::ranges::count_if(run, [&](double time) { return time > border; }));
  return count;
}

}  // namespace

place_in_fleet place_of(const sweep& sweep, const peers& alike, const part_of_peers& part) {
  return {part.scope, part.scope == scope::fleet ? "" : name_of(sweep, alike, part)};
}

bool finding::has(std::size_t index) const { return std::ranges::binary_search(gpus, index); }

const std::string* model_of(const sweep& sweep, const finding& found) {
  const auto& first = sweep.gpus[found.gpu].model;
  const bool is_one = std::ranges::all_of(
      found.gpus, [&](std::size_t gpu) { return sweep.gpus[gpu].model == first; });
  return is_one ? &first : nullptr;
}

std::size_t nodes_of(const sweep& sweep, const finding& found) {
  std::set<std::string> nodes;
  for (const auto gpu : found.gpus) nodes.insert(sweep.gpus[gpu].node);
  return nodes.size();
}

finding& finding_of(const sweep& sweep, const peers& alike, const part_of_peers& part,
                    reference reference, benchmark_class kind, pattern pattern,
                    std::vector<finding>& findings) {
  const auto first = alike.gpus[part.gpus.front()];
  const auto known = std::ranges::find_if(findings, [&](const finding& other) {
    return other.reference == reference && other.scope == part.scope && other.gpu == first &&
           other.kind == kind;
  });
  if (known != findings.end()) return *known;
  auto& found = findings.emplace_back(
      finding{part.scope, first, name_of(sweep, alike, part), pattern, kind, {}, reference});
  found.gpus = gpus_of(alike, part);
  return found;
}

bool is_around(const finding& found, const peers& alike, const part_of_peers& part) {
  return found.gpus.size() >= part.gpus.size() &&
         std::ranges::all_of(part.gpus, [&](std::size_t i) { return found.has(alike.gpus[i]); });
}

const slow_aspect* slow_as_a_whole(const finding& found, const aspect& aspect) {
  const auto known = std::ranges::find_if(found.aspects, [&](const slow_aspect& slow) {
    return !slow.benchmark && slow.aspect == aspect;
  });
  return known == found.aspects.end() ? nullptr : &*known;
}

void sort_aspects(finding& found) {
  std::ranges::sort(found.aspects, std::greater{}, [](const slow_aspect& slow) {
    return std::pair(!slow.benchmark.has_value(), slow.slower.value);
  });
}

pattern pattern_of(const finding& found, const std::set<aspect>& measured) {
  if (std::ranges::all_of(found.aspects,
                          [](const auto& slow) { return slow.how_long == persistence::sometimes; }))
    return pattern::intermittent;
  if (std::ranges::all_of(found.aspects,
                          [](const auto& slow) { return slow.benchmark.has_value(); }))
    return pattern::slow_some;
  const auto is_slow = [&](const auto& matches) {
    return std::ranges::any_of(found.aspects,
                               [&](const auto& slow) { return matches(slow.aspect); });
  };
  const auto is_measured = [&](const auto& matches) {
    return std::ranges::any_of(measured, [&](const aspect& aspect) {
      return aspect.kind == found.kind && matches(aspect);
    });
  };
  const auto alone = [](const aspect& aspect) { return !aspect.together; };
  if (!is_slow(alone) && is_measured(alone)) return pattern::slow_together;
  const auto towards = [](direction direction) {
    return [direction](const aspect& aspect) { return aspect.towards == direction; };
  };
  const auto h2d = towards(direction::h2d);
  const auto d2h = towards(direction::d2h);
  return is_measured(h2d) && is_measured(d2h) && is_slow(h2d) != is_slow(d2h)
             ? pattern::slow_one_direction
             : pattern::slow;
}

void take_out_lone_benchmarks(const question& asked, shown& known) {
  // A single benchmark of many is more likely to be chance, or a disturbance: it must be slower by
  // far.
  constexpr double by_far = 5;
  constexpr double certain = 1 - 1e-6;
  // One repetition of a thousand may be disturbed: two of a benchmark are, in a large fleet.
  constexpr std::size_t more_than_chance = 3;
  std::erase_if(known.findings, [&](const finding& found) {
    if (found.aspects.size() != 1 || !found.aspects.front().benchmark) return false;
    const auto& slow = found.aspects.front();
    const auto& criteria = asked.settings.classes.at(found.kind);
    const bool is_always = slow.how_long == persistence::always;
    if (is_always && slow.slower.value > by_far * criteria.threshold && slow.confidence > certain)
      return false;
    if (criteria.decides && (is_always || slow_repetitions(asked, found) >= more_than_chance))
      known.doubts[doubt::single_benchmark].insert(found.gpus.begin(), found.gpus.end());
    return true;
  });
}

std::vector<finding> one_for_all_models(const question& asked, std::vector<finding> findings) {
  if (asked.models.size() < 2) return findings;
  const neighbourhood neighbours(asked);
  std::ranges::stable_sort(findings, std::greater{}, &finding::scope);
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (findings[i].scope == scope::gpu) continue;
    for (const auto& model : asked.models) {
      const auto here = neighbours.of(findings[i], model);
      if (here.empty() || findings[i].has(here.front())) continue;
      const auto is_same = [&](const finding& other) {
        return &other != &findings[i] && other.kind == findings[i].kind &&
               other.reference == findings[i].reference &&
               std::ranges::includes(here, other.gpus) && are_about_the_same(findings[i], other);
      };
      std::set<std::size_t> slow;
      for (const auto& other : findings)
        if (is_same(other)) slow.insert(other.gpus.begin(), other.gpus.end());
      if (4 * slow.size() < 3 * here.size()) continue;
      std::vector<finding> kept;
      auto wider = findings[i];
      for (const auto& other : findings)
        if (is_same(other)) take_in(wider, other, here);
      for (auto& other : findings)
        if (&other == &findings[i])
          kept.push_back(wider);
        else if (!is_same(other))
          kept.push_back(other);
      findings = std::move(kept);
    }
  }
  return findings;
}

}  // namespace bench_transfers::fleet
