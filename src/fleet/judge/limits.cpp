#include "src/fleet/judge/limits.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "src/fleet/judge/scores.hpp"
#include "src/machine/pcie.hpp"

namespace bench_transfers::fleet {
namespace {

struct recorded_model {
  std::string_view model;
  int generation, width;
  double h2d, d2h;
};

/// The slowest of the recorded runs of a model: results/nvidia-h200, copy/pinned, 128 MiB, the
/// median of the run.
constexpr recorded_model recorded_models[] = {{"NVIDIA H200", 5, 16, 54.8, 54.7}};

}  // namespace

std::optional<double> copy_rate(const sweep& sweep, const gpu& gpu, direction towards) {
  std::optional<double> highest;
  for (std::size_t i = 0; i < sweep.benchmarks.size(); ++i) {
    const auto& benchmark = sweep.benchmarks[i];
    if (benchmark.aspect.together || benchmark.aspect.towards != towards ||
        benchmark.copied_bytes.value_or(0) < machine::filling_bytes)
      continue;
    if (const auto cost = usual_cost(gpu.times[i]))
      highest = std::max(highest.value_or(0),
                         static_cast<double>(*benchmark.copied_bytes) / std::exp(*cost));
  }
  return highest;
}

std::optional<double> link_limit(const link& link) {
  if (!link.generation || !link.width) return std::nullopt;
  const auto limit = machine::pcie_packet_limit_gb_per_s(*link.generation, *link.width).first;
  return std::isfinite(limit) ? std::optional(limit) : std::nullopt;
}

std::optional<double> recorded_rate(const gpu& gpu, direction towards) {
  const auto* known = std::ranges::find_if(recorded_models, [&](const recorded_model& recorded) {
    return recorded.model == gpu.model && recorded.generation == gpu.link.generation &&
           recorded.width == gpu.link.width;
  });
  if (known == std::end(recorded_models)) return std::nullopt;
  return towards == direction::h2d ? known->h2d : known->d2h;
}

std::vector<below_limit> below_limits(const sweep& sweep, const peers& alike, direction towards,
                                      const std::set<std::size_t>& accepted) {
  std::vector<std::optional<double>> slower;
  for (const auto index : alike.gpus) {
    if (accepted.contains(index)) {
      slower.emplace_back();
      continue;
    }
    const auto& gpu = sweep.gpus[index];
    const auto limit = link_limit(gpu.link);
    const auto rate = copy_rate(sweep, gpu, towards);
    slower.push_back(
        limit && rate ? std::optional(std::log(machine::least_part_of_pcie_link * *limit / *rate))
                      : std::nullopt);
  }
  const auto is_below = [](const part_of_peers& /*part*/, double by) {
    return by > 0 ? std::optional(0.0) : std::nullopt;
  };
  std::vector<below_limit> found;
  for (auto& common : attributed(alike, std::move(slower), is_below, {.once = true}))
    found.push_back({std::move(common.part), towards, common.slower});
  return found;
}

}  // namespace bench_transfers::fleet
