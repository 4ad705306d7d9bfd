#include "src/fleet/judge/judge.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "src/fleet/judge/peers.hpp"
#include "src/fleet/judge/scores.hpp"
#include "src/fleet/model/most_common.hpp"

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
    case scope::rack: break;
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
    case scope::rack: break;
  }
  return gpu.rack;
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

class judging {
 public:
  judging(const sweep& sweep, const settings& settings)
      : sweep_(sweep), settings_(settings), aspects_(aspects_of(sweep)) {}

  judgement run() {
    const auto models = peers_of(sweep_);
    for (const auto& alike : models) judge_model(alike, models.size());
    judge_lone_benchmarks(models);
    for (auto& found : result_.findings) {
      std::ranges::sort(found.aspects, std::greater{}, [](const slow_aspect& slow) {
        return std::pair(!slow.benchmark.has_value(), slow.slower.value);
      });
      if (!found.aspects.empty()) found.pattern = pattern_of(found, aspects_);
    }
    for (const auto& alike : models) compare_links(alike);
    add_wrong_data();
    std::ranges::stable_sort(result_.findings, std::greater{}, &finding::scope);
    result_.missing = missing_ranks(sweep_);
    if (is_too_noisy()) result_.doubts[doubt::noise];
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
    result_.verdict = !result_.findings.empty() || !result_.missing.empty() ? verdict::named
                      : is_known                                            ? verdict::healthy
                                                                            : verdict::unknown;
  }

  /// A single benchmark of many is more likely to be chance, or a disturbance: it must be slower by
  /// far.
  void judge_lone_benchmarks(const std::vector<peers>& models) {
    constexpr double by_far = 5;
    constexpr double certain = 1 - 1e-6;
    std::erase_if(result_.findings, [&](const finding& found) {
      const auto& slow = found.aspects.front();
      if (found.aspects.size() > 1 || !slow.benchmark) return false;
      if (slow.how_long != persistence::always) return true;
      const auto& criteria = settings_.classes.at(found.kind);
      if (slow.slower.value > by_far * criteria.threshold && slow.confidence > certain)
        return false;
      if (criteria.decides)
        for (const auto gpu : gpus_of(models, found)) doubt_of(doubt::single_benchmark, gpu);
      return true;
    });
  }

  /// The GPUs of a finding's part.
  [[nodiscard]] std::vector<std::size_t> gpus_of(const std::vector<peers>& models,
                                                 const finding& found) const {
    std::vector<std::size_t> list;
    const auto& first = sweep_.gpus[found.gpu];
    for (const auto& alike : models)
      if (alike.model == first.model)
        for (const auto gpu : alike.gpus)
          if (name_of(sweep_.gpus[gpu], found.scope) == found.name) list.push_back(gpu);
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
    for (const auto& aspect : aspects_) {
      const auto chosen = settings_.classes.find(aspect.kind);
      if (chosen == settings_.classes.end()) continue;
      const auto benchmarks = benchmarks_of(sweep_, aspect);
      const auto scores = scores_of(sweep_, benchmarks, alike.gpus);
      const auto parts =
          find_slow(alike, scores, criteria_of(chosen->second, models * aspects_.size()));
      for (const auto& part : parts.slow) add(alike, aspect, {}, part);
      for (const auto& tested : parts.tested)
        result_.tested.push_back({alike.model, aspect, tested, as_part(tested.detectable)});
      if (std::ranges::any_of(scores, [](const auto& score) { return score.has_value(); }))
        measured.insert(aspect.kind);
      if (chosen->second.decides) check_coverage(alike, benchmarks);
    }
    for (const auto& [kind, chosen] : settings_.classes)
      if (chosen.decides && !measured.contains(kind))
        for (const auto gpu : alike.gpus) doubt_of(doubt::class_not_measured, gpu);
    if (alike.nodes.size() < 2)
      for (const auto gpu : alike.gpus) doubt_of(doubt::no_peers, gpu);
    for (std::size_t i = 0; i < sweep_.benchmarks.size(); ++i) judge_benchmark(alike, models, i);
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
  void judge_benchmark(const peers& alike, std::size_t models, std::size_t benchmark) {
    const auto& aspect = sweep_.benchmarks[benchmark].aspect;
    const auto chosen = settings_.classes.find(aspect.kind);
    if (chosen == settings_.classes.end() || benchmarks_of(sweep_, aspect).size() < 2) return;
    const auto parts = find_slow(alike, scores_of(sweep_, {benchmark}, alike.gpus),
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
    const auto& name = name_of(sweep_.gpus[gpu], scope);
    const auto known = std::ranges::find_if(result_.findings, [&](const finding& other) {
      return other.scope == scope && other.gpu == gpu && other.kind == kind;
    });
    if (known != result_.findings.end()) return *known;
    result_.findings.push_back({scope, gpu, name, pattern::slow, kind, {}});
    return result_.findings.back();
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

  [[nodiscard]] bool is_too_noisy() const {
    return std::ranges::any_of(result_.tested, [&](const tested_aspect& tested) {
      return decides(tested.aspect) && tested.parts.scope != scope::rack &&
             tested.detectable > settings_.must_detect;
    });
  }

  const sweep& sweep_;
  const settings& settings_;
  std::set<aspect> aspects_;
  judgement result_;
};

}  // namespace

settings settings::usual(const std::set<benchmark_class>& deciding) {
  settings usual{.classes = {{benchmark_class::link, {.threshold = 0.02, .expected = 0.003}},
                             {benchmark_class::host, {.threshold = 0.1, .expected = 0.07}},
                             {benchmark_class::latency, {.threshold = 0.1, .expected = 0.07}}}};
  for (auto& [kind, criteria] : usual.classes) criteria.decides = deciding.contains(kind);
  return usual;
}

judgement judge(const sweep& sweep, const settings& settings) {
  return judging(sweep, settings).run();
}

}  // namespace bench_transfers::fleet
