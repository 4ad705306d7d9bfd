#include "src/fleet/judge/levels.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <iterator>
#include <map>
#include <numbers>
#include <set>

#include "src/fleet/judge/spread.hpp"
#include "src/statistics/false_discovery.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::fleet {
namespace {

/// A GPU, node or rack with its score.
struct part {
  std::size_t index;
  fleet::score score;
  fleet::score in_fleet = {};  ///< the score beside the whole fleet
};

std::vector<double> column(const std::vector<part>& parts, double score::*member) {
  std::vector<double> values;
  values.reserve(parts.size());
  for (const auto& part : parts) values.push_back(part.score.*member);
  return values;
}

/// The quantile of members that differ by this deviation.
template <class Quantile>
score middle_of(const std::vector<part>& members, double deviation, Quantile quantile) {
  if (members.size() == 1) return members.front().score;
  constexpr double of_median = 1.2533;  // sqrt(pi / 2): the median is less precise than the mean
  score middle;
  for (const auto member : compared_members) middle.*member = quantile(column(members, member));
  middle.error = of_median * deviation / std::sqrt(static_cast<double>(members.size()));
  return middle;
}

/// The median of ascending values without the one at `left_out`; of two values or more.
double median_without(const std::vector<double>& ascending, std::size_t left_out) {
  const auto at = [&](std::size_t i) { return ascending[i < left_out ? i : i + 1]; };
  const auto count = ascending.size() - 1;
  return count % 2 == 1 ? at(count / 2) : (at(count / 2 - 1) + at(count / 2)) / 2;
}

/// Each value's distance from the median of the others; a single one has none.
std::vector<double> distances_from_others(const std::vector<double>& values) {
  if (values.size() < 2) return std::vector<double>(values.size(), 0.0);
  auto ascending = values;
  std::ranges::sort(ascending);
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const auto value : values) {
    const auto rank = std::ranges::lower_bound(ascending, value) - ascending.begin();
    distances.push_back(value - median_without(ascending, static_cast<std::size_t>(rank)));
  }
  return distances;
}

/// The parts with their distances from the others in place of their scores.
std::vector<part> compared(std::vector<part> parts) {
  for (const auto member : compared_members) {
    const auto distances = distances_from_others(column(parts, member));
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i].score.*member = distances[i];
  }
  return parts;
}

/// The fast ones of parts of which half or more, but not all, are slower by far: their median is no
/// reference then. Empty if they are no such groups.
std::vector<part> fast_group(std::vector<part> parts, double least_gap) {
  constexpr double gap_in_ranges = 4;
  std::ranges::sort(parts, {}, [](const part& part) { return part.score.usual; });
  const auto usual = column(parts, &score::usual);
  for (auto fast = (parts.size() + 2) / 3; fast > 0 && 2 * fast <= parts.size(); ++fast) {
    const auto gap = usual[fast] - usual[fast - 1];
    if (gap < std::max(least_gap, gap_in_ranges * (usual[fast - 1] - usual[0]))) continue;
    parts.resize(fast);
    return parts;
  }
  return {};
}

/// Parts with their distances, and those whose distances show how healthy ones differ.
struct comparison {
  std::vector<part> parts, healthy;
};

comparison compared_in_groups(std::vector<part> parts, double least_gap) {
  auto fast = fast_group(parts, least_gap);
  if (fast.empty()) {
    parts = compared(std::move(parts));
    return {parts, parts};
  }
  const auto centre = middle_of(fast, 0, statistics::median);
  for (auto& part : parts)
    for (const auto member : compared_members) part.score.*member -= centre.*member;
  return {std::move(parts), compared(std::move(fast))};
}

/// A slot or a rack, and which of the parts that it is made of it has.
struct group {
  std::size_t index;
  std::vector<std::size_t> members;  ///< positions in the list of those parts
};

/// What is taken off the members of a group.
struct excess {
  const fleet::group* group;
  double slower;
};

class search {
 public:
  search(const peers& alike, const std::vector<std::optional<score>>& scores,
         const criteria& criteria, const wide_parts& known)
      : alike_(alike), scores_(scores), criteria_(criteria), known_(known) {}

