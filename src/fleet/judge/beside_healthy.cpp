#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "src/fleet/judge/levels.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::fleet {
namespace {

/// What has been found of the parts that a GPU is in.
class known_slowdowns {
 public:
  explicit known_slowdowns(const std::vector<slow_part>& slow) {
    for (const auto& part : slow) parts_.emplace(std::pair(part.scope, part.index), &part);
  }

  [[nodiscard]] bool has(scope scope, std::size_t index) const {
    return parts_.contains({scope, index});
  }
  [[nodiscard]] double number(scope scope, std::size_t index) const {
    return has(scope, index) ? parts_.at({scope, index})->slower.value : 0;
  }
  /// What it takes off the median of all repetitions: a single slow run is not in it.
  [[nodiscard]] double of_all_runs(scope scope, std::size_t index) const {
    const bool is_single = has(scope, index) && parts_.at({scope, index})->by_slowest_run;
    return is_single ? 0 : number(scope, index);
  }

 private:
  std::map<std::pair<scope, std::size_t>, const slow_part*> parts_;
};

/// A GPU's node, the node's rack, and its slot, by their places among the peers.
struct whereabouts {
  std::size_t node = 0, slot = 0;
  std::optional<std::size_t> rack;
};

std::vector<whereabouts> places_of(const peers& alike) {
  std::vector<whereabouts> places(alike.gpus.size());
  for (std::size_t node = 0; node < alike.nodes.size(); ++node)
    for (const auto gpu : alike.nodes[node]) places[gpu].node = node;
  for (std::size_t rack = 0; rack < alike.racks.size(); ++rack)
    for (const auto node : alike.racks[rack])
      for (const auto gpu : alike.nodes[node]) places[gpu].rack = rack;
  for (std::size_t slot = 0; slot < alike.slots.size(); ++slot)
    for (const auto gpu : alike.slots[slot].gpus) places[gpu].slot = slot;
  return places;
}

}  // namespace

std::vector<std::optional<double>> slower_than_healthy(
    const peers& alike, const std::vector<std::optional<score>>& scores,
    const std::vector<slow_part>& slow) {
  const known_slowdowns known(slow);
  const auto places = places_of(alike);
  const auto around = [&](std::size_t gpu, auto number) {
    const auto& at = places[gpu];
    return (known.*number)(scope::slot, at.slot) + (known.*number)(scope::node, at.node) +
           (at.rack ? (known.*number)(scope::rack, *at.rack) : 0.0);
  };
  const auto in_slot = [&](std::size_t gpu) {
    return known.of_all_runs(scope::slot, places[gpu].slot);
  };
  std::vector<double> healthy;
  std::map<std::size_t, std::vector<double>> of_slow_nodes;
  for (std::size_t gpu = 0; gpu < scores.size(); ++gpu) {
    if (!scores[gpu]) continue;
    const auto score = scores[gpu]->usual;
    healthy.push_back(score - around(gpu, &known_slowdowns::of_all_runs) -
                      known.of_all_runs(scope::gpu, gpu));
    if (known.has(scope::node, places[gpu].node) && !known.has(scope::gpu, gpu))
      of_slow_nodes[places[gpu].node].push_back(score - in_slot(gpu));
  }
  std::vector<std::optional<double>> slower(scores.size());
  if (healthy.empty()) return slower;
  const auto level = statistics::median(std::move(healthy));
  std::map<std::size_t, double> middles;
  for (auto& [node, values] : of_slow_nodes) middles[node] = statistics::median(std::move(values));
  for (std::size_t gpu = 0; gpu < scores.size(); ++gpu) {
    if (!scores[gpu]) continue;
    const auto middle = middles.find(places[gpu].node);
    const auto above = around(gpu, &known_slowdowns::number);
    if (known.has(scope::gpu, gpu))
      slower[gpu] = above + known.number(scope::gpu, gpu);
    else
      slower[gpu] = middle == middles.end()
                        ? scores[gpu]->usual - level
                        : above + scores[gpu]->usual - in_slot(gpu) - middle->second;
  }
  return slower;
}

}  // namespace bench_transfers::fleet
