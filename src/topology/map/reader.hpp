#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

#include "src/topology/map/host_map.hpp"

// Reads what text_of_host_map() writes: host_map.json.

namespace bench_transfers::topology {

/// The newest "format" of a map that is read.
inline constexpr int newest_map_format = 1;
/// Its "kind".
inline constexpr const char* kind_of_map = "host_map";

/// A file that is no map; what() is one line that names the file, the entry and what is wrong with
/// it.
class unusable_map : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// How a map was measured, as far as its file says it. Texts are printable, and empty where it does
/// not.
struct map_origin {
  bool without_gpu = false;
  std::optional<std::size_t> size_bytes;  ///< of each copy
  std::string date, commit;
  std::string host_name = {};  ///< older files have none

  bool operator==(const map_origin&) const = default;
};

struct map_file {
  host_map map;
  map_origin origin;
};

/// Reads a file, also one compressed with gzip. Throws unusable_map: it cannot be read, is no map,
/// of a newer format, or says something that cannot be. Findings are not read: findings() makes
/// them from the map.
map_file read_map_file(const std::filesystem::path& file);

/// The same from a file's text; `file` is only named. Throws unusable_map.
map_file map_file_from_text(const std::string& text, const std::filesystem::path& file);

}  // namespace bench_transfers::topology
