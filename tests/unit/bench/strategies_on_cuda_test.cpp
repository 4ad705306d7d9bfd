#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "bench/strategy/strategy.hpp"
#include "tests/unit/transfers/counting_device.hpp"

using namespace bench_transfers;

namespace transfers::strategies_on_cuda_test {
namespace {

using testing::HasSubstr;

counting_device& posing_as(counting_device& device, const cuda_properties& cuda) {
  device.counts().poses_as = device_description{"cuda", "made for a test", cuda};
  return device;
}

std::string why_not(const std::string& strategy, const device& device) {
  const auto all = bench::registered_strategies();
  const auto match = std::ranges::find(all, strategy, &bench::strategy::name);
  return match == all.end() ? "there is none" : why_unsupported(*match, device).value_or("");
}

TEST(managed_strategies, name_the_attribute_that_forbids_them) {
  counting_device device;
  for (const char* name : {"copy/managed_prefetch", "copy/managed_fault"}) {
    cuda_properties cuda;
    EXPECT_THAT(why_not(name, posing_as(device, cuda)),
                HasSubstr("cudaDevAttrConcurrentManagedAccess"));
    cuda.concurrent_managed_access = true;
    EXPECT_EQ(why_not(name, posing_as(device, cuda)), "");
    EXPECT_THAT(why_not(name, *open_host_device()), HasSubstr("the host device has none"));
  }
}

TEST(pageable_access_strategy, needs_kernels_that_can_and_runs_on_the_host_device) {
  counting_device device;
  cuda_properties cuda;
  EXPECT_THAT(why_not("copy/pageable_access", posing_as(device, cuda)),
              HasSubstr("cudaDevAttrPageableMemoryAccess is 0"));
  cuda.pageable_memory_access = true;
  EXPECT_EQ(why_not("copy/pageable_access", posing_as(device, cuda)), "");
  EXPECT_EQ(why_not("copy/pageable_access", *open_host_device()), "");
}

}  // namespace
}  // namespace transfers::strategies_on_cuda_test
