#pragma once

#include <memory>

#include "transfers/core/device.hpp"
#include "transfers/core/pageable_copier.hpp"

namespace transfers::detail {

/// A staged_copier with the default settings of `staging`, which acquire() creates: 64 MiB of
/// page-locked memory, and threads that sleep between copies. acquire() fails with fewer than 4
/// usable processors, without memory or threads for it, and for devices that access ordinary memory
/// themselves. It keeps the device, which must not keep it.
std::shared_ptr<pageable_copier> make_default_copier(std::shared_ptr<device> device);

}  // namespace transfers::detail
