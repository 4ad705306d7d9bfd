#include "src/fleet/judge/levels.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <iterator>
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

/// The smaller of the two in the middle.
double lower_median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
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

class search {
 public:
  search(const peers& alike, const std::vector<std::optional<score>>& scores,
         const criteria& criteria)
      : alike_(alike), scores_(scores), criteria_(criteria) {}

  slow_parts run() {
    const auto gpus = gpus_in_nodes();
    find(scope::gpu, {gpus, gpus});
    auto nodes = nodes_without_slow_gpus(deviation_of(gpus));
    if (nodes.size() < 2) return std::move(result_);
    for (const auto& [rack, slower] : slow_racks(nodes))
      for (auto& node : nodes)
        if (is_in(rack, node))
          for (const auto member : compared_members) node.score.*member -= slower;
    find(scope::node, compared_in_groups(std::move(nodes), least_gap()));
    return std::move(result_);
  }

 private:
  /// No healthy part is slower than the others by as much.
  [[nodiscard]] double least_gap() const {
    constexpr double in_expected = 8;
    return std::max(std::log(1.25), in_expected * criteria_.expected);
  }

  [[nodiscard]] bool is_in(std::size_t rack, const part& node) const {
    return std::ranges::find(alike_.racks[rack], node.index) != alike_.racks[rack].end();
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
    for (const auto& gpu : result_.slow) slow.insert(gpu.index);
    std::vector<part> nodes;
    for (std::size_t node = 0; node < alike_.nodes.size(); ++node) {
      auto gpus = measured(alike_.nodes[node]);
      std::erase_if(gpus, [&](const part& gpu) { return slow.contains(gpu.index); });
      if (!gpus.empty()) nodes.push_back({node, middle_of(gpus, deviation, statistics::median)});
    }
    return nodes;
  }

  /// By how much they are slower.
  std::vector<std::pair<std::size_t, double>> slow_racks(const std::vector<part>& nodes) {
    const auto distances = compared_in_groups(nodes, least_gap()).parts;
    const auto deviation = deviation_of(distances);
    std::vector<part> racks;
    std::vector<std::vector<part>> members(alike_.racks.size());
    for (std::size_t rack = 0; rack < alike_.racks.size(); ++rack) {
      std::ranges::copy_if(nodes, std::back_inserter(members[rack]),
                           [&](const part& node) { return is_in(rack, node); });
      // A rack of one node is that node.
      if (members[rack].size() > 1)
        racks.push_back({rack, middle_of(members[rack], deviation, lower_median)});
    }
    if (racks.size() < 2) return {};
    const auto first = static_cast<std::ptrdiff_t>(result_.slow.size());
    find(scope::rack, compared_in_groups(std::move(racks), least_gap()));
    const auto found = std::remove_if(
        result_.slow.begin() + first, result_.slow.end(), [&](const slow_part& rack) {
          const auto slow_nodes = std::ranges::count_if(distances, [&](const part& node) {
            return is_in(rack.index, node) && node.score.usual > rack.slower.value / 2;
          });
          return 4 * static_cast<std::size_t>(slow_nodes) < 3 * members[rack.index].size();
        });
    result_.slow.erase(found, result_.slow.end());
    std::vector<std::pair<std::size_t, double>> slow;
    for (auto rack = result_.slow.begin() + first; rack != result_.slow.end(); ++rack)
      slow.emplace_back(rack->index, rack->slower.value);
    return slow;
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
        scope == scope::rack || parts.size() >= handful || std::abs(widest) <= criteria_.threshold;
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
    const auto& parts = all.parts;
    if (parts.empty()) return;
    const auto threshold = threshold_of(scope, parts);
    add_slow(scope, all, &score::usual, threshold);
    const auto healthy = spread_among(all.healthy, &score::usual);
    const auto count = static_cast<double>(parts.size());
    const auto border = std::max(threshold, healthy.exceeded_by(criteria_.false_alarm / count));
    const boost::math::students_t student(healthy.degrees);
    result_.tested.push_back(
        {scope, parts.size(), border + healthy.deviation * boost::math::quantile(student, 0.8)});
    const bool has_runs = std::ranges::any_of(
        parts, [](const part& part) { return part.score.worst_run != part.score.usual; });
    // A run may be disturbed by something that is no fault: it must be slower by more.
    constexpr double of_a_run = 2.5;
    if (has_runs) add_slow(scope, all, &score::worst_run, of_a_run * threshold);
  }

  void add_slow(scope scope, const comparison& all, double score::*member, double threshold) {
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
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto slower = parts[i].score.*member;
      if (slower <= threshold || adjusted[i] > criteria_.false_alarm) continue;
      // Beside a fast neighbour a healthy GPU looks slow.
      constexpr double in_fleet = 0.25;
      if (scope == scope::gpu && parts[i].in_fleet.*member <= in_fleet * slower) continue;
      if (is_known(scope, parts[i].index)) continue;
      result_.slow.push_back(
          {scope,
           parts[i].index,
           {slower, slower - half, slower + half},
           adjusted[i],
           member == &score::usual ? persistence_of(parts[i]) : persistence::sometimes,
           member != &score::usual});
    }
  }

  [[nodiscard]] bool is_known(scope scope, std::size_t index) const {
    return std::ranges::any_of(result_.slow, [&](const slow_part& known) {
      return known.scope == scope && known.index == index;
    });
  }

  const peers& alike_;
  const std::vector<std::optional<score>>& scores_;
  const criteria& criteria_;
  slow_parts result_;
};

}  // namespace

double beyond_chance(double expected) {
  constexpr double in_expected = 25;
  return std::min(in_expected * expected, std::numbers::ln2);
}

slow_parts find_slow(const peers& alike, const std::vector<std::optional<score>>& scores,
                     const criteria& criteria) {
  return search(alike, scores, criteria).run();
}

}  // namespace bench_transfers::fleet
