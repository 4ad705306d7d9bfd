#include "src/fleet/model/sweep.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "src/fleet/model/absence.hpp"

namespace bench_transfers::fleet {

namespace {

using nodes_of_ranks = std::map<std::size_t, const std::string*>;

/// Whether the ranks of each node follow each other: no cyclic placement.
bool are_contiguous(const nodes_of_ranks& nodes) {
  std::set<std::string> seen;
  const std::string* last = nullptr;
  for (const auto& [rank, node] : nodes) {
    if (last && *last == *node) continue;
    if (!seen.insert(*node).second) return false;
    last = node;
  }
  return true;
}

std::string text_in(const nlohmann::ordered_json& data, const char* key) {
  const auto found = data.find(key);
  return found != data.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::set<std::string> gpus_in(const nlohmann::ordered_json& data) {
  std::set<std::string> gpus;
  if (const auto gpu = text_in(data, "gpu"); !gpu.empty()) gpus.insert(gpu);
  const auto list = data.find("gpus");
  if (list != data.end() && list->is_array())
    for (const auto& gpu : *list)
      if (gpu.is_string()) gpus.insert(gpu.get<std::string>());
  return gpus;
}

/// How many ranks more the nodes with results can have: as many as the fullest of the others. Of a
/// node without others nothing is known.
room_of_nodes room_of(const nodes_of_ranks& nodes, const std::vector<missing_rank>& missing,
                      const files_of_nodes& files) {
  files_of_nodes results, placed, filled;
  for (const auto& [rank, node] : nodes) ++results[*node];
  for (const auto& rank : missing)
    if (!rank.node.empty()) ++placed[rank.node];
  for (const auto& [node, count] : results) filled[node] = count + placed[node];
  for (const auto& [node, count] : files)
    if (!node.empty()) filled[node] = std::max(filled[node], results[node] + count);
  room_of_nodes room;
  for (const auto& [node, count] : results) {
    if (count == 0) continue;
    std::size_t most = 0;
    for (const auto& [other, of_other] : filled)
      if (other != node) most = std::max(most, of_other);
    const auto ranks = count + placed[node];
    if (most > 0) room[node] = most > ranks ? most - ranks : 0;
  }
  return room;
}

/// Takes those off that have left files which do not tell their rank.
void take_off(std::vector<missing_rank>& missing, const nodes_of_ranks& nodes,
              const std::vector<unread_result>& unread) {
  files_of_nodes files;
  for (const auto& result : unread)
    if (!result.rank) ++files[result.node];
  std::vector<std::string> absent;
  for (const auto& rank : missing) absent.push_back(rank.node);
  const auto have_left = may_have_left(absent, files, room_of(nodes, missing, files));
  std::vector<missing_rank> without;
  for (std::size_t i = 0; i < missing.size(); ++i)
    if (!have_left[i]) without.push_back(std::move(missing[i]));
  missing = std::move(without);
}

}  // namespace

std::vector<unread_result> unread_results(const sweep& sweep) {
  std::vector<unread_result> list;
  for (const auto& [code, data, text] : sweep.problems) {
    if (code != unusable_file_code || !data.is_object() || !data.contains("rank")) continue;
    const auto id = text_in(data, "sweep");
    if (!id.empty() && id != sweep.id) continue;
    const auto& rank = data["rank"];
    list.push_back(
        {gpus_in(data), text_in(data, "node"),
         rank.is_number_unsigned() ? std::optional(rank.get<std::size_t>()) : std::nullopt});
  }
  return list;
}

std::vector<missing_rank> missing_ranks(const sweep& sweep) {
  nodes_of_ranks nodes;
  for (const auto& gpu : sweep.gpus)
    if (gpu.rank) nodes.emplace(*gpu.rank, &gpu.node);
  const auto unread = unread_results(sweep);
  auto has_results = sweep.other_ranks;
  for (const auto& result : unread) {
    if (!result.rank) continue;
    has_results.insert(*result.rank);
    if (!result.node.empty()) nodes.emplace(*result.rank, &result.node);
  }
  const bool can_be_placed = are_contiguous(nodes);
  std::vector<missing_rank> missing;
  for (std::size_t rank = 0; rank < sweep.world_size.value_or(0); ++rank) {
    const auto after = nodes.lower_bound(rank);
    if ((after != nodes.end() && after->first == rank) || has_results.contains(rank)) continue;
    const bool is_between = after != nodes.end() && after != nodes.begin();
    const bool is_of_node =
        can_be_placed && is_between && *std::prev(after)->second == *after->second;
    missing.push_back({rank, is_of_node ? *after->second : std::string()});
  }
  take_off(missing, nodes, unread);
  return missing;
}

}  // namespace bench_transfers::fleet
