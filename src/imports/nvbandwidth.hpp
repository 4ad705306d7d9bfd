#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

// Results of nvbandwidth (github.com/NVIDIA/nvbandwidth) as result files, so that they can stand
// beside those of bench_transfers.

namespace bench_transfers::imports {

/// The size of nvbandwidth's buffers unless its --bufferSize says another (its README).
inline constexpr std::size_t nvbandwidth_buffer_bytes = std::size_t{512} << 20;

/// A result file of what `nvbandwidth --json` has printed. `buffer_bytes`: the size of each copy,
/// which the text does not say. Its copies between the host and one device by copy engine are
/// copy/pinned; its other copies from and to the host keep the names of their test cases. What has
/// no rate of copies from or to the host is `skipped`, with a reason. `file` is only named.
/// Throws result_file::unusable_file where the text is something else, or has nothing to import.
nlohmann::ordered_json from_nvbandwidth(std::string text, const std::filesystem::path& file,
                                        std::size_t buffer_bytes);

}  // namespace bench_transfers::imports
