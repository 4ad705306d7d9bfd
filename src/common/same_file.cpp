#include "src/common/same_file.hpp"

#include <sys/stat.h>

#include <set>
#include <system_error>
#include <utility>

namespace bench_transfers::common {

std::filesystem::path whole_name(const std::filesystem::path& file) {
  // A relative name of a file that does not exist would stay one.
  std::error_code unknown;
  const auto absolute = std::filesystem::absolute(file, unknown);
  auto whole = std::filesystem::weakly_canonical(absolute, unknown);
  return unknown ? absolute : whole;
}

bool is_same_file(const std::filesystem::path& lhs, const std::filesystem::path& rhs) {
  if (lhs.empty() || rhs.empty()) return false;
  std::error_code unknown;
  return std::filesystem::equivalent(lhs, rhs, unknown) || whole_name(lhs) == whole_name(rhs);
}

std::optional<std::filesystem::path> named_twice(std::span<const std::filesystem::path> files) {
  std::set<std::filesystem::path> names;
  std::set<std::pair<dev_t, ino_t>> places;
  for (const auto& file : files) {
    if (file.empty()) continue;
    struct stat found {};
    const bool is_elsewhere =
        stat(file.c_str(), &found) != 0 || places.emplace(found.st_dev, found.st_ino).second;
    if (!names.insert(whole_name(file)).second || !is_elsewhere) return file;
  }
  return std::nullopt;
}

bool is_named(int descriptor, const std::filesystem::path& file) {
  struct stat opened {
  }, named{};
  return fstat(descriptor, &opened) == 0 && lstat(file.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

}  // namespace bench_transfers::common
