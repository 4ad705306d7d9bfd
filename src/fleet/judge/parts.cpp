#include "src/fleet/judge/parts.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace bench_transfers::fleet {
namespace {

/// The largest p-value of the GPUs of a part that are slower by themselves, and by about the same,
/// if they are enough.
std::optional<double> by_members(const part_of_peers& part,
                                 const std::vector<std::optional<double>>& slower, double in_common,
                                 const significance& matters) {
  std::size_t slow = 0;
  double largest = 0;
  for (const auto gpu : part.gpus) {
    if (!slower[gpu] || !is_about(*slower[gpu], in_common)) continue;
    const auto p = matters({scope::gpu, {gpu}}, *slower[gpu]);
    if (!p) continue;
    ++slow;
    largest = std::max(largest, *p);
  }
  return are_enough(slow, part.gpus.size()) ? std::optional(largest) : std::nullopt;
}

}  // namespace

double lower_median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

std::optional<double> common_to(const std::vector<double>& slower, std::size_t members) {
  if (slower.empty()) return std::nullopt;
  const auto middle = lower_median(slower);
  const auto as_slow =
      std::ranges::count_if(slower, [&](double value) { return value > middle / 2; });
  return middle > 0 && 4 * static_cast<std::size_t>(as_slow) >= 3 * members ? std::optional(middle)
                                                                            : std::nullopt;
}

bool is_about(double slower, double other) {
  constexpr double most = 2;
  return slower <= most * other && other <= most * slower;
}

bool are_enough(std::size_t slow, std::size_t members) { return slow > 1 && 4 * slow >= members; }

part_of_peers part_of(const peers& alike, scope scope, std::size_t index) {
  switch (scope) {
    case scope::gpu: return {scope, {index}};
    case scope::node: return {scope, alike.nodes[index]};
    case scope::slot: return {scope, alike.slots[index].gpus};
    case scope::rack: {
      part_of_peers rack{scope, {}};
      for (const auto node : alike.racks[index])
        rack.gpus.insert(rack.gpus.end(), alike.nodes[node].begin(), alike.nodes[node].end());
      std::ranges::sort(rack.gpus);
      return rack;
    }
    case scope::fleet: break;
  }
  part_of_peers all{scope, std::vector<std::size_t>(alike.gpus.size())};
  std::iota(all.gpus.begin(), all.gpus.end(), std::size_t{0});
  return all;
}

std::vector<part_of_peers> parts_of(const peers& alike) {
  std::vector<part_of_peers> parts;
  const auto add = [&](scope scope, std::size_t count, auto is_of_its_own) {
    for (std::size_t i = 0; i < count; ++i)
      if (is_of_its_own(i)) parts.push_back(part_of(alike, scope, i));
  };
  const auto all = alike.gpus.size();
  add(scope::fleet, 1, [&](std::size_t) { return alike.nodes.size() > 1; });
  add(scope::slot, alike.slots.size(), [&](std::size_t slot) {
    const auto gpus = alike.slots[slot].gpus.size();
    return gpus > 1 && gpus < all;
  });
  add(scope::rack, alike.racks.size(), [&](std::size_t rack) {
    const auto nodes = alike.racks[rack].size();
    return nodes > 1 && nodes < alike.nodes.size();
  });
  add(scope::node, alike.nodes.size(),
      [&](std::size_t node) { return alike.nodes[node].size() > 1; });
  add(scope::gpu, all, [](std::size_t) { return true; });
  return parts;
}

std::vector<common_slowdown> attributed(const peers& alike,
                                        std::vector<std::optional<double>> slower,
                                        const significance& matters, const attribution& how) {
  std::vector<common_slowdown> slowdowns;
  auto parts = parts_of(alike);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto& part = parts[i];
    std::vector<double> values;
    for (const auto gpu : part.gpus)
      if (slower[gpu]) values.push_back(*slower[gpu]);
    const auto in_common = common_to(values, part.gpus.size());
    if (!in_common) continue;
    auto p = matters(part, *in_common);
    if (!p && part.scope != scope::gpu) p = by_members(part, slower, *in_common, matters);
    if (!p && !how.known.contains(i)) continue;
    for (const auto gpu : part.gpus) {
      if (how.once) slower[gpu].reset();
      if (slower[gpu]) *slower[gpu] -= *in_common;
    }
    if (p) slowdowns.push_back({i, std::move(part), *in_common, *p});
  }
  return slowdowns;
}

}  // namespace bench_transfers::fleet
