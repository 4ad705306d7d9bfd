#include <algorithm>
#include <list>
#include <map>
#include <set>

#include "src/fleet/judge/findings.hpp"
#include "src/fleet/judge/levels.hpp"
#include "src/fleet/judge/references.hpp"
#include "src/fleet/judge/scores.hpp"

namespace bench_transfers::fleet {
namespace {

/// A node of one GPU is that GPU.
part_of_peers part_of(const peers& alike, const slow_part& slow) {
  auto part = part_of(alike, slow.scope, slow.index);
  if (part.scope == scope::node && part.gpus.size() == 1) part.scope = scope::gpu;
  return part;
}

/// One model.
class judging {
 public:
  judging(const question& asked, const peers& alike, shown& result)
      : asked_(asked), alike_(alike), distances_(asked.sweep, alike.gpus), result_(result) {}

  /// Adds the slow slots and racks of each class.
  void add_slow_places(slow_places& places) {
    for (const auto& [kind, aspects] : asked_.judged_aspects())
      for (const auto& aspect : aspects) {
        const auto& scores = scores_[aspect] =
            scores_of(distances_, benchmarks_of(asked_.sweep, aspect));
        found_[aspect] = find_slow(alike_, scores, criteria_in(aspect));
        for (const auto& slow : found_[aspect].slow)
          if (is_wide(slow.scope)) places[kind].insert(place_of(slow.scope, slow.index));
      }
  }

  /// A slot or rack that is slow in one aspect of a class, of any model, has what it has in common
  /// taken off in the others, too: otherwise those of its GPUs or nodes that just pass the
  /// threshold there would be named beside it.
  void run(const slow_places& places) {
    std::map<benchmark_class, wide_parts> wide;
    for (const auto& [kind, aspects] : asked_.judged_aspects()) {
      if (places.contains(kind)) wide[kind] = wide_parts_at(places.at(kind));
      for (const auto& aspect : aspects) {
        if (!wide[kind].empty())
          found_[aspect] = find_slow(alike_, scores_[aspect], criteria_in(aspect), wide[kind]);
        add_aspect(aspect, scores_[aspect], found_[aspect]);
      }
    }
    for (const auto benchmark : asked_.single_benchmarks()) judge_benchmark(benchmark, wide);
    add_doubts();
  }

 private:
  [[nodiscard]] criteria criteria_in(const aspect& aspect) const {
    return asked_.criteria_in(aspect.kind, asked_.aspects.size());
  }

  [[nodiscard]] place_in_fleet place_of(scope scope, std::size_t index) const {
    return fleet::place_of(asked_.sweep, alike_, fleet::part_of(alike_, scope, index));
  }

  [[nodiscard]] wide_parts wide_parts_at(const std::set<place_in_fleet>& places) const {
    wide_parts wide;
    for (std::size_t i = 0; i < alike_.slots.size(); ++i)
      if (places.contains(place_of(scope::slot, i))) wide.emplace(scope::slot, i);
    for (std::size_t i = 0; i < alike_.racks.size(); ++i)
      if (places.contains(place_of(scope::rack, i))) wide.emplace(scope::rack, i);
    return wide;
  }

  void add_aspect(const aspect& aspect, const std::vector<std::optional<score>>& scores,
                  const slow_parts& found) {
    keep(aspect, slower_than_healthy(alike_, scores, found.slow));
    for (const auto& slow : found.slow) add(aspect, {}, slow);
    for (const auto& tested : found.tested)
      result_.tested.push_back({alike_.model, aspect, tested, as_part(tested.detectable)});
    if (std::ranges::any_of(scores, [](const auto& score) { return score.has_value(); }))
      measured_.insert(aspect.kind);
    if (asked_.decides(aspect.kind)) check_coverage(benchmarks_of(asked_.sweep, aspect));
  }

  void keep(const aspect& aspect, const std::vector<std::optional<double>>& slower) {
    // A GPU is not compared with itself.
    if (std::ranges::count_if(slower, [](const auto& value) { return value.has_value(); }) < 2)
      return;
    auto& kept = std::ranges::find(result_.scores, aspect, &aspect_scores::aspect)->beside_peers;
    for (std::size_t i = 0; i < slower.size(); ++i)
      if (slower[i]) kept[alike_.gpus[i]] = as_part(*slower[i]);
  }

