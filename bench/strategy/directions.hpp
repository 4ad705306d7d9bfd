#pragma once

#include <string_view>

#include "transfers/core/device.hpp"

namespace bench_transfers::bench {

/// "h2d" and "read" (a kernel reads host memory) move data to the device, "d2h" and "write" from
/// it.
constexpr transfers::direction direction_of(std::string_view variant) {
  return variant == "h2d" || variant == "read" ? transfers::direction::h2d
                                               : transfers::direction::d2h;
}

}  // namespace bench_transfers::bench