  slow_parts run() {
    take_slots_off();
    const auto gpus = gpus_in_nodes();
    find(scope::gpu, {gpus, gpus});
    auto nodes = nodes_without_slow_gpus(deviation_of(gpus));
    if (nodes.size() < 2) return std::move(result_);
    take_racks_off(nodes);
    find(scope::node, compared_in_groups(std::move(nodes), least_gap()));
    return std::move(result_);
  }

 private:
  /// No healthy part is slower than the others by as much.
  [[nodiscard]] double least_gap() const {
    constexpr double in_expected = 8;
    return std::max(std::log(1.25), in_expected * criteria_.expected);
  }

  [[nodiscard]] std::vector<part> measured(const std::vector<std::size_t>& gpus) const {
    std::vector<part> parts;
    for (const auto gpu : gpus)
      if (scores_[gpu]) parts.push_back({gpu, *scores_[gpu], *scores_[gpu]});
    return parts;
  }

  [[nodiscard]] std::vector<part> gpus_in_nodes() const {
    std::vector<part> parts;
    for (const auto& node : alike_.nodes) {
      auto gpus = measured(node);
      if (gpus.size() < 2) continue;
      gpus = compared(std::move(gpus));
      parts.insert(parts.end(), gpus.begin(), gpus.end());
    }
    return parts;
  }

  [[nodiscard]] std::vector<part> nodes_without_slow_gpus(double deviation) const {
    std::set<std::size_t> slow;
    for (const auto& part : result_.slow)
      if (part.scope == scope::gpu) slow.insert(part.index);
    std::vector<part> nodes;
    for (std::size_t node = 0; node < alike_.nodes.size(); ++node) {
      auto gpus = measured(alike_.nodes[node]);
      std::erase_if(gpus, [&](const part& gpu) { return slow.contains(gpu.index); });
      if (!gpus.empty()) nodes.push_back({node, middle_of(gpus, deviation, statistics::median)});
    }
    return nodes;
  }

  /// Which of these parts the wider ones have: `members` of each are indices of such parts. A wider
  /// part that has one or all of them is left out.
  template <class Members>
  static std::vector<group> groups_of(const std::vector<part>& parts, std::size_t count,
                                      Members members) {
    std::map<std::size_t, std::size_t> positions;
    for (std::size_t i = 0; i < parts.size(); ++i) positions.emplace(parts[i].index, i);
    std::vector<group> groups;
    for (std::size_t wider = 0; wider < count; ++wider) {
      group group{wider, {}};
      for (const auto member : members(wider))
        if (const auto known = positions.find(member); known != positions.end())
          group.members.push_back(known->second);
      if (group.members.size() > 1 && group.members.size() < parts.size())
        groups.push_back(std::move(group));
    }
    return groups;
  }

  static std::vector<part> members_of(const group& group, const std::vector<part>& parts) {
    std::vector<part> members;
    for (const auto i : group.members) members.push_back(parts[i]);
    return members;
  }

  /// A slot's GPUs have been compared with others of their nodes: so has the slot.
  void take_slots_off() {
    const auto gpus = gpus_in_nodes();
    const auto slots = groups_of(
        gpus, alike_.slots.size(), [&](std::size_t slot) -> const auto& {
          return alike_.slots[slot].gpus;
        });
    if (slots.size() < 2) return;
    const auto deviation = deviation_of(gpus);
    std::vector<part> parts;
    for (const auto& slot : slots) {
      const auto members = members_of(slot, gpus);
      auto& part =
          parts.emplace_back(fleet::part{slot.index, middle_of(members, deviation, lower_median)});
      for (const auto member : compared_members)
        part.in_fleet.*member = lower_median(in_fleet(members, member));
    }
    for (const auto& [slot, slower] :
         find_wide(scope::slot, {parts, parts}, slots, scope::gpu, {gpus, gpus}))
      for (const auto i : slot->members)
        for (const auto member : compared_members) (*scores_[gpus[i].index]).*member -= slower;
  }

  static std::vector<double> in_fleet(const std::vector<part>& parts, double score::*member) {
    std::vector<double> values;
    for (const auto& part : parts) values.push_back(part.in_fleet.*member);
    return values;
  }

