#pragma once

#include <filesystem>
#include <string>

#include "src/gate/model/baseline.hpp"

namespace bench_transfers::gate {

/// Throws bad_input: not a baseline, damaged, or of a newer format.
baseline read_baseline(const std::filesystem::path& file);
/// The same from a file's text; `file` is only named.
baseline baseline_in(std::string text, const std::filesystem::path& file);

}  // namespace bench_transfers::gate
