#pragma once

#include <string_view>

namespace bench_transfers::advice {

/// The text of page_sizes.json, the kinds of host memory by the size of their pages; CMake writes
/// the source.
std::string_view page_sizes_text();

}  // namespace bench_transfers::advice
