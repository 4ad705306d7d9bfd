#pragma once

#include <vector>

#include "src/trust/judgement.hpp"
#include "src/trust/measured.hpp"

namespace bench_transfers::trust {

/// Of plain transfers, and of round trips of arrays.
std::vector<choice> choices_in(const std::vector<measured>& benchmarks);

}  // namespace bench_transfers::trust
