#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "src/fleet/judge/judge.hpp"

namespace bench_transfers::fleet {

// Words of answers.

std::string to_string(verdict shown);
std::string to_string(scope scope);
/// "GPU", "node": for people.
std::string noun_of(scope scope);
std::string to_string(pattern pattern);
std::string to_string(reference reference);
/// Of a rank without results, and of a GPU that only the baseline has.
inline constexpr const char* missing_code = "missing";
inline constexpr const char* gone_code = "gone";
/// Of a GPU whose run was resumed.
inline constexpr const char* in_parts_code = "in_parts";

std::string to_string(advice advice);
/// A clause in the imperative.
std::string explain(advice advice);

std::string to_string(doubt doubt);
/// What follows "3 GPUs", or of no GPUs a sentence of its own.
std::string explain(doubt doubt, std::size_t gpus);

/// "link/h2d/together": a code.
std::string code_of(const aspect& aspect);
nlohmann::ordered_json to_json(const aspect& aspect);
/// "node1 in rack r, slot 0000:c1:00.0".
std::string place_text(const std::string& node, const std::string& rack, const std::string& slot);
/// By class: smaller slowdowns do not matter.
nlohmann::ordered_json thresholds_percent();
/// "link h2d, all GPUs of the node at once".
std::string describe(const aspect& aspect);

}  // namespace bench_transfers::fleet
