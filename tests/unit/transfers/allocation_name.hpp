#pragma once

#include <gtest/gtest.h>

#include <string>

#include "transfers/core/context.hpp"

namespace transfers {

/// For INSTANTIATE_TEST_SUITE_P.
inline std::string allocation_name(const testing::TestParamInfo<allocation>& info) {
  return info.param == allocation::plain ? "plain" : "pooled";
}

}  // namespace transfers
