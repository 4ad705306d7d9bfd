#include "bench/cli/gather_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "bench/cli/left_files.hpp"
#include "src/common/packed.hpp"
#include "src/common/printable.hpp"
#include "src/common/program.hpp"
#include "src/common/read_text.hpp"
#include "src/fleet/io/collect.hpp"
#include "src/fleet/io/sweep_file.hpp"

namespace bench_transfers::bench {
namespace {

namespace fs = std::filesystem;

using results_by_rank = std::map<std::size_t, std::string>;

/// A rank's result file on its way to rank 0.
std::string as_bytes(const fs::path& file) {
  std::error_code error;
  if (file.empty() || !fs::exists(file, error)) return {};
  const nlohmann::json header{file.string(), file.parent_path().filename().string()};
  return header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n" +
         common::packed(common::read_text(file));
}

fleet::found_file from_bytes(const std::string& bytes) {
  const auto end = bytes.find('\n');
  const auto header = nlohmann::json::parse(bytes.substr(0, end));
  return {header.at(0).get<std::string>(), header.at(1).get<std::string>(), bytes.substr(end + 1)};
}

fleet::found_files files_in(const results_by_rank& results) {
  fleet::found_files found;
  for (const auto& [rank, bytes] : results)
    if (!bytes.empty()) found.files.push_back(from_bytes(bytes));
  return found;
}

std::set<std::size_t> silent_ranks(const results_by_rank& results, std::size_t ranks) {
  std::set<std::size_t> silent;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    if (!results.contains(rank)) silent.insert(rank);
  return silent;
}

/// Adds what they have left.
void go_on_without(const std::set<std::size_t>& silent, const fs::path& folder,
                   const nlohmann::json& facts, fleet::found_files& found) {
  std::set<fs::path> known;
  for (const auto& file : found.files) known.insert(file.path);
  const auto left = files_left_by(silent, folder, facts, known);
  for (const auto rank : silent) {
    const auto of_rank = left.find(rank);
    common::complain("bench_transfers",
                     of_rank == left.end()
                         ? fmt::format("rank {} gives no answer: going on without it", rank)
                         : fmt::format("rank {} gives no answer: what it has left counts ({})",
                                       rank, of_rank->second.path.string()));
  }
  for (const auto& [rank, file] : left) found.files.push_back(file);
}

}  // namespace

void gather_sweep(fleet::gathering& others, const fleet::channel& ranks, const fs::path& folder,
                  rank_result own, bool only_lists) {
  own.contribution.bytes = as_bytes(own.file);
  const auto results = others.gather(own.contribution);
  if (ranks.rank() > 0) return;
  auto found = files_in(results);
  if (only_lists) return;
  go_on_without(silent_ranks(results, ranks.size()), folder, own.facts, found);
  if (found.files.empty())
    return common::complain("bench_transfers", "no rank has left a result: there is no sweep");
  std::ranges::sort(found.files, {}, &fleet::found_file::path);
  const auto sweep = fleet::collect(std::move(found));
  const auto sweep_file = folder / "sweep.json.gz";
  fleet::write_sweep(sweep_file, sweep);
  common::print(fmt::format("{} of {} ranks in {}\n", sweep.gpus.size(), ranks.size(),
                            common::printable(sweep_file.string())));
}

}  // namespace bench_transfers::bench
