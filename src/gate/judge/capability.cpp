#include "src/gate/judge/capability.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/gate/judge/answer.hpp"
#include "src/gate/judge/common_shift.hpp"
#include "src/gate/judge/observe.hpp"
#include "src/gate/model/bad_input.hpp"

namespace bench_transfers::gate {
namespace {

/// Unless others are named.
std::set<benchmark_class> deciding_classes(const std::vector<capability>& classes) {
  std::set<benchmark_class> deciding;
  for (const auto& part : classes)
    if (part.kind == benchmark_class::link || part.is_enough()) deciding.insert(part.kind);
  if (deciding.empty())
    for (const auto& part : classes) deciding.insert(part.kind);
  return deciding;
}

}  // namespace

std::vector<capability> capabilities(const baseline& before, std::size_t new_runs,
                                     const limits& limits) {
  std::vector<capability> classes;
  for (const auto& [kind, observations] : observe_classes(before)) {
    const auto bounds = expected_bounds(observations, new_runs, limits);
    const auto is_able = [&, threshold = limits.threshold_for(kind)](const auto& bound) {
      return !is_advisory(bound, threshold);
    };
    const bool is_known = std::isfinite(common_bound_of(observations));
    const auto able = is_known ? std::ranges::count_if(bounds, is_able) : 0;
    classes.push_back({kind, observations.size(), static_cast<std::size_t>(able)});
  }
  return classes;
}

void require_judged_link(const baseline& before, const limits& limits) {
  for (const auto& part : capabilities(before, least_new_processes, limits))
    if (part.kind == benchmark_class::link && !part.is_enough())
      throw bad_input(fmt::format(
          "these runs differ too much: {} of {} benchmarks of the link could show a slowdown of "
          "{:g} % (--allow-noisy permits that; more runs, of more days, may show more)",
          part.able, part.benchmarks, 100 * limits.threshold_for(part.kind)));
}

stakes stakes_of(const baseline& before, const limits& limits,
                 const std::set<benchmark_class>& decide_by) {
  stakes result{capabilities(before, least_new_processes, limits), decide_by, limits};
  if (decide_by.empty()) result.deciding = deciding_classes(result.classes);
  for (const auto kind : all_classes)
    if (!result.deciding.contains(kind)) result.limits.vetoing.insert(kind);
  return result;
}

}  // namespace bench_transfers::gate
