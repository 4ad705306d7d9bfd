#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>

#include "src/topology/host_map.hpp"

// The file host_map.json: {"format": 1, "kind": "host_map", …}. Rates are in bytes per second,
// devices are indices into "devices".

namespace bench_transfers::topology {

/// A file that is no map; what() is one line that names the file and the reason.
class unusable_map : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The map and its findings ({code, data, text}).
nlohmann::ordered_json to_json(const host_map& map);

/// Writes the file, completely or not at all. `context` says how the map was measured, and is not
/// read. Throws common::write_error.
void write_host_map(const std::filesystem::path& file, const host_map& map,
                    const nlohmann::ordered_json& context);

/// Reads a file, also one compressed with gzip. Throws unusable_map: it cannot be read, is no map,
/// of a newer format, or says something that cannot be. Findings are not read: findings() makes
/// them from the map.
host_map read_host_map(const std::filesystem::path& file);

/// The same from a file's text; `file` is only named. Throws unusable_map.
host_map host_map_from_text(const std::string& text, const std::filesystem::path& file);

}  // namespace bench_transfers::topology
