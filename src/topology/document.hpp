#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "src/topology/host_map.hpp"

// The file host_map.json: {"format": 1, "kind": "host_map", …}. Rates are in bytes per second,
// devices are indices into "devices". reader.hpp reads it again.

namespace bench_transfers::topology {

/// The map and its findings ({code, data, text}).
nlohmann::ordered_json to_json(const host_map& map);

/// Writes the file, completely or not at all, or prints it (common::write_output). `context` says
/// how the map was measured. Throws common::write_error.
void write_host_map(const std::filesystem::path& file, const host_map& map,
                    const nlohmann::ordered_json& context);

}  // namespace bench_transfers::topology
