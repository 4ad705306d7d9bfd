
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "bench/harness/plan.hpp"
#include "bench/record/listing.hpp"
#include "bench/strategy/strategy.hpp"
#include "tests/basics.hpp"
#include "tests/unit/bench/test_strategy.hpp"
#include "tests/unit/transfers/counting_device.hpp"

using namespace bench_transfers;

namespace transfers::strategies_on_cuda_test {
namespace {

counting_device& posing_as(counting_device& device, const cuda_properties& cuda) {
  device.counts().poses_as = device_description{"cuda", "made for a test", cuda};
  return device;
}

std::string why_not(const std::string& strategy, const device& device) {
  return why_unsupported(bench::find_strategy(strategy), device).value_or("");
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

/// Of one program and one driver.
cuda_properties built_with(const std::string& runtime, const std::string& driver) {
  cuda_properties cuda;
  cuda.runtime_cuda_version = runtime;
  cuda.driver_cuda_version = driver;
  return cuda;
}

TEST(strategies_of_newer_calls, name_what_is_too_old) {
  struct {
    std::string strategy, runtime, driver, why;
  } const cases[]{
      {"copy_batch/pinned/any", "12.4", "13.0",
       "it needs CUDA 12.8, and this program was built with CUDA 12.4"},
      {"copy_batch/pinned/any", "12.9", "12.2",
       "it needs CUDA 12.8, and the NVIDIA driver supports CUDA 12.2"},
      {"copy_batch/pinned/any", "12.4", "12.2",
       "it needs CUDA 12.8, and this program was built with CUDA 12.4"},
      {"copy_batch/pinned/any", "12.8", "12.10", ""},
      {"copy_batch/pinned/any", "", "", ""},  // what cannot be read
      {"scatter/batch/4KiB_blocks/pinned", "12.9", "12.7",
       "it needs CUDA 12.8, and the NVIDIA driver supports CUDA 12.7"},
      {"scatter/loop/4KiB_blocks/pinned", "12.4", "12.0", ""},
      {"launch/prepared", "12.9", "12.3",
       "it needs CUDA 12.4, and the NVIDIA driver supports CUDA 12.3"},
      {"launch/plain", "12.9", "12.0", ""},
      {"allocate/host_pool", "12.9", "13.0",
       "it needs CUDA 13.0, and this program was built with CUDA 12.9"},
      {"allocate/host_pool_numa", "13.0", "12.8",
       "it needs CUDA 12.9, and the NVIDIA driver supports CUDA 12.8"},
  };
  counting_device device;
  for (const auto& [strategy, runtime, driver, why] : cases)
    EXPECT_EQ(why_not(strategy, posing_as(device, built_with(runtime, driver))), why)
        << strategy << ", " << runtime << ", " << driver;
}

TEST(strategies_of_newer_calls, run_on_the_host_device) {
  for (const auto& strategy : bench::registered_strategies())
    EXPECT_THAT(why_unsupported(strategy, *open_host_device()).value_or(""),
                Not(HasSubstr("it needs CUDA")));
}

TEST(strategies_of_newer_calls, are_skipped_and_listed_with_the_reason) {
  counting_device device;
  posing_as(device, built_with("12.9", "12.2"));
  const std::vector<bench::named_device> devices{{"cuda:0", device}};
  bench::settings chosen;
  chosen.strategies = {"copy_batch"};
  chosen.sizes = {4096};
  const auto all = bench::registered_strategies();
  const auto plan = bench::make_plan(all, devices, chosen);
  const std::string why = "it needs CUDA 12.8, and the NVIDIA driver supports CUDA 12.2";
  EXPECT_THAT(plan.cases, IsEmpty());
  EXPECT_THAT(plan.skipped, SizeIs(12));  // six strategies, two directions
  for (const auto& [name, reason, benchmark] : plan.skipped) {
    EXPECT_EQ(reason.code, "unsupported") << name;
    EXPECT_EQ(reason.text, why) << name;
  }
  const auto listed = bench::find_strategy("copy_batch/pinned/any");
  std::ostringstream out;
  bench::list_as_json(out, {&listed}, devices);
  EXPECT_THAT(out.str(), HasSubstr(why));
}

}  // namespace
}  // namespace transfers::strategies_on_cuda_test
