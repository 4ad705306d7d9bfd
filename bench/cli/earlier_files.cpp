#include "bench/cli/earlier_files.hpp"

#include <algorithm>
#include <string>
#include <system_error>
#include <vector>

#include "src/common/read_text.hpp"
#include "src/fleet/ranks/only_writer.hpp"

namespace bench_transfers::bench {
namespace {

namespace fs = std::filesystem;

/// Null if it is no result file that says so.
nlohmann::json fleet_facts_in(const fs::path& file) {
  try {
    const auto text = common::read_text(file);
    const auto read = nlohmann::json::parse(text, nullptr, false);
    return read.value(nlohmann::json::json_pointer("/context/transfers/fleet"), nlohmann::json());
  } catch (const std::exception&) {
    return nullptr;
  }
}

bool is_earlier(const nlohmann::json& found, const nlohmann::json& own, bool of_all_ranks) {
  std::vector<const char*> same{"sweep", "node", "world_size"};
  if (!of_all_ranks) same.push_back("rank");
  return found.is_object() && std::ranges::all_of(same, [&](const char* key) {
           return found.value(key, nlohmann::json()) == own.value(key, nlohmann::json());
         });
}

}  // namespace

void remove_earlier_files(const fs::path& folder, const nlohmann::ordered_json& facts,
                          bool of_all_ranks) {
  const nlohmann::json own(facts);
  if (!own.is_object() || own.value("rank", nlohmann::json()).is_null()) return;
  std::error_code error;
  std::vector<fs::path> earlier;
  for (auto entry = fs::directory_iterator(folder, error);
       !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const auto& file = entry->path();
    if (file.extension() == ".json" && entry->is_regular_file(error) &&
        is_earlier(fleet_facts_in(file), own, of_all_ranks) && !fleet::is_being_written(file))
      earlier.push_back(file);
  }
  for (const auto& file : earlier) fs::remove(file, error);
}

}  // namespace bench_transfers::bench
