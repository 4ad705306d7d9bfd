#include "src/fleet/model/absence.hpp"

#include <algorithm>
#include <utility>

namespace bench_transfers::fleet {

std::vector<bool> may_have_left(const std::vector<std::string>& absent, files_of_nodes files,
                                const room_of_nodes& room) {
  std::map<std::string, std::size_t> waiting;
  for (const auto& node : absent) ++waiting[node];
  auto unplaced = std::exchange(waiting[""], 0);
  auto nowhere = std::exchange(files[""], 0);
  std::size_t elsewhere = 0;
  for (const auto& [node, count] : files) {
    auto& of_node = waiting[node];
    const auto more = count > of_node ? count - of_node : 0;
    const auto known = room.find(node);
    elsewhere += known == room.end() ? more : std::min(more, known->second);
    if (count >= of_node) of_node = 0;
  }
  if (elsewhere + nowhere >= unplaced) {
    nowhere -= unplaced > elsewhere ? unplaced - elsewhere : 0;
    unplaced = 0;
  }
  std::size_t left = unplaced;
  for (const auto& [node, count] : waiting) left += count;
  const bool is_any = nowhere >= left;
  std::vector<bool> result;
  for (const auto& node : absent)
    result.push_back(is_any || (node.empty() ? unplaced : waiting[node]) == 0);
  return result;
}

std::vector<bool> are_gone(const std::vector<absent_gpu>& absent,
                           const std::vector<unread_result>& unread) {
  std::set<std::string> named;
  files_of_nodes files;
  for (const auto& result : unread) {
    if (result.gpus.empty()) ++files[result.node];
    named.insert(result.gpus.begin(), result.gpus.end());
  }
  std::vector<std::size_t> places;
  std::vector<std::string> nodes;
  for (std::size_t i = 0; i < absent.size(); ++i) {
    if (named.contains(absent[i].uuid)) continue;
    places.push_back(i);
    nodes.push_back(absent[i].node);
  }
  const auto have_left = may_have_left(nodes, std::move(files));
  std::vector<bool> gone(absent.size(), false);
  for (std::size_t i = 0; i < places.size(); ++i) gone[places[i]] = !have_left[i];
  return gone;
}

}  // namespace bench_transfers::fleet
