#include "src/fleet/judge/by_references.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <list>
#include <map>
#include <set>
#include <utility>

#include "src/fleet/judge/findings.hpp"
#include "src/fleet/judge/limits.hpp"
#include "src/fleet/judge/scores.hpp"
#include "src/fleet/model/absence.hpp"
#include "src/machine/pcie.hpp"

namespace bench_transfers::fleet {
namespace {

aspect_scores& scores_in(const aspect& aspect, judgement& judged) {
  return *std::ranges::find(judged.scores, aspect, &aspect_scores::aspect);
}

/// One model beside the baseline.
class comparing {
 public:
  comparing(const question& asked, const peers& alike, judgement& judged)
      : asked_(asked), alike_(alike), judged_(judged) {}

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
          judged_.tested.push_back(
              {alike_.model, aspect, tested, as_part(tested.detectable), reference::baseline});
      }
    }
    for (const auto benchmark : asked_.single_benchmarks()) {
      const auto& aspect = asked_.sweep.benchmarks[benchmark].aspect;
      const auto criteria =
          asked_.criteria_of(*asked_.criteria_in(aspect.kind), asked_.sweep.benchmarks.size());
      const auto shifts = shifts_of({benchmark});
      add(shifts, aspect, benchmark, compare(alike_, shifts, criteria, known.at(aspect.kind)));
    }
    for (const auto gpu : alike_.gpus)
      if (!compared_.contains(gpu)) judged_.doubts[doubt::not_in_baseline].insert(gpu);
    // Without peers a GPU is still compared with itself.
    auto& alone = judged_.doubts[doubt::no_peers];
    for (const auto gpu : compared_) alone.erase(gpu);
    if (alone.empty()) judged_.doubts.erase(doubt::no_peers);
  }

 private:
  [[nodiscard]] criteria criteria_in(const aspect& aspect) const {
    return asked_.criteria_of(*asked_.criteria_in(aspect.kind), judged_.scores.size());
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
    auto& kept = scores_in(aspect, judged_).since_baseline;
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
                               pattern, judged_.findings);
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
    return std::ranges::any_of(judged_.findings, [&](const finding& found) {
      if (found.kind != aspect.kind || found.aspects.empty() || !is_around(found, alike_, part))
        return false;
      return found.reference == reference::peers ||
             (in_benchmark && slow_as_a_whole(found, aspect));
    });
  }

  const question& asked_;
  const peers& alike_;
  judgement& judged_;
  std::map<aspect, shifts> shifts_;
  std::set<std::size_t> compared_;  ///< in a class that decides
};

/// GPUs that are no slower than the baseline, which has been accepted.
std::set<std::size_t> as_in_baseline(const question& asked, const peers& alike,
                                     const aspect& aspect, judgement& judged) {
  std::set<std::size_t> accepted;
  if (!asked.accepted) return accepted;
  const auto& shifts = scores_in(aspect, judged).since_baseline;
  for (const auto gpu : alike.gpus)
    if (shifts[gpu] && *shifts[gpu] <= asked.settings.classes.at(aspect.kind).threshold)
      accepted.insert(gpu);
  return accepted;
}

/// What a link can carry is evidence of a finding that the part, or one around it, is slower than
/// peers or a baseline in this aspect; otherwise it is a finding itself.
void add_below_limit(const question& asked, const peers& alike, const aspect& aspect,
                     const below_limit& below, std::vector<finding>& findings) {
  const auto reached = machine::least_part_of_pcie_link * std::exp(-below.slower);
  const auto keep = [&](finding& found) {
    found.part_of_link = std::min(reached, found.part_of_link.value_or(reached));
  };
  const auto known = std::ranges::find_if(findings, [&](const finding& found) {
    return found.reference != reference::link_limit && slow_as_a_whole(found, aspect) &&
           is_around(found, alike, below.part);
  });
  if (known != findings.end()) return keep(*known);
  auto& found = finding_of(asked.sweep, alike, below.part, reference::link_limit, aspect.kind,
                           pattern::below_link_limit, findings);
  keep(found);
  const auto slower = as_part(below.slower);
  found.aspects.push_back({aspect, {}, {slower, slower, slower}, 1, persistence::always});
}

template <class Matches>
void take_missing(gpu& gone, std::vector<missing_rank>& missing, const Matches& matches) {
  const auto found = std::ranges::find_if(missing, matches);
  if (found == missing.end()) return;
  gone.rank = found->rank;
  missing.erase(found);
}

}  // namespace

void judge_by_baseline(const question& asked, judgement& judged) {
  if (!asked.accepted) return;
  for (auto& kept : judged.scores) kept.since_baseline.resize(asked.sweep.gpus.size());
  std::list<comparing> models;
  for (const auto& alike : asked.models) models.emplace_back(asked, alike, judged);
  slow_places places;
  for (auto& model : models) model.add_slow_places(places);
  for (auto& model : models) model.run(places);
}

void judge_by_links(const question& asked, judgement& judged) {
  for (const auto& alike : asked.models)
    for (const auto towards : {direction::h2d, direction::d2h}) {
      const aspect aspect{benchmark_class::link, towards, false};
      if (!asked.aspects.contains(aspect)) continue;
      const auto accepted = as_in_baseline(asked, alike, aspect, judged);
      for (const auto& found : below_limits(asked.sweep, alike, towards, accepted))
        add_below_limit(asked, alike, aspect, found, judged.findings);
      for (const auto index : alike.gpus) {
        const auto& gpu = asked.sweep.gpus[index];
        const auto rate = copy_rate(asked.sweep, gpu, towards);
        const auto recorded = recorded_rate(gpu, towards);
        if (rate && recorded && *rate < least_part_of_recorded * *recorded &&
            !accepted.contains(index))
          judged.doubts[doubt::below_recorded].insert(index);
      }
    }
}

void add_gone(const question& asked, judgement& judged) {
  if (!asked.accepted) return;
  const auto lost = asked.accepted->lost(asked.sweep);
  std::vector<absent_gpu> absent;
  for (const auto* gpu : lost) absent.push_back({gpu->uuid, gpu->node});
  const auto gone = are_gone(absent, unread_results(asked.sweep));
  for (std::size_t i = 0; i < lost.size(); ++i)
    if (gone[i]) judged.gone.push_back(*lost[i]);
  const auto known = judged.gone;
  for (auto& gpu : judged.gone) gpu.rank.reset();
  // The same rank as before, otherwise any of the node.
  for (std::size_t i = 0; i < known.size(); ++i)
    take_missing(judged.gone[i], judged.missing, [&](const missing_rank& missing) {
      return missing.rank == known[i].rank &&
             (missing.node.empty() || missing.node == known[i].node);
    });
  for (auto& gpu : judged.gone)
    if (!gpu.rank)
      take_missing(gpu, judged.missing,
                   [&](const missing_rank& missing) { return missing.node == gpu.node; });
  judged.absent_nodes = asked.accepted->absent_nodes(asked.sweep);
  if (!judged.absent_nodes.empty()) judged.doubts[doubt::nodes_not_measured];
  if (asked.accepted->is_later(asked.sweep)) judged.doubts[doubt::baseline_is_later];
}

}  // namespace bench_transfers::fleet
