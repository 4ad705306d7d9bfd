#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "src/report/comparable.hpp"

// By how much runs of several machines differ, at what a reader asks first.

namespace bench_transfers::report {

/// The runs with a GPU, each beside the first of them: as many as a section of a report has, and as
/// a figure has, if there are more. Empty if there are fewer than two, or if any is falsified.
nlohmann::ordered_json comparisons_of(std::vector<comparable> runs);

}  // namespace bench_transfers::report
