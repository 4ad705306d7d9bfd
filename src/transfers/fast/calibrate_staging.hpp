#pragma once

#include <chrono>
#include <functional>

#include "transfers/fast/staged_copy.hpp"

namespace transfers::detail {

/// calibrate_staging() by a clock of the caller's, for tests: `now` never goes back.
staging calibrate_staging(device& device, const std::function<std::chrono::nanoseconds()>& now);

}  // namespace transfers::detail
