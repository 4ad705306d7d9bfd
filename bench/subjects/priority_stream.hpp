#pragma once

#include <memory>

#include "transfers/core/device.hpp"

namespace bench_transfers::bench::subjects {

/// A stream of the highest priority that the current device has (cudaStreamCreateWithPriority). A
/// stream of the host device has no priority. Throws device_error.
std::shared_ptr<transfers::stream> high_priority_stream(transfers::device& device);

}  // namespace bench_transfers::bench::subjects
