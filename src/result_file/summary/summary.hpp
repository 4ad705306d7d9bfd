#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace bench_transfers::results {

/// Table of a result file's content for a terminal of 100 columns: one row per strategy with its
/// latency at the smallest size and its bandwidth at the largest, both ways, as medians over the
/// repetitions of median_ns; the best of each column, and what lies within one percent of it, is
/// marked. Says what the figures describe (device, link) and what was skipped or went wrong.
std::string summary(const nlohmann::ordered_json& content);

}  // namespace bench_transfers::results
