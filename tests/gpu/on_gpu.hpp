#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "transfers/core/device.hpp"

namespace transfers {

/// Opens the first GPU, or skips the test with the reason. What is derived from it asks IsSkipped()
/// after this SetUp().
class on_gpu : public testing::Test {
 protected:
  void SetUp() override {
    const auto found = find_cuda();
    if (found.devices == 0) GTEST_SKIP() << found.why_none;
    gpu = open_cuda_device(0);
  }

  std::unique_ptr<device> gpu;
};

}  // namespace transfers
