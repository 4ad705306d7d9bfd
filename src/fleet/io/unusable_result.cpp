#include "src/fleet/io/unusable_result.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <vector>

#include "src/common/message.hpp"
#include "src/common/text.hpp"
#include "src/fleet/model/sweep.hpp"

namespace bench_transfers::fleet {
namespace {

std::string printable_in(const nlohmann::json& fleet, const char* key) {
  return common::printable(common::text_in(fleet, key));
}

std::optional<std::size_t> rank_in(const nlohmann::json& fleet) {
  const auto rank = common::number_in(fleet, "rank");
  return rank && *rank <= most_ranks ? rank : std::nullopt;
}

}  // namespace

common::message unusable_result(const std::filesystem::path& file, const std::string& node,
                                const std::optional<result_file::beginning>& told,
                                const std::string& why) {
  const auto shown = common::printable(file.string());
  const bool is_result = !told || told->is_of_bench_transfers || told->is_cut_off;
  if (!is_result) return {unusable_file_code, {{"file", shown}}, why};

  const auto known = told.value_or(result_file::beginning{});
  std::set<std::string> gpus;
  for (const auto& uuid : known.gpus) gpus.insert(common::printable(uuid));
  const auto rank = rank_in(known.fleet);
  const auto told_node = printable_in(known.fleet, "node");
  const auto& its_node = told_node.empty() ? node : told_node;

  constexpr std::size_t most_shown = 5;
  std::vector<std::string> whose;
  if (rank) whose.push_back(fmt::format("rank {}", *rank));
  if (!gpus.empty())
    whose.push_back(fmt::format("GPU{} {}", gpus.size() > 1 ? "s" : "",
                                common::listed({gpus.begin(), gpus.end()}, most_shown)));
  if (!its_node.empty()) whose.push_back("node " + its_node);
  return {unusable_file_code,
          {{"gpu", common::or_null(gpus.size() == 1 ? *gpus.begin() : std::string())},
           {"gpus", gpus},
           {"node", common::or_null(its_node)},
           {"rank", common::or_null(rank)},
           {"sweep", common::or_null(printable_in(known.fleet, "sweep"))},
           {"file", shown}},
          whose.empty()
              ? why
              : fmt::format("{}: {}",
                            common::printable_in_short(fmt::format("{}", fmt::join(whose, ", "))),
                            why)};
}

}  // namespace bench_transfers::fleet
