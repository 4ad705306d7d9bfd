#include "bench/fleet/left_files.hpp"

#include <system_error>
#include <utility>
#include <vector>

#include "bench/record/fleet_facts.hpp"
#include "src/result_file/beginning.hpp"

namespace bench_transfers::bench {
namespace {

namespace fs = std::filesystem;

std::vector<fleet::found_file> results_below(const fs::path& folder) {
  try {
    return fleet::files_below({folder}).files;
  } catch (const fleet::nothing_to_collect&) {
    return {};
  }
}

/// So that the files of earlier jobs, which may be many, need not be read. A file server has a
/// clock of its own.
bool may_be_written_since(std::chrono::sys_seconds time, const fs::path& file) {
  constexpr std::chrono::hours most_between_clocks(1);
  std::error_code error;
  const auto written = fs::last_write_time(file, error);
  return error || written >= fs::file_time_type::clock::from_sys(time - most_between_clocks);
}

}  // namespace

std::multimap<std::size_t, left_file> files_left_by(const std::set<std::size_t>& ranks,
                                                    const place_of_job& place,
                                                    const std::set<fs::path>& known) {
  std::multimap<std::size_t, left_file> left;
  if (ranks.empty()) return left;
  for (auto& file : results_below(place.folder)) {
    if (known.contains(file.path) || !may_be_written_since(place.began, file.path)) continue;
    const auto told = result_file::beginning_of_file(file.path);
    if (!told || !are_of_one_sweep(told->fleet, place.facts)) continue;
    if (!told->started || *told->started < place.began) continue;
    const auto rank = common::number_in(told->fleet, "rank");
    if (rank && ranks.contains(*rank))
      left.emplace(*rank, left_file{std::move(file), told->is_complete});
  }
  return left;
}

}  // namespace bench_transfers::bench
