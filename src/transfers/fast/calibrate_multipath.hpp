#pragma once

#include <chrono>
#include <functional>
#include <span>

#include "src/transfers/fast/link_set.hpp"
#include "transfers/fast/multipath.hpp"

namespace transfers::detail {

/// calibrate_multipath() with the caller's clock for the times between enqueuing, for tests.
multipath calibrate_multipath(device& target, std::span<device* const> helpers,
                              const std::function<std::chrono::nanoseconds()>& clock);

}  // namespace transfers::detail
