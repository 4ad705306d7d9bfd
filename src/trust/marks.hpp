#pragma once

#include "src/trust/judgement.hpp"
#include "src/trust/noise.hpp"

namespace bench_transfers::trust {

/// Adds alerts, marks and the verdict, which follow from the findings. Falsified: by faults.
void conclude(judgement& given, const noise& seen, bool is_falsified, bool on_host);

}  // namespace bench_transfers::trust
