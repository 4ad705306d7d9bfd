#pragma once

#include <chrono>
#include <functional>

#include "transfers/fast/staged_copy.hpp"

namespace transfers::detail {

/// calibrate_staging() with the caller's clock, for tests; `clock` must never go back.
staging calibrate_staging(device& device, const std::function<std::chrono::nanoseconds()>& clock);

}  // namespace transfers::detail
