#pragma once

#include <nlohmann/json.hpp>

#include "src/fleet/launcher/rank.hpp"

namespace bench_transfers::bench {

/// What a launcher and TRANSFERS_SWEEP say about this process: context.transfers.fleet. Null if
/// they say nothing. A launcher's variables that contradict each other count as nothing: those
/// names are used for other things as well.
nlohmann::ordered_json fleet_facts(const fleet::environment& variables);

/// The same of what is known otherwise; without a rank, null there.
nlohmann::ordered_json fleet_facts(const fleet::launched_rank& told, bool has_rank,
                                   const std::string& sweep);

/// Whether two files are of ranks of one sweep: it has the same name in both, and as many ranks.
bool are_of_one_sweep(const nlohmann::json& facts, const nlohmann::json& others);

}  // namespace bench_transfers::bench
