#pragma once

#include <functional>
#include <vector>

#include "bench/strategy/transfer.hpp"
#include "transfers/core/device.hpp"

namespace bench_transfers::bench {

/// Steps "enqueue" and "wait" of an asynchronous operation: until the call returns, and until the
/// work is complete.
std::vector<step> enqueue_and_wait(transfers::stream& stream, std::function<void()> enqueue);

/// Returns when the work that it enqueues is done.
std::function<void()> waited_for(transfers::stream& stream, std::function<void()> enqueue);

/// For loops that wait. On the host device, a stream's thread may need this processor.
void wait_a_moment(const transfers::device& device);

}  // namespace bench_transfers::bench
