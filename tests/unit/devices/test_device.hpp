#pragma once

#include <memory>

#include "transfers/core/device.hpp"

namespace transfers {

/// The tests in this folder run in two programs: in transfers_tests on the host device, and in
/// gpu_tests on the first GPU. Each program defines these two.
[[nodiscard]] std::unique_ptr<device> open_test_device();
extern const bool test_device_is_host;

}  // namespace transfers
