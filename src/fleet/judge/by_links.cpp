#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "src/fleet/judge/findings.hpp"
#include "src/fleet/judge/limits.hpp"
#include "src/fleet/judge/references.hpp"
#include "src/fleet/model/most_common.hpp"
#include "src/machine/pcie.hpp"

namespace bench_transfers::fleet {
namespace {

/// The value that most GPUs of these have; none if none of them has any.
std::optional<int> usual_of(const sweep& sweep, const peers& alike,
                            std::optional<int> link::*member) {
  std::vector<int> values;
  for (const auto gpu : alike.gpus)
    if (const auto value = sweep.gpus[gpu].link.*member) values.push_back(*value);
  return most_common(values);
}

void compare_links(const question& asked, const peers& alike, std::optional<int> link::*member,
                   std::optional<int> link::*maximum, pattern pattern, shown& known) {
  const auto usual = usual_of(asked.sweep, alike, member);
  std::vector<bool> lower;
  for (const auto gpu : alike.gpus) {
    const auto& link = asked.sweep.gpus[gpu].link;
    const auto& value = link.*member;
    lower.push_back(usual && value && *value < *usual);
    if (!lower.back() && value && link.*maximum && *value < *(link.*maximum))
      known.doubts[doubt::link_below_maximum].insert(gpu);
  }
  for (const auto& part : parts_of(alike)) {
    // All GPUs of a part have one cause.
    if (!std::ranges::all_of(part.gpus, [&](std::size_t i) { return lower[i]; })) continue;
    for (const auto i : part.gpus) lower[i] = false;
    finding_of(asked.sweep, alike, part, reference::peers, benchmark_class::link, pattern,
               known.findings)
        .pattern = pattern;
  }
}

/// GPUs that are no slower than the baseline, which has been accepted.
std::set<std::size_t> as_in_baseline(const question& asked, const peers& alike,
                                     const aspect& aspect, const shown& known) {
  std::set<std::size_t> accepted;
  if (!asked.accepted) return accepted;
  const auto& shifts =
      std::ranges::find(known.scores, aspect, &aspect_scores::aspect)->since_baseline;
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

}  // namespace

shown with_lower_links(const question& asked, shown known) {
  for (const auto& alike : asked.models) {
    compare_links(asked, alike, &link::width, &link::width_max, pattern::link_width, known);
    compare_links(asked, alike, &link::generation, &link::generation_max, pattern::link_generation,
                  known);
  }
  return known;
}

shown beside_link_limits(const question& asked, shown known) {
  for (const auto& alike : asked.models)
    for (const auto towards : {direction::h2d, direction::d2h}) {
      const aspect aspect{benchmark_class::link, towards, false};
      if (!asked.aspects.contains(aspect)) continue;
      const auto accepted = as_in_baseline(asked, alike, aspect, known);
      for (const auto& found : below_limits(asked.sweep, alike, towards, accepted))
        add_below_limit(asked, alike, aspect, found, known.findings);
      for (const auto index : alike.gpus) {
        const auto& gpu = asked.sweep.gpus[index];
        const auto rate = copy_rate(asked.sweep, gpu, towards);
        const auto recorded = recorded_rate(gpu, towards);
        if (rate && recorded && *rate < least_part_of_recorded * *recorded &&
            !accepted.contains(index))
          known.doubts[doubt::below_recorded].insert(index);
      }
    }
  return known;
}

}  // namespace bench_transfers::fleet
