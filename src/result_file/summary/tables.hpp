#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "src/result_file/summary/figures.hpp"

namespace bench_transfers::results {

// The summary's tables, each with a line before it; empty where there is nothing to show.

/// Latencies and rates of all that moves data in one direction.
std::string table(const std::vector<figure>& figures, const nlohmann::ordered_json& link);

/// What was not measured at the largest size of all: rates at its own.
std::string table_of_smaller(const std::vector<figure>& figures);

/// What transfers take of the machine, at the largest size measured.
std::string table_of_costs(const std::vector<figure>& figures,
                           const nlohmann::ordered_json& content);

/// Both directions at once, at the largest size measured: in all, each while the other one is kept
/// busy, each alone, and by how much that slows each down.
std::string table_of_duplex(const std::vector<figure>& figures,
                            const nlohmann::ordered_json& content);

/// Round trips in pieces against the same one after the other, at the largest size measured: how
/// much of the copies' time is hidden.
std::string table_of_overlap(const std::vector<figure>& figures,
                             const nlohmann::ordered_json& content);

/// What is not a copy in one direction: times at the smallest and the largest size.
std::string table_of_others(const std::vector<figure>& figures);

/// What the CPU pays for each kind of memory, by one thread, at the largest size measured.
std::string table_of_cpu_access(const std::vector<figure>& figures,
                                const nlohmann::ordered_json& content);

/// What memory costs to get and to give back, at the largest size measured.
std::string table_of_allocation(const std::vector<figure>& figures);

/// What has no size, but for the harness's own floor.
std::string table_of_unsized(const nlohmann::ordered_json& content);

}  // namespace bench_transfers::results
