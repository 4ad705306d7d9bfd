#pragma once

#include <string>

#include "src/result_file/format.hpp"
#include "transfers/core/host_memory.hpp"

namespace bench_transfers::bench {

/// Lines of strategy::calls for a direction, and that of a copy beside.
std::string calls_in(result_file::direction direction, const std::string& lines,
                     result_file::direction beside = result_file::direction::h2d);

/// The calls that get `bytes` bytes of a kind at `host`, as lines of strategy::calls.
std::string calls_for(transfers::host_memory_kind kind);

}  // namespace bench_transfers::bench
