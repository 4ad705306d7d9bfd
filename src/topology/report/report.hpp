#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "src/exports/answer.hpp"
#include "src/topology/map/host_map.hpp"

namespace bench_transfers::topology {

/// The map for people: the tree with measured and nominal capacities, what pairs lose, the
/// findings, and how well the map predicts. Ends with a line feed.
std::string text_of(const host_map& map);

/// Only the tree: each link with its capacities, their 95 % intervals, and the ports that it may
/// be; each device with its rates alone.
std::string tree_text(const host_map& map);

/// What each device of a pair keeps of its rate alone while the other copies as well, in percent;
/// a table for the kinds of traffic in which a pair loses 2 % or more and that are alike. Empty if
/// there is none.
std::vector<exports::table> tables_of_pairs(const host_map& map);

/// The map and its findings ({code, data, text}), as in the file host_map.json: {"format": 1,
/// "kind": "host_map", …}. Rates are in bytes per second, devices are indices into "devices".
/// reader.hpp reads it again.
nlohmann::ordered_json to_json(const host_map& map);

/// The file's text. `context` says how the map was measured.
std::string text_of_host_map(const host_map& map, const nlohmann::ordered_json& context);

}  // namespace bench_transfers::topology
