#include "bench/fleet/gather_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "bench/fleet/earlier_files.hpp"
#include "bench/fleet/left_files.hpp"
#include "src/common/files.hpp"
#include "src/common/gzip.hpp"
#include "src/common/message.hpp"
#include "src/common/program.hpp"
#include "src/common/text.hpp"
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

/// What it has measured counts, but something is wrong with it.
common::message silent_rank(std::size_t rank, const fs::path& file) {
  const auto shown = common::printable(file.string());
  return {"silent_rank",
          {{"rank", rank}, {"file", shown}},
          fmt::format("rank {} has measured all ({}), and gave rank 0 no answer afterwards", rank,
                      shown)};
}

/// Adds what they have left.
void go_on_without(const std::set<std::size_t>& silent, const place_of_job& place,
                   fleet::found_files& found) {
  std::set<fs::path> known;
  for (const auto& file : found.files) known.insert(file.path);
  const auto left = files_left_by(silent, place, known);
  for (const auto rank : silent) {
    const auto of_rank = left.find(rank);
    common::complain("bench_transfers",
                     of_rank == left.end()
                         ? fmt::format("rank {} gives no answer: going on without it", rank)
                         : fmt::format("rank {} gives no answer: what it has left counts ({})",
                                       rank, of_rank->second.file.path.string()));
  }
  for (const auto& [rank, of_rank] : left) {
    found.files.push_back(of_rank.file);
    if (of_rank.is_complete) found.problems.push_back(silent_rank(rank, of_rank.file.path));
  }
}

fs::path sweep_file_in(const fs::path& folder) { return folder / "sweep.json.gz"; }

void write_sweep_of(const results_by_rank& results, std::size_t ranks, const place_of_job& place) {
  auto found = files_in(results);
  go_on_without(silent_ranks(results, ranks), place, found);
  if (found.files.empty())
    return common::complain("bench_transfers", "no rank has left a result: there is no sweep");
  std::ranges::sort(found.files, {}, &fleet::found_file::path);
  const auto sweep = fleet::collect(std::move(found));
  const auto sweep_file = sweep_file_in(place.folder);
  fleet::write_sweep(sweep_file, sweep);
  common::print(fmt::format("{} of {} ranks in {}; {}\n", sweep.gpus.size(), ranks,
                            common::printable(sweep_file.string()),
                            common::counted(sweep.problems.size(), "problem")));
}

}  // namespace

void put_earlier_sweep_aside(const sweep_request& request) {
  if (request.only_lists) return;
  if (const auto aside = put_file_aside(sweep_file_in(request.folder)))
    common::complain(
        "bench_transfers",
        fmt::format("the sweep of an earlier run is put aside as {}", aside->string()));
}

void gather_sweep(fleet::gathering& others, const fleet::channel& ranks,
                  const sweep_request& request, rank_result own) {
  own.contribution.bytes = as_bytes(own.file);
  const auto results = others.gather(own.contribution);
  if (ranks.rank() > 0 || request.only_lists) return;
  others.work([&] {
    write_sweep_of(results, ranks.size(), {request.folder, own.facts, request.began});
  });
}

}  // namespace bench_transfers::bench
