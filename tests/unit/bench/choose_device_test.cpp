#include "bench/cli/choose_device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "src/common/sizes.hpp"

namespace bench_transfers::bench {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string complaint(const std::string& wanted) {
  try {
    static_cast<void>(choose_device(wanted));
  } catch (const common::usage_error& wrong) {
    return wrong.what();
  }
  return "";
}

TEST(choose_device, host_needs_no_gpu_and_no_excuse) {
  const auto [device, why_not_gpu] = choose_device("host");
  ASSERT_NE(device, nullptr);
  EXPECT_EQ(device->description().kind, "host");
  EXPECT_FALSE(device->description().cuda);
  EXPECT_FALSE(why_not_gpu);
}

TEST(choose_device, automatic_choice_without_a_gpu_says_why) {
  const auto found = transfers::find_cuda();
  if (found.devices > 0) GTEST_SKIP() << "there is a GPU";
  const auto [device, why_not_gpu] = choose_device("auto");
  EXPECT_EQ(device->description().kind, "host");
  ASSERT_TRUE(why_not_gpu);
  EXPECT_FALSE(found.why_none.empty());
  EXPECT_EQ(why_not_gpu->code, "no_gpu");
  EXPECT_EQ(why_not_gpu->data.at("reason"), found.why_none);
  EXPECT_THAT(why_not_gpu->text,
              AllOf(HasSubstr(found.why_none), HasSubstr("host"), Not(HasSubstr("\n"))));
}

TEST(choose_device, a_gpu_that_is_not_there_is_wrong_usage) {
  const auto missing = "cuda:" + std::to_string(transfers::find_cuda().devices);
  EXPECT_THAT(complaint(missing), AllOf(HasSubstr(missing), Not(HasSubstr("\n"))));
}

class bad_device : public testing::TestWithParam<std::string> {};

TEST_P(bad_device, is_wrong_usage) {
  EXPECT_THAT(complaint(GetParam()),
              AllOf(HasSubstr("'" + GetParam() + "'"), HasSubstr("cuda:N"), Not(HasSubstr("\n"))));
}

INSTANTIATE_TEST_SUITE_P(all, bad_device,
                         testing::ValuesIn(std::vector<std::string>{
                             "", "gpu", "cuda", "cuda:", "cuda:-1", "cuda:x", "cuda:0x0", "cuda:1 ",
                             "cuda: 1", "cuda:99999999999", "CUDA:0", "Host", "host:0", "auto "}));

}  // namespace
}  // namespace bench_transfers::bench
