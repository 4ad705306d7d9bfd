#include "src/fleet/judge/levels.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "src/fleet/judge/compared_parts.hpp"
#include "src/fleet/judge/slow_test.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::fleet {
namespace {

using slow_by_index = std::map<std::size_t, slow_part>;

slow_by_index by_index(const std::vector<slow_part>& parts) {
  slow_by_index map;
  for (const auto& part : parts) map.emplace(part.index, part);
  return map;
}

/// Slots of GPUs, or racks of nodes.
struct level {
  fleet::scope scope;
  std::vector<group> groups;
  compared_parts compared;  ///< the groups
  fleet::scope scope_of_members;
  compared_parts members;
};

/// What is taken off the members of a group.
struct excess {
  const group* of;
  double slower;
};

/// Whether three quarters of the members are slower by more than half as much.
bool is_common(const group& group, const std::vector<scored_part>& members, double slower) {
  const auto as_slow = std::ranges::count_if(
      group.members, [&](std::size_t i) { return members[i].score.usual > slower / 2; });
  return 4 * static_cast<std::size_t>(as_slow) >= 3 * group.members.size();
}

/// A group of which enough members are slow by themselves needs no other evidence.
std::optional<slow_part> slow_by_members(const level& level, const group& group,
                                         const slow_by_index& slow_members, double in_common) {
  std::vector<slow_part> found;
  for (const auto i : group.members)
    if (const auto slow = slow_members.find(level.members.parts[i].index);
        slow != slow_members.end() && is_about(slow->second.slower.value, in_common))
      found.push_back(slow->second);
  if (!are_enough(found.size(), group.members.size())) return std::nullopt;
  auto part = *std::ranges::max_element(found, {}, &slow_part::p);
  const auto off = in_common - part.slower.value;
  part.scope = level.scope;
  part.index = group.index;
  part.slower = {in_common, part.slower.low + off, part.slower.high + off};
  part.how_long = std::ranges::max_element(found, {}, &slow_part::how_long)->how_long;
  return part;
}

/// The groups with the medians of their members, of two in the middle the faster.
std::vector<scored_part> scored(const std::vector<group>& groups,
                                const std::vector<scored_part>& members, double deviation) {
  std::vector<scored_part> parts;
  for (const auto& group : groups) {
    const auto own = members_of(group, members);
    auto& part =
        parts.emplace_back(scored_part{group.index, middle_of(own, deviation, lower_median)});
    for (const auto member : compared_members) {
      std::vector<double> in_fleet;
      for (const auto& one : own) in_fleet.push_back(one.in_fleet.*member);
      part.in_fleet.*member = lower_median(std::move(in_fleet));
    }
  }
  return parts;
}

void take_off(score& score, double slower) {
  for (const auto member : compared_members) score.*member -= slower;
}

/// Looks for slow parts in four phases. Each takes off what it finds before the next one looks, so
/// that what many parts have in common is found as one slow part: slots, GPUs, racks, nodes.
class search {
 public:
  search(const peers& alike, std::vector<std::optional<score>> scores, const criteria& criteria,
         const wide_parts& known)
      : alike_(alike),
        scores_(std::move(scores)),
        criteria_(criteria),
        known_(known),
        test_(criteria) {}

  slow_parts run() {
    take_slow_slots_off();
    const auto gpus = gpus_in_nodes();
    find(scope::gpu, {gpus, gpus});
    auto nodes = nodes_without_slow_gpus(test_.deviation_of(gpus));
    if (nodes.size() < 2) return std::move(result_);
    take_slow_racks_off(nodes);
    find(scope::node, compared_with_healthy(std::move(nodes), least_gap()));
    return std::move(result_);
  }

 private:
  /// A slot's GPUs have been compared with others of their nodes: so has the slot.
  void take_slow_slots_off() {
    const auto gpus = gpus_in_nodes();
    std::vector<std::vector<std::size_t>> gpus_of_slots;
    for (const auto& slot : alike_.slots) gpus_of_slots.push_back(slot.gpus);
    auto slots = groups_of(gpus, gpus_of_slots);
    if (slots.size() < 2) return;
    const auto parts = scored(slots, gpus, test_.deviation_of(gpus));
    const level level{scope::slot, std::move(slots), {parts, parts}, scope::gpu, {gpus, gpus}};
    for (const auto& [slot, slower] : find_wide(level))
      for (const auto i : slot->members) take_off(*scores_[gpus[i].index], slower);
  }

