#include "src/fleet/judge/judge.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "src/fleet/judge/peers.hpp"
#include "src/fleet/judge/scores.hpp"

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
  std::map<int, std::size_t> times;
  for (const auto gpu : alike.gpus)
    if (const auto value = sweep.gpus[gpu].link.*member) ++times[*value];
  const auto most = std::ranges::max_element(
      times, {}, [](const auto& entry) { return std::tuple(entry.second, entry.first); });
  return most == times.end() ? std::nullopt : std::optional(most->first);
}

class judging {
 public:
  judging(const sweep& sweep, const settings& settings)
      : sweep_(sweep), settings_(settings), aspects_(aspects_of(sweep)) {}

  judgement run() {
    const auto models = peers_of(sweep_);
    for (const auto& alike : models) judge_model(alike, models.size());
    // A single benchmark of many is more likely to be chance, or a disturbance.
    std::erase_if(result_.findings, [](const finding& found) {
      return found.aspects.size() == 1 && found.worst()->benchmark;
    });
    for (auto& found : result_.findings) {
      std::ranges::sort(found.aspects, std::greater{}, [](const slow_aspect& slow) {
        return std::pair(!slow.benchmark.has_value(), slow.slower.value);
      });
      if (!found.aspects.empty()) found.pattern = pattern_of(found, aspects_);
    }
    for (const auto& alike : models) compare_links(alike);
    std::ranges::stable_sort(result_.findings, std::greater{}, &finding::scope);
    result_.unknown_gpus.assign(unknown_.begin(), unknown_.end());
    result_.missing = missing_ranks(sweep_);
    result_.verdict = !result_.findings.empty() || !result_.missing.empty() ? verdict::named
                      : is_known()                                          ? verdict::healthy
                                                                            : verdict::unknown;
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool decides(const aspect& aspect) const {
    const auto found = settings_.classes.find(aspect.kind);
    return found != settings_.classes.end() && found->second.decides;
  }

  void judge_model(const peers& alike, std::size_t models) {
    bool decided = false;
    for (const auto& aspect : aspects_) {
      const auto chosen = settings_.classes.find(aspect.kind);
      if (chosen == settings_.classes.end()) continue;
      const auto scores = scores_of(sweep_, benchmarks_of(sweep_, aspect), alike.gpus);
      const auto parts =
          find_slow(alike, scores, criteria_of(chosen->second, models * aspects_.size()));
      for (const auto& part : parts.slow) add(alike, aspect, {}, part);
      for (const auto& tested : parts.tested)
        result_.tested.push_back({alike.model, aspect, tested, as_part(tested.detectable)});
      if (!chosen->second.decides) continue;
      decided = true;
      for (std::size_t i = 0; i < scores.size(); ++i)
        if (!scores[i] || alike.nodes.size() < 2) unknown_.insert(alike.gpus[i]);
    }
    if (!decided) unknown_.insert(alike.gpus.begin(), alike.gpus.end());
    for (std::size_t i = 0; i < sweep_.benchmarks.size(); ++i) judge_benchmark(alike, models, i);
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

  /// Whether the part, one around it or one inside of it is slow in this aspect as a whole.
  [[nodiscard]] bool is_explained(const peers& alike, const aspect& aspect,
                                  const slow_part& part) const {
    const auto& gpu = sweep_.gpus[first_gpu(alike, part.scope, part.index)];
    return std::ranges::any_of(result_.findings, [&](const finding& found) {
      const auto wider = std::max(found.scope, part.scope);
      return name_of(sweep_.gpus[found.gpu], wider) == name_of(gpu, wider) &&
             std::ranges::any_of(found.aspects, [&](const slow_aspect& slow) {
               return !slow.benchmark && slow.aspect == aspect;
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
    found.aspects.push_back({aspect, benchmark, as_part(part.slower), 1 - part.p});
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
  /// if it is not.
  void compare_links(const peers& alike) {
    for (const auto& [member, pattern] : {std::pair(&link::width, pattern::link_width),
                                          std::pair(&link::generation, pattern::link_generation)}) {
      const auto usual = usual_of(sweep_, alike, member);
      for (const auto gpu : alike.gpus) {
        const auto& value = sweep_.gpus[gpu].link.*member;
        if (usual && value && *value < *usual)
          finding_of(scope::gpu, gpu, benchmark_class::link).pattern = pattern;
      }
    }
  }

  [[nodiscard]] bool is_known() const {
    if (!unknown_.empty() || sweep_.gpus.empty() || !sweep_.problems.empty()) return false;
    return std::ranges::none_of(result_.tested, [&](const tested_aspect& tested) {
      return decides(tested.aspect) && tested.parts.scope != scope::rack &&
             tested.detectable > settings_.must_detect;
    });
  }

  const sweep& sweep_;
  const settings& settings_;
  std::set<aspect> aspects_;
  std::set<std::size_t> unknown_;
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
