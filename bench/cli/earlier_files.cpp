#include "bench/cli/earlier_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "bench/record/fleet_facts.hpp"
#include "src/common/format.hpp"
#include "src/common/program.hpp"
#include "src/fleet/ranks/only_writer.hpp"

namespace bench_transfers::bench {
namespace {

namespace fs = std::filesystem;

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

/// Returns whether it has been there.
bool move_aside(const fs::path& file) {
  std::error_code error;
  fs::rename(file, free_name_beside(file), error);
  if (error && error != std::errc::no_such_file_or_directory)
    common::complain("bench_transfers", fmt::format("cannot put the earlier {} aside: {}",
                                                    file.string(), error.message()));
  return !error;
}

}  // namespace

earlier_files::earlier_files(fs::path folder, const nlohmann::ordered_json& facts)
    : folder_(std::move(folder)), facts_(facts) {}

earlier_files::~earlier_files() { tell(); }

void earlier_files::put_aside_own() { put_aside_files(false); }

void earlier_files::put_aside_all(std::vector<std::size_t> before) {
  ranks_ = std::move(before);
  put_aside_files(true);
  tell();
}

void earlier_files::put_aside_files(bool of_all_ranks) {
  const auto value_of = [](const nlohmann::json& facts, const char* key) {
    return facts.value(key, nlohmann::json());
  };
  if (folder_.empty() || !facts_.is_object() || value_of(facts_, "rank").is_null()) return;
  for (const auto& file : results_in(folder_)) {
    const auto found = fleet_facts_in(file);
    if (!are_of_one_sweep(found, facts_) || value_of(found, "node") != value_of(facts_, "node"))
      continue;
    const auto rank = value_of(found, "rank");
    if (!rank.is_number_unsigned() || (!of_all_ranks && rank != value_of(facts_, "rank"))) continue;
    // Asked now: another run may have begun to write it since the last one was moved.
    if (!fleet::writer_of(file) && move_aside(file)) ranks_.push_back(rank.get<std::size_t>());
  }
}

void earlier_files::tell() noexcept {
  if (ranks_.empty()) return;
  try {
    constexpr std::size_t most_shown = 8;
    std::vector<std::string> names;
    for (const auto rank : std::set(ranks_.begin(), ranks_.end()))
      names.push_back(std::to_string(rank));
    common::complain(
        "bench_transfers",
        fmt::format("an earlier run of this sweep has left {} of {} {}: put aside as {}",
                    common::counted(static_cast<double>(ranks_.size()), "result", "results"),
                    names.size() == 1 ? "rank" : "ranks", common::listed(names, most_shown),
                    (folder_ / "*.json.earlier").string()));
  } catch (const std::exception&) {
    // Who cannot be told that there is no memory hears it elsewhere.
  }
  ranks_.clear();
}

}  // namespace bench_transfers::bench
