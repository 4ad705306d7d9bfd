#pragma once

#include <vector>

#include "src/fleet/judge/judge.hpp"

namespace bench_transfers::fleet {

/// What to do about a finding, by what is slow and by what the files of its GPUs say: links and
/// warnings.
std::vector<advice> advice_for(const sweep& sweep, const finding& found);

}  // namespace bench_transfers::fleet
