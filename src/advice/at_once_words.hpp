#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "src/advice/at_once.hpp"
#include "src/exports/answer.hpp"
#include "src/topology/map/reader.hpp"

namespace bench_transfers::advice {

/// The map that answers are made from.
struct map_source {
  std::filesystem::path file;
  topology::map_file contents;
};

/// For each answer what to do, rates alone and at once, times, groups and NUMA nodes, and what is
/// doubtful.
void add_at_once(exports::answer& out, const map_source& source,
                 const std::vector<advice_at_once>& answers);

/// The same as data: docs/answers.schema.json.
nlohmann::ordered_json at_once_document(const map_source& source,
                                        const std::vector<advice_at_once>& answers);

// Words of the document.
const char* to_string(rate_source source);  ///< "measured", "predicted"
const char* to_string(node_source source);  ///< "measured", "pci"
const char* to_string(order shown);         ///< "at_once", "groups", "one_by_one"

}  // namespace bench_transfers::advice
