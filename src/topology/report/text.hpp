#pragma once

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

}  // namespace bench_transfers::topology
