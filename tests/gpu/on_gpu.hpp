#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "transfers/core/device.hpp"

namespace transfers {

/// Opens the first GPU, or skips the test with the reason.

class on_gpu : public testing::Test {
 protected:
  void SetUp() override {
    const auto cuda = find_cuda();
    if (cuda.devices == 0) GTEST_SKIP() << cuda.why_none;
    gpu = open_cuda_device(0);
    set_up();
  }
  virtual void set_up() {}  ///< what else a test needs once the GPU is open

  std::unique_ptr<device> gpu;
};

}  // namespace transfers
