#include "src/fleet/judge/compared_parts.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "src/statistics/quantile.hpp"

namespace bench_transfers::fleet {
namespace {

/// The median of ascending values without the one at `left_out`; of two values or more.
double median_without(const std::vector<double>& ascending, std::size_t left_out) {
  const auto at = [&](std::size_t i) { return ascending[i < left_out ? i : i + 1]; };
  const auto count = ascending.size() - 1;
  return count % 2 == 1 ? at(count / 2) : (at(count / 2 - 1) + at(count / 2)) / 2;
}

/// Each value's distance from the median of the others; a single one has none.
std::vector<double> distances_of(const std::vector<double>& values) {
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

/// The fast ones of parts of which half or more, but not all, are slower by far. Empty if they are
/// no such groups.
std::vector<scored_part> fast_group(std::vector<scored_part> parts, double least_gap) {
  constexpr double gap_in_ranges = 4;  // of the fast ones
  std::ranges::sort(parts, {}, [](const scored_part& part) { return part.score.usual; });
  const auto usual = column(parts, &score::usual);
  for (auto fast = (parts.size() + 2) / 3; fast > 0 && 2 * fast <= parts.size(); ++fast) {
    const auto gap = usual[fast] - usual[fast - 1];
    if (gap < std::max(least_gap, gap_in_ranges * (usual[fast - 1] - usual[0]))) continue;
    parts.resize(fast);
    return parts;
  }
  return {};
}

}  // namespace

std::vector<double> column(const std::vector<scored_part>& parts, double score::*member) {
  std::vector<double> values;
  values.reserve(parts.size());
  for (const auto& part : parts) values.push_back(part.score.*member);
  return values;
}

score middle_of(const std::vector<scored_part>& members, double deviation,
                const std::function<double(std::vector<double>)>& middle_of_values) {
  if (members.size() == 1) return members.front().score;
  score middle;
  for (const auto member : compared_members)
    middle.*member = middle_of_values(column(members, member));
  middle.error = of_median * deviation / std::sqrt(static_cast<double>(members.size()));
  return middle;
}

std::vector<scored_part> distances_from_others(std::vector<scored_part> parts) {
  for (const auto member : compared_members) {
    const auto distances = distances_of(column(parts, member));
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i].score.*member = distances[i];
  }
  return parts;
}

compared_parts compared_with_healthy(std::vector<scored_part> parts, double least_gap) {
  auto fast = fast_group(parts, least_gap);
  if (fast.empty()) {
    parts = distances_from_others(std::move(parts));
    return {parts, parts};
  }
  const auto centre = middle_of(fast, 0, statistics::median);
  for (auto& part : parts)
    for (const auto member : compared_members) part.score.*member -= centre.*member;
  return {std::move(parts), distances_from_others(std::move(fast))};
}

std::vector<group> groups_of(const std::vector<scored_part>& parts,
                             const std::vector<std::vector<std::size_t>>& members) {
  std::map<std::size_t, std::size_t> positions;
  for (std::size_t i = 0; i < parts.size(); ++i) positions.emplace(parts[i].index, i);
  std::vector<group> groups;
  for (std::size_t wider = 0; wider < members.size(); ++wider) {
    group group{wider, {}};
    for (const auto member : members[wider])
      if (const auto known = positions.find(member); known != positions.end())
        group.members.push_back(known->second);
    if (group.members.size() > 1 && group.members.size() < parts.size())
      groups.push_back(std::move(group));
  }
  return groups;
}

std::vector<scored_part> members_of(const group& group, const std::vector<scored_part>& parts) {
  std::vector<scored_part> members;
  for (const auto i : group.members) members.push_back(parts[i]);
  return members;
}

}  // namespace bench_transfers::fleet
