#include "bench/record/run_context.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/unit/transfers/counting_device.hpp"

namespace bench_transfers::bench::run_context_test {
namespace {

using json = nlohmann::ordered_json;
using testing::AllOf;
using testing::HasSubstr;

/// What a result file says of two devices that pose as GPUs, of which NVML says this about the
/// second.
json context_with(std::optional<bool> is_instance) {
  transfers::counting_device device;
  auto posed = device.description();
  posed.cuda.emplace();
  device.counts().poses_as = posed;
  const buffers memory(device, 1);
  observation start;
  start.is_instance = is_instance;
  const std::vector<observed_device> devices{{device, memory, {}, "cuda:0"},
                                             {device, memory, start, "cuda:1"}};
  return make_context(devices, std::nullopt, settings{}, plan{}).at("transfers");
}

std::vector<json> warnings_of_instances(const json& context) {
  std::vector<json> warnings;
  for (const auto& warning : context.at("warnings"))
    if (warning.at("code") == "mig_instance") warnings.push_back(warning);
  return warnings;
}

TEST(run_context, says_which_device_is_an_instance_of_a_gpu) {
  const auto context = context_with(true);
  EXPECT_EQ(context.at("devices")[0].at("mig"), nullptr) << "not known";
  EXPECT_EQ(context.at("devices")[1].at("mig"), true);
  const auto warnings = warnings_of_instances(context);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].at("data").at("device"), "cuda:1");
  EXPECT_THAT(warnings[0].at("text"), AllOf(HasSubstr("cuda:1"), HasSubstr("whole GPU's link")));
}

TEST(run_context, warns_of_no_whole_gpu) {
  for (const auto is_instance : {std::optional<bool>(), std::optional(false)})
    EXPECT_THAT(warnings_of_instances(context_with(is_instance)), testing::IsEmpty());
}

}  // namespace
}  // namespace bench_transfers::bench::run_context_test
