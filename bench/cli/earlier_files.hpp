#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

namespace bench_transfers::bench {

/// Removes the result files of an earlier run with the same name of the sweep, so that a GPU which
/// is not measured this time does not pass for one that is. `facts`: context.transfers.fleet of
/// this run. Removes those of the same node and rank in the folder, or of all ranks, but none
/// that a process without other ranks is writing.
void remove_earlier_files(const std::filesystem::path& folder, const nlohmann::ordered_json& facts,
                          bool of_all_ranks);

}  // namespace bench_transfers::bench
