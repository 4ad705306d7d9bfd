#pragma once

#include <chrono>
#include <cstddef>
#include <functional>

#include "transfers/fast/staged_copy.hpp"

namespace transfers::detail {

/// Bytes of host and of device memory that calibrate_staging() takes meanwhile.
constexpr std::size_t largest_test_copy = std::size_t{256} << 20;

/// calibrate_staging() with the caller's clock, for tests; `clock` must never go back.
staging calibrate_staging(device& device, const std::function<std::chrono::nanoseconds()>& clock);

}  // namespace transfers::detail
