#include "bench/cli/left_files.hpp"

#include <utility>
#include <vector>

#include "bench/record/fleet_facts.hpp"

namespace bench_transfers::bench {
namespace {

std::vector<fleet::found_file> results_below(const std::filesystem::path& folder) {
  try {
    return fleet::files_below({folder}).files;
  } catch (const fleet::nothing_to_collect&) {
    return {};
  }
}

}  // namespace

std::multimap<std::size_t, fleet::found_file> files_left_by(
    const std::set<std::size_t>& ranks, const std::filesystem::path& folder,
    const nlohmann::json& facts, const std::set<std::filesystem::path>& known) {
  std::multimap<std::size_t, fleet::found_file> left;
  if (ranks.empty()) return left;
  for (auto& file : results_below(folder)) {
    if (known.contains(file.path)) continue;
    const auto found = fleet_facts_in(file.path);
    if (!are_of_one_sweep(found, facts)) continue;
    const auto rank = found.value("rank", nlohmann::json());
    if (rank.is_number_unsigned() && ranks.contains(rank.get<std::size_t>()))
      left.emplace(rank.get<std::size_t>(), std::move(file));
  }
  return left;
}

}  // namespace bench_transfers::bench
