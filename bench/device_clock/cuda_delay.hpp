#pragma once

#include <functional>

#include "transfers/core/device.hpp"

namespace bench_transfers::bench {

/// Returns a function that keeps a stream of a CUDA device busy until enqueueing a few operations
/// and events is over. Throws unsupported in a build without CUDA, device_error; so does the
/// function.
std::function<void(transfers::stream&)> cuda_delay(transfers::device& device);

}  // namespace bench_transfers::bench
