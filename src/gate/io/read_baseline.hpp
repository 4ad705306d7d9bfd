#pragma once

#include <filesystem>
#include <string>

#include "src/gate/model/baseline.hpp"

namespace bench_transfers::gate {

/// Throws bad_input: not a baseline, damaged, or of a newer format.
baseline read_baseline(const std::filesystem::path& file);
/// The same from a file's text; `file` is only named.
baseline baseline_in(std::string text, const std::filesystem::path& file);

/// Of all that such a text says but the digest itself: tells that lines were lost or changed, as by
/// a merge.
std::string digest_of(std::string text);

}  // namespace bench_transfers::gate
