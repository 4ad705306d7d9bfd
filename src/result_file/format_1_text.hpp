#pragma once

#include <string_view>

namespace bench_transfers::result_file {

/// The text of format_1.json; CMake writes the source.
std::string_view format_1_text();

}  // namespace bench_transfers::result_file