  void take_racks_off(std::vector<part>& nodes) {
    const auto racks = groups_of(
        nodes,
        alike_.racks.size(), [&](std::size_t rack) -> const auto& { return alike_.racks[rack]; });
    if (racks.size() < 2) return;
    const auto distances = compared_in_groups(nodes, least_gap());
    const auto deviation = deviation_of(distances.parts);
    std::vector<part> parts;
    for (const auto& rack : racks)
      parts.push_back({rack.index, middle_of(members_of(rack, nodes), deviation, lower_median)});
    for (const auto& [rack, slower] :
         find_wide(scope::rack, compared_in_groups(std::move(parts), least_gap()), racks,
                   scope::node, distances))
      for (const auto i : rack->members)
        for (const auto member : compared_members) nodes[i].score.*member -= slower;
  }

  /// Adds those of the wide parts that are slow, by their own distances or by those of their
  /// members; returns what these and the known ones have in common.
  std::vector<excess> find_wide(scope scope, const comparison& wide,
                                const std::vector<group>& groups, fleet::scope narrow,
                                const comparison& members) {
    result_.tested.push_back(tested_in(scope, wide));
    std::map<std::size_t, slow_part> slow;
    for (const auto& part : slow_among(scope, wide)) slow.emplace(part.index, part);
    std::optional<std::map<std::size_t, slow_part>> slow_members;
    std::vector<excess> off;
    for (const auto& group : groups) {
      const auto in_common =
          common_to(column(members_of(group, members.parts), &score::usual), group.members.size());
      auto found = slow.find(group.index);
      if (found != slow.end() && !is_common(group, members.parts, found->second.slower.value)) {
        slow.erase(found);
        found = slow.end();
      }
      if (found == slow.end() && in_common && *in_common > criteria_.threshold / 2) {
        if (!slow_members) {
          slow_members.emplace();
          for (const auto& part : slow_among(narrow, members))
            if (!part.by_slowest_run) slow_members->emplace(part.index, part);
        }
        if (auto part = by_members(group, members.parts, *slow_members, *in_common)) {
          part->scope = scope;
          found = slow.emplace(group.index, *part).first;
        }
      }
      if (found != slow.end()) {
        off.push_back({&group, found->second.slower.value});
        result_.slow.push_back(found->second);
      } else if (in_common && known_.contains({scope, group.index})) {
        off.push_back({&group, *in_common});
      }
    }
    return off;
  }

  /// Whether three quarters of the members are slower by more than half as much.
  static bool is_common(const group& group, const std::vector<part>& members, double slower) {
    const auto as_slow = std::ranges::count_if(
        group.members, [&](std::size_t i) { return members[i].score.usual > slower / 2; });
    return 4 * static_cast<std::size_t>(as_slow) >= 3 * group.members.size();
  }

  /// A group of which enough members are slow by themselves needs no other evidence.
  static std::optional<slow_part> by_members(const group& group, const std::vector<part>& members,
                                             const std::map<std::size_t, slow_part>& slow,
                                             double in_common) {
    std::vector<slow_part> found;
    for (const auto i : group.members)
      if (const auto known = slow.find(members[i].index);
          known != slow.end() && is_about(known->second.slower.value, in_common))
        found.push_back(known->second);
    if (!are_enough(found.size(), group.members.size())) return std::nullopt;
    auto part = *std::ranges::max_element(found, {}, &slow_part::p);
    const auto off = in_common - part.slower.value;
    part.index = group.index;
    part.slower = {in_common, part.slower.low + off, part.slower.high + off};
    part.how_long = std::ranges::max_element(found, {}, &slow_part::how_long)->how_long;
    return part;
  }

  /// What healthy parts differ by. Few of them do not tell: then it is what is expected, or what
  /// their members let expect.
  [[nodiscard]] spread spread_among(const std::vector<part>& parts, double score::*member) const {
    const auto error = statistics::median(column(parts, &score::error));
    return spread_of(column(parts, member), std::max(criteria_.expected, error));
  }

  [[nodiscard]] double deviation_of(const std::vector<part>& parts) const {
    return parts.empty() ? criteria_.expected : spread_among(parts, &score::usual).deviation;
  }

