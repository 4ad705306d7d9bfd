#pragma once

#include "bench/harness/plan.hpp"
#include "bench/harness/time_limit.hpp"

namespace bench_transfers::bench {

/// Reserves the buffers that the plan needs on each device. Moves sizes that do not fit to
/// `skipped`, largest first, and those of several devices at once before those of one. A device
/// that is lost meanwhile is not asked any more.
/// `limit`: sizes are set aside, largest first, until the buffers are likely to take no more than
/// half of the time that is left. The smallest size stays. No buffer is begun when the time is up.
void reserve_buffers(plan& plan, const device_list& devices,
                     const time_limit& limit = time_limit());

}  // namespace bench_transfers::bench
