#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "src/topology/map/host_map.hpp"

// The file host_map.json: {"format": 1, "kind": "host_map", …}. Rates are in bytes per second,
// devices are indices into "devices". reader.hpp reads it again.

namespace bench_transfers::topology {

/// The map and its findings ({code, data, text}).
nlohmann::ordered_json to_json(const host_map& map);

/// The file's text. `context` says how the map was measured.
std::string text_of_host_map(const host_map& map, const nlohmann::ordered_json& context);

}  // namespace bench_transfers::topology
