#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "src/imports/nvbandwidth_run.hpp"

namespace bench_transfers::imports {

/// A result file. `file`, which was imported, is only named.
nlohmann::ordered_json document_of(const nvbandwidth_run& run, const std::filesystem::path& file);

}  // namespace bench_transfers::imports
