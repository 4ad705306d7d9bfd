#include <algorithm>
#include <cmath>
#include <limits>
#include <list>
#include <map>
#include <set>

#include "src/fleet/judge/findings.hpp"
#include "src/fleet/judge/references.hpp"
#include "src/fleet/judge/scores.hpp"

namespace bench_transfers::fleet {
namespace {

/// One model beside the baseline.
class comparing {
 public:
  comparing(const question& asked, const peers& alike, shown& known)
      : asked_(asked), alike_(alike), known_(known) {}

  /// Adds the slower parts of each class that are no single GPUs.
  void add_slow_places(slow_places& places) {
    for (const auto& [kind, aspects] : asked_.judged_aspects())
      for (const auto& aspect : aspects) {
        shifts_[aspect] = shifts_of(benchmarks_of(asked_.sweep, aspect));
        keep(aspect, shifts_[aspect]);
        for (const auto& slow : compare(alike_, shifts_[aspect], criteria_in(aspect)).slow)
          if (slow.part.scope != scope::gpu)
            places[kind].insert(place_of(asked_.sweep, alike_, slow.part));
      }
  }

  /// What is slower in one aspect of a class is taken off in the others, as beside peers.
  void run(const slow_places& places) {
    std::map<benchmark_class, std::set<std::size_t>> known;
    for (const auto& [kind, aspects] : asked_.judged_aspects()) {
      if (places.contains(kind)) known[kind] = parts_at(places.at(kind));
      for (const auto& aspect : aspects) {
        const auto result = compare(alike_, shifts_[aspect], criteria_in(aspect), known[kind]);
        add(shifts_[aspect], aspect, {}, result);
        for (const auto& tested : result.tested)
          known_.tested.push_back(
              {alike_.model, aspect, tested, as_part(tested.detectable), reference::baseline});
      }
    }
    for (const auto benchmark : asked_.single_benchmarks()) {
      const auto& aspect = asked_.sweep.benchmarks[benchmark].aspect;
      const auto criteria = asked_.criteria_in(aspect.kind, asked_.sweep.benchmarks.size());
      const auto shifts = shifts_of({benchmark});
      add(shifts, aspect, benchmark, compare(alike_, shifts, criteria, known.at(aspect.kind)));
    }
    for (const auto gpu : alike_.gpus)
      if (!compared_.contains(gpu)) known_.doubts[doubt::not_in_baseline].insert(gpu);
    // Without peers a GPU is still compared with itself.
    auto& alone = known_.doubts[doubt::no_peers];
    for (const auto gpu : compared_) alone.erase(gpu);
    if (alone.empty()) known_.doubts.erase(doubt::no_peers);
  }

 private:
  [[nodiscard]] criteria criteria_in(const aspect& aspect) const {
    return asked_.criteria_in(aspect.kind, known_.scores.size());
  }

  [[nodiscard]] shifts shifts_of(const std::vector<std::size_t>& benchmarks) const {
    return asked_.accepted->shifts_of(asked_.sweep, benchmarks, alike_);
  }

  [[nodiscard]] std::set<std::size_t> parts_at(const std::set<place_in_fleet>& places) const {
    std::set<std::size_t> known;
    const auto parts = parts_of(alike_);
    for (std::size_t i = 0; i < parts.size() && parts[i].scope != scope::gpu; ++i)
      if (places.contains(place_of(asked_.sweep, alike_, parts[i]))) known.insert(i);
    return known;
  }

  void keep(const aspect& aspect, const shifts& shifts) {
    auto& kept = std::ranges::find(known_.scores, aspect, &aspect_scores::aspect)->since_baseline;
    for (std::size_t i = 0; i < alike_.gpus.size(); ++i) {
      if (!shifts.slower[i]) continue;
      kept[alike_.gpus[i]] = as_part(*shifts.slower[i]);
      if (asked_.decides(aspect.kind)) compared_.insert(alike_.gpus[i]);
    }
  }

  void add(const shifts& shifts, const aspect& aspect, std::optional<std::size_t> benchmark,
           const slower_than_baseline& result) {
    for (const auto& slow : result.slow) {
      if (is_named(slow.part, aspect, benchmark.has_value())) continue;
      const bool by_itself =
          std::ranges::any_of(slow.part.gpus, [&](std::size_t i) { return shifts.by_itself[i]; });
      const auto pattern = by_itself ? pattern::slower_than_before : pattern::slower_than_model;
      auto& found = finding_of(asked_.sweep, alike_, slow.part, reference::baseline, aspect.kind,
                               pattern, known_.findings);
      found.aspects.push_back(
          {aspect, benchmark,
           as_part(statistics::estimate{slow.slower, slow.slower - result.half_interval,
                                        slow.slower + result.half_interval}),
           1 - slow.p, how_long(slow, benchmark)});
      sort_aspects(found);
    }
  }

  /// A repetition or two of a GPU's benchmark may be disturbed: does even the fastest one show half
  /// of the slowdown?
  [[nodiscard]] persistence how_long(const common_slowdown& slow,
                                     std::optional<std::size_t> benchmark) const {
    if (!benchmark || slow.part.scope != scope::gpu) return persistence::always;
    const auto& runs = asked_.sweep.gpus[alike_.gpus[slow.part.gpus.front()]].times[*benchmark];
    double fastest = std::numeric_limits<double>::infinity();
    for (const auto& run : runs) fastest = std::min(fastest, std::ranges::min(run));
    return std::log(fastest) > *usual_cost(runs) - slow.slower / 2 ? persistence::always
                                                                   : persistence::mostly;
  }

  /// Whether the part, or one around it, is slow beside its peers in this class; of a benchmark,
  /// also whether it is slower than in the baseline in the aspect as a whole.
  [[nodiscard]] bool is_named(const part_of_peers& part, const aspect& aspect,
                              bool in_benchmark) const {
    return std::ranges::any_of(known_.findings, [&](const finding& found) {
      if (found.kind != aspect.kind || found.aspects.empty() || !is_around(found, alike_, part))
        return false;
      return found.reference == reference::peers ||
             (in_benchmark && slow_as_a_whole(found, aspect));
    });
  }

  const question& asked_;
  const peers& alike_;
  shown& known_;
  std::map<aspect, shifts> shifts_;
  std::set<std::size_t> compared_;  ///< in a class that decides
};

}  // namespace

shown beside_baseline(const question& asked, shown known) {
  if (!asked.accepted) return known;
  for (auto& kept : known.scores) kept.since_baseline.resize(asked.sweep.gpus.size());
  std::list<comparing> models;
  for (const auto& alike : asked.models) models.emplace_back(asked, alike, known);
  slow_places places;
  for (auto& model : models) model.add_slow_places(places);
  for (auto& model : models) model.run(places);
  take_out_lone_benchmarks(asked, known);
  return known;
}

}  // namespace bench_transfers::fleet
