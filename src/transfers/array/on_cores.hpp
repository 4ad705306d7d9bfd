#pragma once

#include <thrust/execution_policy.h>
#include <thrust/system/omp/execution_policy.h>

#include "transfers/core/stream.hpp"

// Work on host memory, compiled once for the host device and for host arrays.

namespace transfers::detail {

using one_core = decltype(thrust::seq);
using all_cores = decltype(thrust::omp::par);

void convert(one_core& policy, const conversion& conversion);
void convert(all_cores& policy, const conversion& conversion);

}  // namespace transfers::detail
