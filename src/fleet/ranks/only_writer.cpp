#include "src/fleet/ranks/only_writer.hpp"

#include <fmt/format.h>

#include <functional>
#include <string>
#include <system_error>

namespace bench_transfers::fleet {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t writer = 0;
constexpr std::size_t onlooker = 1;
constexpr auto front_of_writers = "writes-";

shared_file place_of(const fs::path& file, fs::path folder, std::size_t place) {
  if (folder.empty()) folder = folder_of_shared_files();
  remove_abandoned(folder, front_of_writers);
  std::error_code error;
  const auto whole = fs::weakly_canonical(file, error);
  const auto name = std::hash<std::string>()((error ? file : whole).string());
  return {folder / fmt::format("{}{:016x}", front_of_writers, name), 1, place, [](void*) {}};
}

}  // namespace

only_writer::only_writer(const fs::path& file, const fs::path& folder)
    : place_(place_of(file, folder, writer)) {}

bool is_being_written(const fs::path& file, const fs::path& folder) {
  return place_of(file, folder, onlooker).is_taken(writer);
}

}  // namespace bench_transfers::fleet
