#include "transfers/version.hpp"

#include <gtest/gtest.h>

#include <string>

namespace transfers::version_test {
namespace {

TEST(version, is_that_of_the_project) { EXPECT_STREQ(version(), PROJECT_VERSION); }

TEST(version, of_headers_and_library_agree) {
  EXPECT_EQ(version_number(), TRANSFERS_VERSION);
  EXPECT_EQ(version(), std::to_string(TRANSFERS_VERSION / 10000) + "." +
                           std::to_string(TRANSFERS_VERSION / 100 % 100) + "." +
                           std::to_string(TRANSFERS_VERSION % 100));
}

}  // namespace
}  // namespace transfers::version_test
