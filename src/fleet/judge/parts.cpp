#include "src/fleet/judge/parts.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace bench_transfers::fleet {
namespace {

/// The smaller of the two in the middle.
double lower_median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// What a part of so many GPUs is slower by; none if it is not common to them.
std::optional<double> common_to(const std::vector<double>& slower, std::size_t gpus) {
  if (slower.empty()) return std::nullopt;
  const auto middle = lower_median(slower);
  const auto as_slow =
      std::ranges::count_if(slower, [&](double value) { return value > middle / 2; });
  return middle > 0 && 4 * static_cast<std::size_t>(as_slow) >= 3 * gpus ? std::optional(middle)
                                                                         : std::nullopt;
}

}  // namespace

std::vector<part_of_peers> parts_of(const peers& alike) {
  std::vector<part_of_peers> parts;
  const auto add = [&](scope scope, std::vector<std::size_t> gpus) {
    if (gpus.size() > 1) parts.push_back({scope, std::move(gpus)});
  };
  std::vector<std::size_t> all(alike.gpus.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (alike.nodes.size() > 1) add(scope::fleet, all);
  for (const auto& rack : alike.racks) {
    if (rack.size() < 2 || rack.size() == alike.nodes.size()) continue;
    std::vector<std::size_t> gpus;
    for (const auto node : rack)
      gpus.insert(gpus.end(), alike.nodes[node].begin(), alike.nodes[node].end());
    add(scope::rack, std::move(gpus));
  }
  for (const auto& node : alike.nodes) add(scope::node, node);
  for (const auto gpu : all) parts.push_back({scope::gpu, {gpu}});
  return parts;
}

std::vector<common_slowdown> attributed(const peers& alike,
                                        std::vector<std::optional<double>> slower,
                                        const significance& matters, bool once) {
  std::vector<common_slowdown> slowdowns;
  for (auto& part : parts_of(alike)) {
    std::vector<double> values;
    for (const auto gpu : part.gpus)
      if (slower[gpu]) values.push_back(*slower[gpu]);
    const auto in_common = common_to(values, part.gpus.size());
    const auto p = in_common ? matters(part, *in_common) : std::nullopt;
    if (!p) continue;
    for (const auto gpu : part.gpus) {
      if (once) slower[gpu].reset();
      if (slower[gpu]) *slower[gpu] -= *in_common;
    }
    slowdowns.push_back({std::move(part), *in_common, *p});
  }
  return slowdowns;
}

}  // namespace bench_transfers::fleet
