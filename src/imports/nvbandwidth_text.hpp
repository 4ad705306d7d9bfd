#pragma once

#include <string_view>

namespace bench_transfers::imports {

/// The text of nvbandwidth.json: of each test case that is imported its `direction` and, where it
/// measures what a strategy of ours measures, `family` and `strategy`. CMake writes the source.
std::string_view nvbandwidth_text();

}  // namespace bench_transfers::imports
