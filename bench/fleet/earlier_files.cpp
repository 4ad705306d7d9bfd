#include "bench/fleet/earlier_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "bench/record/fleet_facts.hpp"
#include "src/claims/file_claim.hpp"
#include "src/common/message.hpp"
#include "src/common/program.hpp"
#include "src/common/text.hpp"
#include "src/fleet/launcher/node_numbering.hpp"
#include "src/result_file/beginning.hpp"

namespace bench_transfers::bench {
namespace {

namespace fs = std::filesystem;
using common::number_in;

std::vector<fs::path> results_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (auto entry = fs::directory_iterator(folder, error);
       !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::error_code of_entry;
    if (entry->path().extension() == ".json" && entry->is_regular_file(of_entry))
      files.push_back(entry->path());
  }
  return files;
}

/// A name that no file has, and that no reader of results looks for.
fs::path free_name_beside(const fs::path& file) {
  auto name = file;
  name += ".earlier";
  const auto first = name.string();
  std::error_code error;
  for (std::size_t number = 2; fs::exists(fs::symlink_status(name, error)); ++number)
    name = fmt::format("{}.{}", first, number);
  return name;
}

nlohmann::json value_of(const nlohmann::json& facts, const char* key) {
  return facts.value(key, nlohmann::json());
}

/// A rank of this job that is on this node has put its own files aside before it measures. So a
/// file with one of their ranks is of an earlier run; one with another rank may be of this job, and
/// of another node of this name.
bool is_of_node(const nlohmann::json& facts, const ranks_of_node& ranks) {
  const auto rank = number_in(facts, "rank");
  if (!rank) return false;
  if (std::ranges::find(ranks, rank) != ranks.end()) return true;
  const auto local_rank = number_in(facts, "local_rank");
  return local_rank &&
         fleet::is_rank_of_node(*rank, *local_rank, ranks, number_in(facts, "world_size"));
}

/// Unless another process writes it.
bool move_aside(const fs::path& file) {
  try {
    const claims::file_claim claim(file);
    return put_file_aside(file).has_value();
  } catch (const common::usage_error&) {
    return false;
  }
}

}  // namespace

std::optional<fs::path> put_file_aside(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(file, error))) return std::nullopt;
  const auto name = free_name_beside(file);
  fs::rename(file, name, error);
  if (!error) return name;
  if (error != std::errc::no_such_file_or_directory)
    common::complain("bench_transfers", fmt::format("cannot put the earlier {} aside: {}",
                                                    file.string(), error.message()));
  return std::nullopt;
}

earlier_files::earlier_files(fs::path folder, const nlohmann::ordered_json& facts)
    : folder_(std::move(folder)), facts_(facts) {}

earlier_files::~earlier_files() { tell(); }

void earlier_files::put_aside_own() { put_aside_files({number_in(facts_, "rank")}); }

void earlier_files::put_aside_replaced(const fs::path& file) {
  std::error_code error;
  const bool is_result = fs::is_regular_file(file, error);  // a folder fails when it is written
  if (folder_.empty() || !is_result || !move_aside(file)) return;
  if (const auto rank = number_in(facts_, "rank"))
    ranks_.push_back(*rank);
  else
    ++nameless_;
}

bool earlier_files::may_be_of_other_node(const fs::path& file, const ranks_of_node& own) const {
  if (!has_rank()) return false;
  const auto told = result_file::beginning_of_file(file);
  return told && are_of_one_sweep(told->fleet, facts_) && !is_of_node(told->fleet, own);
}

void earlier_files::put_aside_all(std::vector<std::size_t> before, const ranks_of_node& ranks) {
  ranks_ = std::move(before);
  put_aside_files(ranks);
  put_aside_nameless();
  tell();
}

bool earlier_files::has_rank() const {
  return !folder_.empty() && facts_.is_object() && !value_of(facts_, "rank").is_null();
}

void earlier_files::put_aside_files(const ranks_of_node& ranks) {
  if (!has_rank()) return;
  for (const auto& file : results_in(folder_)) {
    const auto told = result_file::beginning_of_file(file);
    if (!told || !are_of_one_sweep(told->fleet, facts_) ||
        value_of(told->fleet, "node") != value_of(facts_, "node"))
      continue;
    if (is_of_node(told->fleet, ranks) && move_aside(file))
      ranks_.push_back(*number_in(told->fleet, "rank"));
  }
}

/// Whose they are they do not say: those of this job are not older than it.
void earlier_files::put_aside_nameless() {
  if (!has_rank()) return;
  for (const auto& file : results_in(folder_)) {
    std::error_code error;
    const auto written = fs::last_write_time(file, error);
    if (error || written >= began_) continue;
    const auto told = result_file::beginning_of_file(file);
    if (told && told->is_cut_off && told->fleet.is_null() && move_aside(file)) ++nameless_;
  }
}

void earlier_files::tell() noexcept {
  if (ranks_.empty() && nameless_ == 0) return;
  try {
    constexpr std::size_t most_shown = 8;
    std::vector<std::string> names, left;
    for (const auto rank : std::set(ranks_.begin(), ranks_.end()))
      names.push_back(std::to_string(rank));
    if (!ranks_.empty())
      left.push_back(fmt::format("{} of {} {}", common::counted(ranks_.size(), "result"),
                                 names.size() == 1 ? "rank" : "ranks",
                                 common::listed(names, most_shown)));
    if (nameless_ > 0)
      left.push_back(common::counted(nameless_, "file of no known rank", "files of no known rank"));
    common::complain("bench_transfers",
                     fmt::format("{}: earlier runs have left {}: put aside as {}",
                                 value_of(facts_, "node").get<std::string>(),
                                 fmt::join(left, " and "), (folder_ / "*.json.earlier").string()));
  } catch (const std::exception&) {
    // Who cannot be told that there is no memory hears it elsewhere.
  }
  ranks_.clear();
  nameless_ = 0;
}

}  // namespace bench_transfers::bench
