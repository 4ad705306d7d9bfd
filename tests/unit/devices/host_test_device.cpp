#include "tests/unit/devices/test_device.hpp"

namespace transfers {

const bool test_device_is_host = true;

std::unique_ptr<device> open_test_device() { return open_host_device(); }

}  // namespace transfers
