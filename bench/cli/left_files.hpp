#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "src/fleet/io/collect.hpp"

namespace bench_transfers::bench {

/// What ranks that give no answer have left below a folder, each with its rank: `fleet_transfers
/// collect` finds it there, too. `facts`: context.transfers.fleet of a rank of the same job.
/// `known`: files that belong to others, which need not be read.
std::multimap<std::size_t, fleet::found_file> files_left_by(
    const std::set<std::size_t>& ranks, const std::filesystem::path& folder,
    const nlohmann::json& facts, const std::set<std::filesystem::path>& known);

}  // namespace bench_transfers::bench
