#include "src/fleet/model/sweep.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "src/fleet/model/absence.hpp"

namespace bench_transfers::fleet {

namespace {

using common::text_in;
using nodes_of_ranks = std::map<std::size_t, const std::string*>;

/// Ranks from `first` to before `end`, all of one node.
struct rank_span {
  std::size_t first, end;
  std::string node;
};

/// What lies between two ranks of a node is of this node, if the ranks of each node follow each
/// other: no cyclic placement.
std::vector<rank_span> spans_between(const nodes_of_ranks& nodes) {
  std::vector<rank_span> spans;
  std::set<std::string> seen;
  for (const auto& [rank, node] : nodes) {
    if (spans.empty() || spans.back().node != *node) {
      if (!seen.insert(*node).second) return {};
      spans.push_back({rank, rank, *node});
    }
    spans.back().end = rank + 1;
  }
  return spans;
}

/// What the files of a node say of its ranks.
struct ranks_told {
  std::size_t least, most;
  std::optional<std::size_t> zero;  ///< the rank that has local rank 0; none: they contradict
  std::optional<std::size_t> size;  ///< local size

  [[nodiscard]] std::size_t end() const { return size ? *zero + *size : most + 1; }
  [[nodiscard]] bool has_first_and_last() const {
    return least == *zero && size > 1U && most + 1 == end();
  }
};

std::map<std::string, ranks_told> told_by_local_ranks(const std::vector<gpu>& gpus) {
  std::map<std::string, ranks_told> nodes;
  for (const auto& gpu : gpus) {
    if (!gpu.rank) continue;
    const bool is_known = gpu.local_rank && *gpu.local_rank <= *gpu.rank;
    const auto zero = is_known ? std::optional(*gpu.rank - *gpu.local_rank) : std::nullopt;
    auto& node = nodes.try_emplace(gpu.node, ranks_told{*gpu.rank, *gpu.rank, zero, gpu.local_size})
                     .first->second;
    node.least = std::min(node.least, *gpu.rank);
    node.most = std::max(node.most, *gpu.rank);
    if (node.zero != zero) node.zero.reset();
    if (node.size != gpu.local_size) node.size.reset();
  }
  for (auto& [name, node] : nodes)
    if (node.zero && node.end() <= node.most) node.zero.reset();
  return nodes;
}

/// Whether the launcher has numbered the ranks node by node: no two nodes have the same ranks, and
/// a whole node or all of them show it.
bool are_numbered_by_node(const std::map<std::string, ranks_told>& nodes, std::size_t world_size) {
  std::vector<const ranks_told*> sorted;
  for (const auto& [name, node] : nodes) {
    if (!node.zero) return false;
    sorted.push_back(&node);
  }
  std::ranges::sort(sorted, {}, [](const ranks_told* node) { return *node->zero; });
  std::size_t end = 0, ranks = 0;
  for (const auto* node : sorted) {
    if (*node->zero < end) return false;
    end = node->end();
    ranks += end - *node->zero;
  }
  return end <= world_size &&
         (ranks == world_size || std::ranges::any_of(sorted, &ranks_told::has_first_and_last));
}

/// As many ranks lie between two of a node as local ranks: they are of this node. Where it ends
/// follows from its local size, if the ranks are numbered node by node.
std::vector<rank_span> spans_by_local_ranks(const std::vector<gpu>& gpus, std::size_t world_size) {
  const auto nodes = told_by_local_ranks(gpus);
  const bool is_whole = are_numbered_by_node(nodes, world_size);
  std::vector<rank_span> spans;
  for (const auto& [name, node] : nodes)
    if (node.zero)
      spans.push_back(
          {is_whole ? *node.zero : node.least, is_whole ? node.end() : node.most + 1, name});
  return spans;
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
    list.push_back({gpus_in(data), text_in(data, "node"), common::number_in(data, "rank")});
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
  const auto world_size = sweep.world_size.value_or(0);
  const bool tell_local_ranks =
      std::ranges::any_of(sweep.gpus, [](const gpu& gpu) { return gpu.rank && gpu.local_rank; });
  auto spans =
      tell_local_ranks ? spans_by_local_ranks(sweep.gpus, world_size) : spans_between(nodes);
  std::ranges::sort(spans, {}, &rank_span::first);
  std::vector<missing_rank> missing;
  for (std::size_t rank = 0; rank < world_size; ++rank) {
    if (nodes.contains(rank) || has_results.contains(rank)) continue;
    const auto after = std::ranges::upper_bound(spans, rank, {}, &rank_span::first);
    const bool is_of_node = after != spans.begin() && rank < std::prev(after)->end;
    missing.push_back({rank, is_of_node ? std::prev(after)->node : std::string()});
  }
  take_off(missing, nodes, unread);
  return missing;
}

}  // namespace bench_transfers::fleet
