#include "src/fleet/model/sweep.hpp"

#include <algorithm>
#include <map>

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

/// Takes those off that files may be of which do not tell their rank: files of a node come first
/// for the ranks of that node, then for those of which the node is not known.
void take_off(std::vector<missing_rank>& missing, const std::vector<unread_result>& unread) {
  std::map<std::string, std::size_t> files;
  for (const auto& result : unread)
    if (!result.rank) ++files[result.node];
  std::size_t others = 0;
  for (const auto& entry : files) {
    const auto is_of_node = [&](const missing_rank& rank) {
      return !rank.node.empty() && rank.node == entry.first;
    };
    const auto of_node = static_cast<std::size_t>(std::ranges::count_if(missing, is_of_node));
    const auto count = entry.second;
    others += count > of_node ? count - of_node : 0;
    if (count >= of_node) std::erase_if(missing, is_of_node);
  }
  const auto unplaced = std::ranges::count(missing, std::string(), &missing_rank::node);
  if (others > 0 && others >= static_cast<std::size_t>(unplaced))
    std::erase_if(missing, [](const missing_rank& rank) { return rank.node.empty(); });
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
        {text_in(data, "gpu"), text_in(data, "node"),
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
  take_off(missing, unread);
  return missing;
}

}  // namespace bench_transfers::fleet
