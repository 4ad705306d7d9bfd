#include "src/fleet/judge/levels.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
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
};

std::vector<double> column(const std::vector<part>& parts, double score::*member) {
  std::vector<double> values;
  for (const auto& part : parts) values.push_back(part.score.*member);
  return values;
}

/// The median of members that differ by this deviation.
score median_of(const std::vector<part>& members, double deviation) {
  if (members.size() == 1) return members.front().score;
  constexpr double of_median = 1.2533;  // sqrt(pi / 2): the median is less precise than the mean
  return {statistics::median(column(members, &score::usual)),
          statistics::median(column(members, &score::fastest)),
          of_median * deviation / std::sqrt(static_cast<double>(members.size()))};
}

/// The median of ascending values without the one at `left_out`; of two values or more.
double median_without(const std::vector<double>& ascending, std::size_t left_out) {
  const auto at = [&](std::size_t i) { return ascending[i < left_out ? i : i + 1]; };
  const auto count = ascending.size() - 1;
  return count % 2 == 1 ? at(count / 2) : (at(count / 2 - 1) + at(count / 2)) / 2;
}

/// Each value's distance from the median of the others.
std::vector<double> distances_from_others(const std::vector<double>& values) {
  auto ascending = values;
  std::ranges::sort(ascending);
  std::vector<double> distances;
  for (const auto value : values) {
    const auto rank = std::ranges::lower_bound(ascending, value) - ascending.begin();
    distances.push_back(value - median_without(ascending, static_cast<std::size_t>(rank)));
  }
  return distances;
}

/// The parts with their distances from the others in place of their scores.
std::vector<part> compared(std::vector<part> parts) {
  const auto usual = distances_from_others(column(parts, &score::usual));
  const auto fastest = distances_from_others(column(parts, &score::fastest));
  for (std::size_t i = 0; i < parts.size(); ++i)
    parts[i].score = {usual[i], fastest[i], parts[i].score.error};
  return parts;
}

class search {
 public:
  search(const peers& alike, const std::vector<std::optional<score>>& scores,
         const criteria& criteria)
      : alike_(alike), scores_(scores), criteria_(criteria) {}

  slow_parts run() {
    const auto gpus = gpus_in_nodes();
    find(scope::gpu, gpus);
    auto nodes = nodes_without_slow_gpus(deviation_of(gpus));
    if (nodes.size() < 2) return std::move(result_);
    for (const auto& [rack, slower] : slow_racks(nodes, deviation_of(compared(nodes))))
      for (auto& node : nodes)
        if (std::ranges::find(alike_.racks[rack], node.index) != alike_.racks[rack].end()) {
          node.score.usual -= slower;
          node.score.fastest -= slower;
        }
    find(scope::node, compared(std::move(nodes)));
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::vector<part> measured(const std::vector<std::size_t>& gpus) const {
    std::vector<part> parts;
    for (const auto gpu : gpus)
      if (scores_[gpu]) parts.push_back({gpu, *scores_[gpu]});
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
      if (!gpus.empty()) nodes.push_back({node, median_of(gpus, deviation)});
    }
    return nodes;
  }

  /// By how much they are slower.
  std::vector<std::pair<std::size_t, double>> slow_racks(const std::vector<part>& nodes,
                                                         double deviation) {
    std::vector<part> racks;
    for (std::size_t rack = 0; rack < alike_.racks.size(); ++rack) {
      std::vector<part> members;
      for (const auto& node : nodes)
        if (std::ranges::find(alike_.racks[rack], node.index) != alike_.racks[rack].end())
          members.push_back(node);
      // A rack of one node is that node.
      if (members.size() > 1) racks.push_back({rack, median_of(members, deviation)});
    }
    if (racks.size() < 2) return {};
    const auto found = result_.slow.size();
    find(scope::rack, compared(std::move(racks)));
    std::vector<std::pair<std::size_t, double>> slow;
    for (auto i = found; i < result_.slow.size(); ++i)
      slow.emplace_back(result_.slow[i].index, result_.slow[i].slower.value);
    return slow;
  }

  /// What healthy parts differ by. Few of them do not tell: then it is what is expected, or what
  /// their members let expect.
  [[nodiscard]] spread spread_among(const std::vector<part>& parts) const {
    const auto error = statistics::median(column(parts, &score::error));
    return spread_of(column(parts, &score::usual), std::max(criteria_.expected, error));
  }

  [[nodiscard]] double deviation_of(const std::vector<part>& parts) const {
    return parts.empty() ? criteria_.expected : spread_among(parts).deviation;
  }

  /// Adds those of the parts that are slow, by their distances from the others.
  void find(scope scope, const std::vector<part>& parts) {
    if (parts.empty()) return;
    const auto usual = column(parts, &score::usual);
    const auto healthy = spread_among(parts);
    std::vector<double> p;
    for (const auto value : usual) p.push_back(healthy.p(value));
    const auto adjusted = statistics::discovery_adjusted(p);
    const boost::math::students_t student(healthy.degrees);
    const auto half =
        healthy.deviation * boost::math::quantile(boost::math::complement(student, 0.025));
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto slower = usual[i];
      const bool lasts = parts[i].score.fastest > criteria_.threshold / 2;
      if (slower > criteria_.threshold && adjusted[i] <= criteria_.false_alarm && lasts)
        result_.slow.push_back(
            {scope, parts[i].index, {slower, slower - half, slower + half}, adjusted[i]});
    }
    const auto count = static_cast<double>(parts.size());
    const auto border =
        std::max(criteria_.threshold, healthy.exceeded_by(criteria_.false_alarm / count));
    result_.tested.push_back(
        {scope, parts.size(), border + healthy.deviation * boost::math::quantile(student, 0.8)});
  }

  const peers& alike_;
  const std::vector<std::optional<score>>& scores_;
  const criteria& criteria_;
  slow_parts result_;
};

}  // namespace

slow_parts find_slow(const peers& alike, const std::vector<std::optional<score>>& scores,
                     const criteria& criteria) {
  return search(alike, scores, criteria).run();
}

}  // namespace bench_transfers::fleet
