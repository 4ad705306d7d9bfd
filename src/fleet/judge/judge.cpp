#include "src/fleet/judge/judge.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/fleet/judge/advice.hpp"
#include "src/fleet/judge/baseline.hpp"
#include "src/fleet/judge/limits.hpp"
#include "src/fleet/judge/peers.hpp"
#include "src/fleet/judge/scores.hpp"
#include "src/fleet/model/absence.hpp"
#include "src/fleet/model/most_common.hpp"
#include "src/machine/pcie.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::fleet {
namespace {

double as_part(double logarithm) { return std::expm1(logarithm); }

statistics::estimate as_part(const statistics::estimate& logarithm) {
  return {as_part(logarithm.value), as_part(logarithm.low), as_part(logarithm.high)};
}

/// The index of a part's first GPU in the sweep.
std::size_t first_gpu(const peers& alike, scope scope, std::size_t index) {
  const auto of_node = [&](std::size_t node) { return alike.gpus[alike.nodes[node].front()]; };
  switch (scope) {
    case scope::gpu: return alike.gpus[index];
    case scope::node: return of_node(index);
    case scope::rack:
    case scope::fleet: break;
  }
  return of_node(alike.racks[index].front());
}

/// A node of one GPU is that GPU.
scope scope_of(const peers& alike, const slow_part& part) {
  const bool single = part.scope == scope::node && alike.nodes[part.index].size() == 1;
  return single ? scope::gpu : part.scope;
}

const std::string& name_of(const gpu& gpu, scope scope) {
  switch (scope) {
    case scope::gpu: return gpu.uuid;
    case scope::node: return gpu.node;
    case scope::rack: return gpu.rack;
    case scope::fleet: break;
  }
  return gpu.model;
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

/// The value that most GPUs of these have; none if none of them has any.
std::optional<int> usual_of(const sweep& sweep, const peers& alike,
                            std::optional<int> link::*member) {
  std::vector<int> values;
  for (const auto gpu : alike.gpus)
    if (const auto value = sweep.gpus[gpu].link.*member) values.push_back(*value);
  return most_common(values);
}

void sort_aspects(finding& found) {
  std::ranges::sort(found.aspects, std::greater{}, [](const slow_aspect& slow) {
    return std::pair(!slow.benchmark.has_value(), slow.slower.value);
  });
}

class judging {
 public:
  judging(const sweep& sweep, const settings& settings, std::span<const fleet::sweep> accepted)
      : sweep_(sweep), settings_(settings), aspects_(aspects_of(sweep)) {
    if (!accepted.empty()) baseline_.emplace(accepted);
  }

  judgement run() {
    const auto models = peers_of(sweep_);
    add_empty_scores();
    for (const auto& alike : models) judge_model(alike, models.size());
    judge_lone_benchmarks(models);
    for (auto& found : result_.findings) {
      sort_aspects(found);
      if (!found.aspects.empty()) found.pattern = pattern_of(found, aspects_);
    }
    for (const auto& alike : models) {
      compare_links(alike);
      compare_with_baseline(alike, models.size());
      compare_with_limits(alike);
    }
    if (baseline_) judge_lone_benchmarks(models);
    result_.missing = missing_ranks(sweep_);
    add_gone();
    add_wrong_data();
    for (auto& found : result_.findings) {
      found.processes = processes_of(found);
      found.what_to_do = advice_for(sweep_, found, gpus_of(models, found));
      if (may_be_of_process(found))
        found.what_to_do.insert(found.what_to_do.begin(), advice::second_sweep);
    }
    std::ranges::stable_sort(result_.findings, std::greater{}, &finding::scope);
    if (is_too_noisy()) result_.doubts[doubt::noise];
    set_host_devices_aside();
    conclude();
    return std::move(result_);
  }

 private:
  void conclude() {
    std::set<std::size_t> unknown;
    for (const auto& [doubt, gpus] : result_.doubts)
      if (doubt < doubt::link_below_maximum) unknown.insert(gpus.begin(), gpus.end());
    result_.unknown_gpus.assign(unknown.begin(), unknown.end());
    const bool is_known = result_.doubts.empty() && !sweep_.gpus.empty() && sweep_.problems.empty();
    const bool is_named =
        !result_.findings.empty() || !result_.missing.empty() || !result_.gone.empty();
    result_.verdict = is_named ? verdict::named : is_known ? verdict::healthy : verdict::unknown;
  }

  /// Slowness of host devices shows nothing of GPUs. Their wrong data are the machine's.
  void set_host_devices_aside() {
    auto& findings = result_.findings;
    const auto others =
        std::stable_partition(findings.begin(), findings.end(), [&](const finding& found) {
          return found.pattern == pattern::wrong_data || !sweep_.gpus[found.gpu].on_host;
        });
    result_.not_named.assign(others, findings.end());
    findings.erase(others, findings.end());
  }

  [[nodiscard]] std::size_t processes_of(const finding& found) const {
    std::size_t most = 0;
    for (const auto& runs : sweep_.gpus[found.gpu].times) most = std::max(most, runs.size());
    return most;
  }

  /// Whether a healthy GPU can have a process as slow: peers differ less in one sweep than one of
  /// them does from process to process (docs/FLEET.md). A lower link is a fact.
  [[nodiscard]] bool may_be_of_process(const finding& found) const {
    const auto* worst = found.worst();
    const bool is_link =
        found.pattern == pattern::link_generation || found.pattern == pattern::link_width;
    return worst && found.scope == scope::gpu && found.processes == 1 && !is_link &&
           found.reference != reference::link_limit && found.pattern != pattern::intermittent &&
           worst->slower.value < as_part(beyond_chance(settings_.classes.at(found.kind).expected));
  }

  /// A single benchmark of many is more likely to be chance, or a disturbance: it must be slower by
  /// far.
  void judge_lone_benchmarks(const std::vector<peers>& models) {
    constexpr double by_far = 5;
    constexpr double certain = 1 - 1e-6;
    // One repetition of a thousand may be disturbed: two of a benchmark are, in a large fleet.
    constexpr std::size_t more_than_chance = 3;
    std::erase_if(result_.findings, [&](const finding& found) {
      if (found.aspects.size() != 1 || !found.aspects.front().benchmark) return false;
      const auto& slow = found.aspects.front();
      const auto& criteria = settings_.classes.at(found.kind);
      const bool is_always = slow.how_long == persistence::always;
      if (is_always && slow.slower.value > by_far * criteria.threshold && slow.confidence > certain)
        return false;
      if (criteria.decides && (is_always || slow_repetitions(models, found) >= more_than_chance))
        for (const auto gpu : gpus_of(models, found)) doubt_of(doubt::single_benchmark, gpu);
      return true;
    });
  }

  /// How many repetitions of the part's first GPU show at least half of the slowdown of a lone
  /// benchmark.
  [[nodiscard]] std::size_t slow_repetitions(const std::vector<peers>& models,
                                             const finding& found) const {
    const auto& slow = found.aspects.front();
    const auto& gpu = sweep_.gpus[found.gpu];
    std::vector<double> costs;
    for (const auto& alike : models)
      for (const auto peer : alike.gpus)
        if (alike.model == gpu.model)
          if (const auto cost = usual_cost(sweep_.gpus[peer].times[*slow.benchmark]))
            costs.push_back(*cost);
    if (costs.empty()) return 0;
    const auto border =
        std::exp(statistics::median(std::move(costs))) * (1 + slow.slower.value / 2);
    std::size_t count = 0;
    for (const auto& run : gpu.times[*slow.benchmark])
      count += static_cast<std::size_t>(
          std::ranges::count_if(run, [&](double time) { return time > border; }));
    return count;
  }

  /// The GPUs of a finding's part.
  [[nodiscard]] std::vector<std::size_t> gpus_of(const std::vector<peers>& models,
                                                 const finding& found) const {
    std::vector<std::size_t> list;
    for (const auto& alike : models)
      for (const auto gpu : alike.gpus)
        if (is_in(sweep_.gpus[gpu], sweep_.gpus[found.gpu], found.scope)) list.push_back(gpu);
    return list;
  }

  void doubt_of(doubt doubt, std::size_t gpu) { result_.doubts[doubt].insert(gpu); }

  void add_wrong_data() {
    for (std::size_t gpu = 0; gpu < sweep_.gpus.size(); ++gpu)
      if (!sweep_.gpus[gpu].wrong_data.empty())
        result_.findings.push_back({scope::gpu,
                                    gpu,
                                    sweep_.gpus[gpu].uuid,
                                    pattern::wrong_data,
                                    benchmark_class::other,
                                    {}});
  }

  [[nodiscard]] bool decides(const aspect& aspect) const {
    const auto found = settings_.classes.find(aspect.kind);
    return found != settings_.classes.end() && found->second.decides;
  }

  void judge_model(const peers& alike, std::size_t models) {
    std::set<benchmark_class> measured;
    benchmark_distances distances(sweep_, alike.gpus);
    for (const auto& aspect : aspects_) {
      const auto chosen = settings_.classes.find(aspect.kind);
      if (chosen == settings_.classes.end()) continue;
      const auto benchmarks = benchmarks_of(sweep_, aspect);
      const auto scores = scores_of(distances, benchmarks);
      const auto parts =
          find_slow(alike, scores, criteria_of(chosen->second, models * aspects_.size()));
      keep(alike, aspect, slower_than_healthy(alike, scores, parts.slow));
      for (const auto& part : parts.slow) add(alike, aspect, {}, part);
      for (const auto& tested : parts.tested)
        result_.tested.push_back({alike.model, aspect, tested, as_part(tested.detectable)});
      if (std::ranges::any_of(scores, [](const auto& score) { return score.has_value(); }))
        measured.insert(aspect.kind);
      if (chosen->second.decides) check_coverage(alike, benchmarks);
    }
    for (const auto& [kind, chosen] : settings_.classes)
      if (chosen.decides && !measured.contains(kind))
        for (const auto gpu : alike.gpus)
          if (kind != benchmark_class::link || !sweep_.gpus[gpu].on_host)
            doubt_of(doubt::class_not_measured, gpu);
    for (const auto gpu : alike.gpus)
      if (sweep_.gpus[gpu].on_host) doubt_of(doubt::host_device, gpu);
    if (alike.nodes.size() < 2)
      for (const auto gpu : alike.gpus) doubt_of(doubt::no_peers, gpu);
    for (std::size_t i = 0; i < sweep_.benchmarks.size(); ++i)
      judge_benchmark(alike, distances, models, i);
  }

  void add_empty_scores() {
    for (const auto& aspect : aspects_)
      if (settings_.classes.contains(aspect.kind))
        result_.scores.push_back(
            {aspect, std::vector<std::optional<double>>(sweep_.gpus.size()),
             std::vector<std::optional<double>>(baseline_ ? sweep_.gpus.size() : 0)});
  }

  aspect_scores& scores_in(const aspect& aspect) {
    return *std::ranges::find(result_.scores, aspect, &aspect_scores::aspect);
  }

  void keep(const peers& alike, const aspect& aspect,
            const std::vector<std::optional<double>>& slower) {
    // A GPU is not compared with itself.
    if (std::ranges::count_if(slower, [](const auto& value) { return value.has_value(); }) < 2)
      return;
    auto& kept = scores_in(aspect).beside_peers;
    for (std::size_t i = 0; i < slower.size(); ++i)
      if (slower[i]) kept[alike.gpus[i]] = as_part(*slower[i]);
  }

  /// What most peers have measured, a GPU must have measured, and nothing else.
  void check_coverage(const peers& alike, const std::vector<std::size_t>& benchmarks) {
    const auto compared = compared_benchmarks(sweep_, benchmarks, alike.gpus);
    for (const auto benchmark : benchmarks) {
      const bool is_compared = std::ranges::binary_search(compared, benchmark);
      for (const auto gpu : alike.gpus)
        if (sweep_.gpus[gpu].times[benchmark].empty() == is_compared)
          doubt_of(is_compared ? doubt::missing_figures : doubt::uncompared_figures, gpu);
    }
  }

  /// A fault that only some benchmarks show, as copies of some sizes, is hidden in the median of
  /// all.
  void judge_benchmark(const peers& alike, benchmark_distances& distances, std::size_t models,
                       std::size_t benchmark) {
    const auto& aspect = sweep_.benchmarks[benchmark].aspect;
    const auto chosen = settings_.classes.find(aspect.kind);
    if (chosen == settings_.classes.end() || benchmarks_of(sweep_, aspect).size() < 2) return;
    const auto parts = find_slow(alike, scores_of(distances, {benchmark}),
                                 criteria_of(chosen->second, models * sweep_.benchmarks.size()));
    for (const auto& part : parts.slow)
      if (!is_explained(alike, aspect, part)) add(alike, aspect, benchmark, part);
  }

  /// Whether the part or one around it is slow in this aspect as a whole, or one inside of it that
  /// is as slow.
  [[nodiscard]] bool is_explained(const peers& alike, const aspect& aspect,
                                  const slow_part& part) const {
    constexpr double as_slow = 1.5;
    const auto& gpu = sweep_.gpus[first_gpu(alike, part.scope, part.index)];
    return std::ranges::any_of(result_.findings, [&](const finding& found) {
      const auto wider = std::max(found.scope, part.scope);
      return name_of(sweep_.gpus[found.gpu], wider) == name_of(gpu, wider) &&
             std::ranges::any_of(found.aspects, [&](const slow_aspect& slow) {
               return !slow.benchmark && slow.aspect == aspect &&
                      (found.scope >= part.scope ||
                       slow.slower.value * as_slow >= as_part(part.slower.value));
             });
    });
  }

  [[nodiscard]] criteria criteria_of(const class_criteria& chosen, std::size_t tests) const {
    const auto levels = std::size(every_scope);
    return {std::log1p(chosen.threshold),
            settings_.false_alarm / 2 / static_cast<double>(tests * levels), chosen.expected};
  }

  void add(const peers& alike, const aspect& aspect, std::optional<std::size_t> benchmark,
           const slow_part& part) {
    const auto scope = scope_of(alike, part);
    const auto gpu = first_gpu(alike, part.scope, part.index);
    auto& found = finding_of(scope, gpu, aspect.kind);
    found.aspects.push_back({aspect, benchmark, as_part(part.slower), 1 - part.p, part.how_long});
  }

  /// The part's finding in this class, which is added if it is new.
  finding& finding_of(scope scope, std::size_t gpu, benchmark_class kind) {
    return finding_by(reference::peers, scope, gpu, kind, pattern::slow);
  }

  void compare_with_baseline(const peers& alike, std::size_t models) {
    if (!baseline_) return;
    std::set<std::size_t> compared;
    for (auto& kept : result_.scores) {
      const auto& chosen = settings_.classes.at(kept.aspect.kind);
      const auto shifts = baseline_->shifts_of(sweep_, benchmarks_of(sweep_, kept.aspect), alike);
      for (std::size_t i = 0; i < alike.gpus.size(); ++i) {
        if (!shifts.slower[i]) continue;
        kept.since_baseline[alike.gpus[i]] = as_part(*shifts.slower[i]);
        if (chosen.decides) compared.insert(alike.gpus[i]);
      }
      const auto result =
          compare(alike, shifts, criteria_of(chosen, models * result_.scores.size()));
      for (const auto& slow : result.slow)
        add_slower_than_baseline(alike, shifts, kept.aspect, {}, slow, result.half_interval);
      for (const auto& tested : result.tested)
        result_.tested.push_back(
            {alike.model, kept.aspect, tested, as_part(tested.detectable), reference::baseline});
    }
    for (std::size_t i = 0; i < sweep_.benchmarks.size(); ++i)
      compare_benchmark_with_baseline(alike, models, i);
    for (const auto gpu : alike.gpus)
      if (!compared.contains(gpu)) doubt_of(doubt::not_in_baseline, gpu);
    // Without peers a GPU is still compared with itself.
    auto& alone = result_.doubts[doubt::no_peers];
    for (const auto gpu : compared) alone.erase(gpu);
    if (alone.empty()) result_.doubts.erase(doubt::no_peers);
  }

  /// As with peers: the median of many hides two slow ones.
  void compare_benchmark_with_baseline(const peers& alike, std::size_t models,
                                       std::size_t benchmark) {
    const auto& aspect = sweep_.benchmarks[benchmark].aspect;
    const auto chosen = settings_.classes.find(aspect.kind);
    if (chosen == settings_.classes.end() || benchmarks_of(sweep_, aspect).size() < 2) return;
    const auto shifts = baseline_->shifts_of(sweep_, {benchmark}, alike);
    const auto result =
        compare(alike, shifts, criteria_of(chosen->second, models * sweep_.benchmarks.size()));
    for (const auto& slow : result.slow)
      add_slower_than_baseline(alike, shifts, aspect, benchmark, slow, result.half_interval);
  }

  void add_slower_than_baseline(const peers& alike, const shifts& shifts, const aspect& aspect,
                                std::optional<std::size_t> benchmark, const common_slowdown& slow,
                                double half_interval) {
    const auto first = alike.gpus[slow.part.gpus.front()];
    if (is_named(slow.part.scope, first, aspect, benchmark.has_value())) return;
    const bool by_itself =
        std::ranges::any_of(slow.part.gpus, [&](std::size_t i) { return shifts.by_itself[i]; });
    const auto pattern = by_itself ? pattern::slower_than_before : pattern::slower_than_model;
    auto& found = finding_by(reference::baseline, slow.part.scope, first, aspect.kind, pattern);
    found.aspects.push_back({aspect, benchmark,
                             as_part(statistics::estimate{slow.slower, slow.slower - half_interval,
                                                          slow.slower + half_interval}),
                             1 - slow.p, persistence::always});
    sort_aspects(found);
  }

  /// The part's finding by this reference in this class, which is added if it is new.
  finding& finding_by(reference reference, scope scope, std::size_t gpu, benchmark_class kind,
                      pattern pattern) {
    const auto known = std::ranges::find_if(result_.findings, [&](const finding& other) {
      return other.reference == reference && other.scope == scope && other.gpu == gpu &&
             other.kind == kind;
    });
    if (known != result_.findings.end()) return *known;
    result_.findings.push_back(
        {scope, gpu, name_of(sweep_.gpus[gpu], scope), pattern, kind, {}, reference});
    return result_.findings.back();
  }

  /// Whether the part, or one around it, is slow beside its peers in this class; of a benchmark,
  /// also whether it is slower than in the baseline in the aspect as a whole.
  [[nodiscard]] bool is_named(scope scope, std::size_t gpu, const aspect& aspect,
                              bool in_benchmark) const {
    return std::ranges::any_of(result_.findings, [&](const finding& found) {
      if (found.kind != aspect.kind || found.scope < scope || found.aspects.empty() ||
          !is_in(sweep_.gpus[gpu], sweep_.gpus[found.gpu], found.scope))
        return false;
      return found.reference == reference::peers ||
             (in_benchmark && std::ranges::any_of(found.aspects, [&](const slow_aspect& slow) {
                return !slow.benchmark && slow.aspect == aspect;
              }));
    });
  }

  /// Peers and a baseline can be slow themselves. What a link can carry is known.
  void compare_with_limits(const peers& alike) {
    for (const auto towards : {direction::h2d, direction::d2h}) {
      const aspect aspect{benchmark_class::link, towards, false};
      if (!aspects_.contains(aspect)) continue;
      const auto accepted = as_in_baseline(alike, aspect);
      for (const auto& found : below_limits(sweep_, alike, towards, accepted))
        add_below_limit(alike, aspect, found);
      for (const auto index : alike.gpus) {
        const auto& gpu = sweep_.gpus[index];
        const auto rate = copy_rate(sweep_, gpu, towards);
        const auto recorded = recorded_rate(gpu, towards);
        if (rate && recorded && *rate < least_part_of_recorded * *recorded &&
            !accepted.contains(index))
          doubt_of(doubt::below_recorded, index);
      }
    }
  }

  /// GPUs that are no slower than the baseline, which has been accepted.
  [[nodiscard]] std::set<std::size_t> as_in_baseline(const peers& alike, const aspect& aspect) {
    std::set<std::size_t> accepted;
    if (!baseline_) return accepted;
    const auto& shifts = scores_in(aspect).since_baseline;
    for (const auto gpu : alike.gpus)
      if (shifts[gpu] && *shifts[gpu] <= settings_.classes.at(aspect.kind).threshold)
        accepted.insert(gpu);
    return accepted;
  }

  void add_below_limit(const peers& alike, const aspect& aspect, const below_limit& below) {
    const auto first = alike.gpus[below.part.gpus.front()];
    const auto reached = machine::least_part_of_pcie_link * std::exp(-below.slower);
    const auto keep = [&](finding& found) {
      found.part_of_link = std::min(reached, found.part_of_link.value_or(reached));
    };
    if (auto* known = slow_in(below.part.scope, first, aspect)) return keep(*known);
    auto& found = finding_by(reference::link_limit, below.part.scope, first, aspect.kind,
                             pattern::below_link_limit);
    keep(found);
    const auto slower = as_part(below.slower);
    found.aspects.push_back({aspect, {}, {slower, slower, slower}, 1, persistence::always});
  }

  /// The finding that the part, or one around it, is slower than peers or a baseline in this
  /// aspect; null if there is none.
  finding* slow_in(scope scope, std::size_t gpu, const aspect& aspect) {
    const auto known = std::ranges::find_if(result_.findings, [&](const finding& found) {
      return found.reference != reference::link_limit && found.scope >= scope &&
             is_in(sweep_.gpus[gpu], sweep_.gpus[found.gpu], found.scope) &&
             std::ranges::any_of(found.aspects, [&](const slow_aspect& slow) {
               return !slow.benchmark && slow.aspect == aspect;
             });
    });
    return known == result_.findings.end() ? nullptr : &*known;
  }

  /// A GPU that its node has lost says nothing itself. Its rank is not missing beside it.
  void add_gone() {
    if (!baseline_) return;
    const auto lost = baseline_->lost(sweep_);
    std::vector<absent_gpu> absent;
    for (const auto* gpu : lost) absent.push_back({gpu->uuid, gpu->node});
    const auto gone = are_gone(absent, unread_results(sweep_));
    for (std::size_t i = 0; i < lost.size(); ++i)
      if (gone[i]) result_.gone.push_back(*lost[i]);
    const auto known = result_.gone;
    for (auto& gpu : result_.gone) gpu.rank.reset();
    // The same rank as before, otherwise any of the node.
    for (std::size_t i = 0; i < known.size(); ++i)
      take_missing(result_.gone[i], [&](const missing_rank& missing) {
        return missing.rank == known[i].rank &&
               (missing.node.empty() || missing.node == known[i].node);
      });
    for (auto& gpu : result_.gone)
      if (!gpu.rank)
        take_missing(gpu, [&](const missing_rank& missing) { return missing.node == gpu.node; });
    result_.absent_nodes = baseline_->absent_nodes(sweep_);
    if (!result_.absent_nodes.empty()) result_.doubts[doubt::nodes_not_measured];
    if (baseline_->is_later(sweep_)) result_.doubts[doubt::baseline_is_later];
  }

  template <class Matches>
  void take_missing(gpu& gone, const Matches& matches) {
    const auto missing = std::ranges::find_if(result_.missing, matches);
    if (missing == result_.missing.end()) return;
    gone.rank = missing->rank;
    result_.missing.erase(missing);
  }

  /// A link that is lower than those of the peers explains why a GPU is slow, and is reported even
  /// if it is not. One that is lower than it could be, as those of the peers are, is a doubt.
  void compare_links(const peers& alike) {
    compare_links(alike, &link::width, &link::width_max, pattern::link_width);
    compare_links(alike, &link::generation, &link::generation_max, pattern::link_generation);
  }

  void compare_links(const peers& alike, std::optional<int> link::*member,
                     std::optional<int> link::*maximum, pattern pattern) {
    const auto usual = usual_of(sweep_, alike, member);
    const auto is_lower = [&](std::size_t i) {
      const auto& value = sweep_.gpus[alike.gpus[i]].link.*member;
      return usual && value && *value < *usual;
    };
    for (const auto& node : alike.nodes) {
      // All GPUs of a node have one cause.
      if (node.size() > 1 && std::ranges::all_of(node, is_lower)) {
        finding_of(scope::node, alike.gpus[node.front()], benchmark_class::link).pattern = pattern;
        continue;
      }
      for (const auto i : node)
        if (is_lower(i))
          finding_of(scope::gpu, alike.gpus[i], benchmark_class::link).pattern = pattern;
    }
    for (std::size_t i = 0; i < alike.gpus.size(); ++i) {
      const auto& link = sweep_.gpus[alike.gpus[i]].link;
      if (!is_lower(i) && link.*member && link.*maximum && *(link.*member) < *(link.*maximum))
        doubt_of(doubt::link_below_maximum, alike.gpus[i]);
    }
  }

  /// Whether peers or, where they do not, the baseline would have shown what must be detected.
  [[nodiscard]] bool is_too_noisy() const {
    struct shown {
      bool by_all_peers = true, has_peers = false, by_baseline = false;
    };
    std::map<std::pair<std::string, aspect>, shown> known;
    for (const auto& tested : result_.tested) {
      if (!decides(tested.aspect) || tested.parts.scope == scope::rack) continue;
      auto& shown = known[{tested.model, tested.aspect}];
      const bool is_shown = tested.detectable <= settings_.must_detect;
      if (tested.reference == reference::baseline) {
        shown.by_baseline = is_shown;
      } else {
        shown.has_peers = true;
        shown.by_all_peers = shown.by_all_peers && is_shown;
      }
    }
    return std::ranges::any_of(known, [](const auto& entry) {
      const auto& [by_all_peers, has_peers, by_baseline] = entry.second;
      return !by_baseline && !(has_peers && by_all_peers);
    });
  }

  const sweep& sweep_;
  const settings& settings_;
  std::set<aspect> aspects_;
  std::optional<baseline> baseline_;
  judgement result_;
};

}  // namespace

bool is_in(const gpu& gpu, const fleet::gpu& first, scope scope) {
  return gpu.model == first.model && name_of(gpu, scope) == name_of(first, scope);
}

settings settings::usual(const std::set<benchmark_class>& deciding) {
  settings usual{.classes = {{benchmark_class::link, {.threshold = 0.02, .expected = 0.003}},
                             {benchmark_class::host, {.threshold = 0.1, .expected = 0.07}},
                             {benchmark_class::latency, {.threshold = 0.1, .expected = 0.07}}}};
  for (auto& [kind, criteria] : usual.classes) criteria.decides = deciding.contains(kind);
  return usual;
}

judgement judge(const sweep& sweep, const settings& settings,
                std::span<const fleet::sweep> baseline) {
  return judging(sweep, settings, baseline).run();
}

}  // namespace bench_transfers::fleet
