#include "src/common/files.hpp"

#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <set>
#include <system_error>
#include <utility>

#include "src/common/gzip.hpp"
#include "src/common/text.hpp"

namespace bench_transfers::common {

namespace {

/// Opening a named pipe waits for a writer, perhaps for ever. A pipe of the shell, such as
/// /dev/stdin, has a writer and no path.
bool is_named_pipe(const std::filesystem::path& file) {
  std::error_code unknown;
  if (!std::filesystem::is_fifo(file, unknown)) return false;
  std::error_code without_path;
  static_cast<void>(std::filesystem::canonical(file, without_path));
  return !without_path;
}

std::string read_bytes(const std::filesystem::path& file, std::size_t most_bytes) {
  std::error_code unknown;
  if (std::filesystem::is_directory(file, unknown)) throw read_error("it is a folder, not a file");
  if (is_named_pipe(file)) throw read_error("it is a named pipe, not a file");
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream.is_open()) throw read_error(std::generic_category().message(errno));
  std::string bytes;
  if (const auto size = std::filesystem::file_size(file, unknown); !unknown && size <= most_bytes)
    bytes.reserve(size);
  std::array<char, std::size_t{64} << 10> chunk;
  while (stream) {
    errno = 0;
    stream.read(chunk.data(), chunk.size());
    bytes.append(chunk.data(), static_cast<std::size_t>(stream.gcount()));
    if (bytes.size() > most_bytes) throw read_error("it is larger than " + mib_text(most_bytes));
  }
  if (stream.bad()) throw read_error(std::generic_category().message(errno));
  return bytes;
}

}  // namespace

std::string read_text(const std::filesystem::path& file, std::size_t most_bytes) {
  return unpacked(read_bytes(file, most_bytes), most_bytes);
}

std::string beginning_of(const std::filesystem::path& file, std::size_t bytes) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(file, unknown)) return {};
  std::ifstream stream(file, std::ios::binary);
  // Packed text can be longer than text by a few bytes, and has codes at its beginning.
  constexpr std::size_t room_for_codes = std::size_t{64} << 10;
  std::string packed(bytes + room_for_codes, '\0');
  stream.read(packed.data(), static_cast<std::streamsize>(packed.size()));
  packed.resize(static_cast<std::size_t>(stream.gcount()));
  return unpacked_beginning(packed, bytes);
}

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
