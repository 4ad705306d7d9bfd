#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "src/common/text.hpp"
#include "src/gate/model/run.hpp"

namespace bench_transfers::gate {

/// Tables of runs for a terminal of so many columns, at least 100: the differences between their
/// machines, then the median and the range of each benchmark over its repetitions, with as many
/// runs side by side as fit.
std::string side_by_side(std::span<const run> runs, const metric& judged_by,
                         std::size_t columns = common::terminal_columns);

}  // namespace bench_transfers::gate