  /// A fault that only some benchmarks show, as copies of some sizes, is hidden in the median of
  /// all.
  void judge_benchmark(std::size_t benchmark, const std::map<benchmark_class, wide_parts>& wide) {
    const auto& aspect = asked_.sweep.benchmarks[benchmark].aspect;
    const auto criteria = asked_.criteria_in(aspect.kind, asked_.sweep.benchmarks.size());
    const auto parts =
        find_slow(alike_, scores_of(distances_, {benchmark}), criteria, wide.at(aspect.kind));
    for (const auto& slow : parts.slow)
      if (!is_explained(aspect, slow)) add(aspect, benchmark, slow);
  }

  /// Whether the part or one around it is slow in this aspect as a whole, or one inside of it that
  /// is as slow.
  [[nodiscard]] bool is_explained(const aspect& aspect, const slow_part& slow) const {
    constexpr double as_slow = 1.5;
    const auto part = fleet::part_of(alike_, slow.scope, slow.index);
    return std::ranges::any_of(result_.findings, [&](const finding& found) {
      const auto* known = slow_as_a_whole(found, aspect);
      return known && (is_around(found, alike_, part) ||
                       (is_inside(found, part) &&
                        known->slower.value * as_slow >= as_part(slow.slower.value)));
    });
  }

  [[nodiscard]] bool is_inside(const finding& found, const part_of_peers& part) const {
    return std::ranges::all_of(found.gpus, [&](std::size_t gpu) {
      return std::ranges::any_of(part.gpus, [&](std::size_t i) { return alike_.gpus[i] == gpu; });
    });
  }

  void add(const aspect& aspect, std::optional<std::size_t> benchmark, const slow_part& slow) {
    finding_of(asked_.sweep, alike_, part_of(alike_, slow), reference::peers, aspect.kind,
               pattern::slow, result_.findings)
        .aspects.push_back({aspect, benchmark, as_part(slow.slower), 1 - slow.p, slow.how_long});
  }

  /// What most peers have measured, a GPU must have measured, and nothing else.
  void check_coverage(const std::vector<std::size_t>& benchmarks) {
    const auto compared = compared_benchmarks(asked_.sweep, benchmarks, alike_.gpus);
    for (const auto benchmark : benchmarks) {
      const bool is_compared = std::ranges::binary_search(compared, benchmark);
      for (const auto gpu : alike_.gpus)
        if (asked_.sweep.gpus[gpu].times[benchmark].empty() == is_compared)
          doubt_of(is_compared ? doubt::missing_figures : doubt::uncompared_figures, gpu);
    }
  }

  void add_doubts() {
    for (const auto gpu : alike_.gpus) {
      const bool on_host = asked_.sweep.gpus[gpu].on_host;
      for (const auto& [kind, chosen] : asked_.settings.classes)
        if (chosen.decides && !measured_.contains(kind) &&
            (kind != benchmark_class::link || !on_host))
          doubt_of(doubt::class_not_measured, gpu);
      if (on_host) doubt_of(doubt::host_device, gpu);
      if (alike_.nodes.size() < 2) doubt_of(doubt::no_peers, gpu);
    }
  }

  void doubt_of(doubt doubt, std::size_t gpu) { result_.doubts[doubt].insert(gpu); }

  const question& asked_;
  const peers& alike_;
  benchmark_distances distances_;
  std::map<aspect, std::vector<std::optional<score>>> scores_;
  std::map<aspect, slow_parts> found_;
  std::set<benchmark_class> measured_;
  shown& result_;
};

}  // namespace

shown beside_peers(const question& asked) {
  shown result;
  for (const auto& [kind, aspects] : asked.judged_aspects())
    for (const auto& aspect : aspects)
      result.scores.push_back(
          {aspect, std::vector<std::optional<double>>(asked.sweep.gpus.size()), {}});
  std::list<judging> models;
  for (const auto& alike : asked.models) models.emplace_back(asked, alike, result);
  slow_places places;
  for (auto& model : models) model.add_slow_places(places);
  for (auto& model : models) model.run(places);
  take_out_lone_benchmarks(asked, result);
  for (auto& found : result.findings) {
    sort_aspects(found);
    if (!found.aspects.empty()) found.pattern = pattern_of(found, asked.aspects);
  }
  return result;
}

}  // namespace bench_transfers::fleet