  void take_slow_racks_off(std::vector<scored_part>& nodes) {
    auto racks = groups_of(nodes, alike_.racks);
    if (racks.size() < 2) return;
    auto distances = compared_with_healthy(nodes, least_gap());
    auto parts = scored(racks, nodes, test_.deviation_of(distances.parts));
    const level level{scope::rack, std::move(racks),
                      compared_with_healthy(std::move(parts), least_gap()), scope::node,
                      std::move(distances)};
    for (const auto& [rack, slower] : find_wide(level))
      for (const auto i : rack->members) take_off(nodes[i].score, slower);
  }

  /// Adds those of the parts that are slow, by their distances from the others.
  void find(scope scope, const compared_parts& all) {
    if (all.parts.empty()) return;
    result_.tested.push_back(test_.tested_in(scope, all));
    std::ranges::copy(test_.slow_among(scope, all), std::back_inserter(result_.slow));
  }

  /// Adds those of the groups that are slow, by their own distances or by those of their members.
  /// Returns what these and the known ones have in common.
  std::vector<excess> find_wide(const level& level) {
    result_.tested.push_back(test_.tested_in(level.scope, level.compared));
    const auto slow_groups = by_index(test_.slow_among(level.scope, level.compared));
    std::optional<slow_by_index> slow_members;
    std::vector<excess> off;
    for (const auto& group : level.groups) {
      const auto in_common = common_to(
          column(members_of(group, level.members.parts), &score::usual), group.members.size());
      std::optional<slow_part> found;
      if (const auto slow = slow_groups.find(group.index);
          slow != slow_groups.end() &&
          is_common(group, level.members.parts, slow->second.slower.value))
        found = slow->second;
      // Members beyond the threshold are about as slow only then: testing them takes time.
      if (!found && in_common && *in_common > criteria_.threshold / 2) {
        if (!slow_members) slow_members = slow_in_all_runs(level);
        found = slow_by_members(level, group, *slow_members, *in_common);
      }
      if (found) {
        off.push_back({&group, found->slower.value});
        result_.slow.push_back(*found);
      } else if (in_common && known_.contains({level.scope, group.index})) {
        off.push_back({&group, *in_common});
      }
    }
    return off;
  }

  [[nodiscard]] slow_by_index slow_in_all_runs(const level& level) const {
    auto slow = test_.slow_among(level.scope_of_members, level.members);
    std::erase_if(slow, [](const slow_part& part) { return part.by_slowest_run; });
    return by_index(slow);
  }

  /// No healthy part is slower than the others by as much.
  [[nodiscard]] double least_gap() const {
    constexpr double in_expected = 8;
    return std::max(std::log(1.25), in_expected * criteria_.expected);
  }

  [[nodiscard]] std::vector<scored_part> measured(const std::vector<std::size_t>& gpus) const {
    std::vector<scored_part> parts;
    for (const auto gpu : gpus)
      if (scores_[gpu]) parts.push_back({gpu, *scores_[gpu], *scores_[gpu]});
    return parts;
  }

  [[nodiscard]] std::vector<scored_part> gpus_in_nodes() const {
    std::vector<scored_part> parts;
    for (const auto& node : alike_.nodes) {
      auto gpus = measured(node);
      if (gpus.size() < 2) continue;
      std::ranges::move(distances_from_others(std::move(gpus)), std::back_inserter(parts));
    }
    return parts;
  }

  [[nodiscard]] std::vector<scored_part> nodes_without_slow_gpus(double deviation) const {
    std::set<std::size_t> slow;
    for (const auto& part : result_.slow)
      if (part.scope == scope::gpu) slow.insert(part.index);
    std::vector<scored_part> nodes;
    for (std::size_t node = 0; node < alike_.nodes.size(); ++node) {
      auto gpus = measured(alike_.nodes[node]);
      std::erase_if(gpus, [&](const scored_part& gpu) { return slow.contains(gpu.index); });
      if (!gpus.empty()) nodes.push_back({node, middle_of(gpus, deviation, statistics::median)});
    }
    return nodes;
  }

  const peers& alike_;
  std::vector<std::optional<score>> scores_;  ///< less what has been taken off
  const criteria& criteria_;
  const wide_parts& known_;
  slow_test test_;
  slow_parts result_;
};

}  // namespace

slow_parts find_slow(const peers& alike, const std::vector<std::optional<score>>& scores,
                     const criteria& criteria, const wide_parts& known) {
  return search(alike, scores, criteria, known).run();
}

}  // namespace bench_transfers::fleet
