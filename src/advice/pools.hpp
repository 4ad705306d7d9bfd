#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace bench_transfers::advice {

/// Names by kind of host memory: kinds with the same name are alike for the CPU. The file has found
/// the same memory type for them, and their pages have the same size, so that what else they were
/// allocated with cannot change what the CPU pays. Kinds of which one of both is not known are
/// left out.
std::map<std::string, std::string> pools_in(const nlohmann::ordered_json& facts);

}  // namespace bench_transfers::advice
