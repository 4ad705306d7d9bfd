#include "transfers/fast/managed.hpp"

#include "tests/basics.hpp"
#include "tests/unit/transfers/counting_device.hpp"
#include "transfers/core/error.hpp"

namespace transfers::managed_test {
namespace {

counting_device& posing_as(counting_device& device, const cuda_properties& cuda) {
  device.counts().poses_as = device_description{"cuda", "made for a test", cuda};
  return device;
}

TEST(managed_memory, needs_a_device_that_moves_single_pages) {
  counting_device device;
  cuda_properties cuda;
  EXPECT_THAT(why_no_managed_memory(posing_as(device, cuda)).value_or(""),
              HasSubstr("cudaDevAttrConcurrentManagedAccess is 0"));
  EXPECT_THROW(managed_memory(device, 4096), unsupported);
  cuda.concurrent_managed_access = true;
  EXPECT_EQ(why_no_managed_memory(posing_as(device, cuda)), std::nullopt);
}

}  // namespace
}  // namespace transfers::managed_test
