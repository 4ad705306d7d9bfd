#pragma once

#include "transfers/core/device.hpp"

namespace transfers::detail {

/// Describes a CUDA device, which must be current. Throws device_error.
device_description describe_cuda_device(int index);

}  // namespace transfers::detail
