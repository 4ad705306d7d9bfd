#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

// Results of nvbandwidth (github.com/NVIDIA/nvbandwidth) as result files, so that they can stand
// beside those of bench_transfers.

namespace bench_transfers::imports {

/// The size of nvbandwidth's buffers unless its --bufferSize says another (common.h of its
/// releases): 64 MiB up to release 0.6.
std::size_t nvbandwidth_buffer_bytes(std::string_view version);

/// A result file of what nvbandwidth 0.5 to 1.0 has printed, as JSON (--json) or as plain text.
/// `buffer_bytes`: the size of each copy, which the output does not say; none: that of its release.
/// Its copies between the host and one device by copy engine are copy/pinned; its other copies from
/// and to the host keep the names of their test cases. What has no rate of copies from or to the
/// host, or one that cannot be, is `skipped`, with a reason. Its errors and warnings are warnings,
/// and what it broke off is not complete. `file` is only named. Throws result_file::unusable_file
/// where the text is something else, or has nothing to import.
nlohmann::ordered_json from_nvbandwidth(std::string text, const std::filesystem::path& file,
                                        std::optional<std::size_t> buffer_bytes = {});

}  // namespace bench_transfers::imports