  /// What matters. A handful of parts that differ by more than is expected do not tell whether
  /// healthy ones do.
  [[nodiscard]] double threshold_of(scope scope, const std::vector<part>& parts) const {
    const auto widest = std::ranges::max(column(parts, &score::usual), {},
                                         [](double value) { return std::abs(value); });
    const bool can_tell =
        is_wide(scope) || parts.size() >= handful || std::abs(widest) <= criteria_.threshold;
    return can_tell ? criteria_.threshold
                    : std::max(criteria_.threshold, beyond_chance(criteria_.expected));
  }

  [[nodiscard]] static persistence persistence_of(const part& part) {
    const auto half = part.score.usual / 2;
    if (part.score.lasting <= half) return persistence::sometimes;
    return part.score.fastest > half ? persistence::always : persistence::mostly;
  }

  /// Adds those of the parts that are slow, by their distances from the others.
  void find(scope scope, const comparison& all) {
    if (all.parts.empty()) return;
    result_.tested.push_back(tested_in(scope, all));
    std::ranges::copy(slow_among(scope, all), std::back_inserter(result_.slow));
  }

  [[nodiscard]] tested_parts tested_in(scope scope, const comparison& all) const {
    const auto healthy = spread_among(all.healthy, &score::usual);
    const auto count = static_cast<double>(all.parts.size());
    const auto border = std::max(threshold_of(scope, all.parts),
                                 healthy.exceeded_by(criteria_.false_alarm / count));
    const boost::math::students_t student(healthy.degrees);
    return {scope, all.parts.size(),
            border + healthy.deviation * boost::math::quantile(student, 0.8)};
  }

  [[nodiscard]] std::vector<slow_part> slow_among(scope scope, const comparison& all) const {
    const auto& parts = all.parts;
    const auto threshold = threshold_of(scope, parts);
    auto slow = slow_by(&score::usual, scope, all, threshold);
    const bool has_runs = std::ranges::any_of(
        parts, [](const part& part) { return part.score.worst_run != part.score.usual; });
    if (!has_runs) return slow;
    // A run may be disturbed by something that is no fault: it must be slower by more.
    constexpr double of_a_run = 2.5;
    for (const auto& part : slow_by(&score::worst_run, scope, all, of_a_run * threshold))
      if (std::ranges::find(slow, part.index, &slow_part::index) == slow.end())
        slow.push_back(part);
    return slow;
  }

  [[nodiscard]] std::vector<slow_part> slow_by(double score::*member, scope scope,
                                               const comparison& all, double threshold) const {
    const auto& parts = all.parts;
    const auto healthy = spread_among(all.healthy, member);
    std::vector<double> p;
    p.reserve(parts.size());
    // Adjusting makes no p smaller: where it is above the rate of false alarms, its value does not
    // matter, and most of the time would go into it.
    const auto least = healthy.exceeded_by(criteria_.false_alarm);
    for (const auto& part : parts) {
      const auto value = part.score.*member;
      p.push_back(value < least ? 1.0 : healthy.p(value));
    }
    const auto adjusted = statistics::discovery_adjusted(p);
    const auto half = healthy.deviation * boost::math::quantile(boost::math::complement(
                                              boost::math::students_t(healthy.degrees), 0.025));
    std::vector<slow_part> slow;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto slower = parts[i].score.*member;
      if (slower <= threshold || adjusted[i] > criteria_.false_alarm) continue;
      // Beside a fast neighbour a healthy GPU looks slow.
      constexpr double in_fleet = 0.25;
      const bool is_in_node = scope == scope::gpu || scope == scope::slot;
      if (is_in_node && parts[i].in_fleet.*member <= in_fleet * slower) continue;
      slow.push_back({scope,
                      parts[i].index,
                      {slower, slower - half, slower + half},
                      adjusted[i],
                      member == &score::usual ? persistence_of(parts[i]) : persistence::sometimes,
                      member != &score::usual});
    }
    return slow;
  }

  const peers& alike_;
  std::vector<std::optional<score>> scores_;
  const criteria& criteria_;
  const wide_parts& known_;
  slow_parts result_;
};

}  // namespace

double beyond_chance(double expected) {
  constexpr double in_expected = 25;
  return std::min(in_expected * expected, std::numbers::ln2);
}

slow_parts find_slow(const peers& alike, const std::vector<std::optional<score>>& scores,
                     const criteria& criteria, const wide_parts& known) {
  return search(alike, scores, criteria, known).run();
}

}  // namespace bench_transfers::fleet
