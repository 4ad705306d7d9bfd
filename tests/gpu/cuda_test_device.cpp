#include <gtest/gtest.h>

#include <iostream>

#include "tests/unit/devices/test_device.hpp"

namespace transfers {

const bool test_device_is_host = false;

std::unique_ptr<device> open_test_device() { return open_cuda_device(0); }

namespace {

/// Skips all tests without a GPU, before their fixtures open one.
class a_gpu : public testing::Environment {
 public:
  void SetUp() override {
    const auto cuda = find_cuda();
    if (cuda.devices > 0) return;
    std::cout << "[  SKIPPED ] all tests\n";  // GoogleTest does not say it, and CTest looks for it
    GTEST_SKIP() << cuda.why_none;
  }
};
const auto* const a_gpu_for_all_tests = testing::AddGlobalTestEnvironment(new a_gpu);

}  // namespace
}  // namespace transfers
