#include "bench/cli/choose_device.hpp"

#include <string>

#include "src/common/program.hpp"
#include "tests/basics.hpp"
#include "tests/unit/common/complaint.hpp"

namespace bench_transfers::bench::choose_device_test {
namespace {

std::string complaint(const std::string& name) {
  return common::complaint_of<common::usage_error>([&] { return choose_devices(name); });
}

TEST(choose_device, host_needs_no_gpu_and_gives_no_reason) {
  const auto choice = choose_devices("host");
  ASSERT_THAT(choice.chosen, SizeIs(1));
  EXPECT_EQ(choice.chosen[0]->description().kind, "host");
  EXPECT_FALSE(choice.chosen[0]->description().cuda);
  EXPECT_THAT(choice.ids, ElementsAre("host"));
  EXPECT_FALSE(choice.why_not_gpu);
}

TEST(choose_device, automatic_choice_without_a_gpu_says_why) {
  const auto cuda = transfers::find_cuda();
  if (cuda.devices > 0) GTEST_SKIP() << "there is a GPU";
  for (const std::string list : {"auto", "all"}) {
    const auto [devices, ids, why_not_gpu] = choose_devices(list);
    ASSERT_THAT(devices, SizeIs(1));
    EXPECT_EQ(devices[0]->description().kind, "host");
    EXPECT_THAT(ids, ElementsAre("host"));
    ASSERT_TRUE(why_not_gpu);
    EXPECT_FALSE(cuda.why_none.empty());
    EXPECT_EQ(why_not_gpu->code, "no_gpu");
    EXPECT_EQ(why_not_gpu->data.at("reason"), cuda.why_none);
    EXPECT_THAT(why_not_gpu->text,
                AllOf(HasSubstr(cuda.why_none), HasSubstr("host"), Not(HasSubstr("\n"))));
  }
}

TEST(choose_device, a_missing_gpu_is_wrong_usage) {
  const auto missing = "cuda:" + std::to_string(transfers::find_cuda().devices);
  EXPECT_THAT(complaint(missing), AllOf(HasSubstr(missing), Not(HasSubstr("\n"))));
}

TEST(choose_devices, opens_emulated_devices_in_the_order_of_the_list) {
  const auto [devices, ids, why_not_gpu] = choose_devices("host:1,host,host:0");
  EXPECT_THAT(ids, ElementsAre("host:1", "host", "host:0"));
  ASSERT_THAT(devices, SizeIs(3));
  EXPECT_EQ(devices[0]->description().index, 1);
  EXPECT_EQ(devices[1]->description().name, transfers::open_host_device()->description().name);
  EXPECT_EQ(devices[2]->description().index, 0);
  for (const std::size_t i : {0, 2})
    EXPECT_EQ(devices[i]->description().name, "host (emulated, no GPU)");
  EXPECT_FALSE(why_not_gpu);
}

TEST(choose_devices, shares_links_of_the_same_name) {
  const auto devices = choose_devices("host:0@a=10GB/s,host:1@a,host:2@b-2=0.5MB/s,host:3").chosen;
  ASSERT_THAT(devices, SizeIs(4));
  const auto link = [&](std::size_t i) { return devices[i]->description().emulated_link; };
  EXPECT_EQ(link(0)->name, "a");
  EXPECT_EQ(link(0)->h2d_bytes_per_second, 1e10);
  EXPECT_EQ(link(0)->d2h_bytes_per_second, 1e10);
  EXPECT_EQ(link(0)->both_bytes_per_second, 0);
  EXPECT_EQ(link(1)->name, "a");
  EXPECT_EQ(link(1)->h2d_bytes_per_second, 1e10);
  EXPECT_EQ(link(2)->name, "b-2");
  EXPECT_EQ(link(2)->h2d_bytes_per_second, 5e5);
  EXPECT_FALSE(link(3));
}

TEST(choose_devices, opens_ranges_and_numbers_of_the_kind_before) {
  EXPECT_THAT(choose_devices("host:7").ids, ElementsAre("host:7"));
  EXPECT_THAT(choose_devices("host:0-2").ids, ElementsAre("host:0", "host:1", "host:2"));
  EXPECT_THAT(choose_devices("host:3,0,5-6,1-1").ids,
              ElementsAre("host:3", "host:0", "host:5", "host:6", "host:1"));
  EXPECT_THAT(choose_devices("host,2").ids, ElementsAre("host", "host:2"));
  const auto devices = choose_devices("host:0-1@a=10GB/s,4@a,5").chosen;
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(devices[i]->description().emulated_link->name, "a") << i;
  EXPECT_FALSE(devices[3]->description().emulated_link);
}

TEST(choose_devices, puts_several_links_one_after_the_other) {
  const auto devices =
      choose_devices(
          "host:0@gpu0=4GB/s@switch=6GB/s,host:1@gpu1=5GB/s@switch,host:2-3@x=1GB/s@switch")
          .chosen;
  const auto& first = devices[0]->description();
  EXPECT_EQ(first.emulated_link->name, "gpu0@switch");
  EXPECT_EQ(first.emulated_link->h2d_bytes_per_second, 4e9);
  ASSERT_THAT(first.emulated_path, SizeIs(2));
  EXPECT_EQ(first.emulated_path[1].name, "switch");
  EXPECT_EQ(first.emulated_path[1].d2h_bytes_per_second, 6e9);
  EXPECT_EQ(devices[1]->description().emulated_link->name, "gpu1@switch");
  EXPECT_EQ(devices[2]->description().emulated_link->name, "x@switch");
  EXPECT_EQ(devices[3]->description().emulated_link->name, "x@switch");
  EXPECT_THAT(choose_devices("host:0@a=1GB/s").chosen[0]->description().emulated_path, IsEmpty());
}

TEST(choose_device_of_rank, takes_one_of_the_list) {
  EXPECT_THAT(choose_device_of_rank("host:4-7", 2).ids, ElementsAre("host:6"));
  EXPECT_THAT(choose_device_of_rank("host:4", 2).ids, ElementsAre("host:4")) << "the only one";
  EXPECT_THAT(choose_device_of_rank("host", 3).ids, ElementsAre("host:3"));
  const auto shared = choose_device_of_rank("host:0@a=10GB/s,host:1@a", 1);
  EXPECT_EQ(shared.chosen[0]->description().emulated_link->name, "a");
}

TEST(choose_device_of_rank, needs_a_list_that_is_long_enough) {
  EXPECT_THROW(static_cast<void>(choose_device_of_rank("host:0-1", 2)), common::usage_error);
}

TEST(choose_device_of_rank, without_a_gpu_does_not_take_the_host) {
  if (transfers::find_cuda().devices > 0) GTEST_SKIP() << "there is a GPU";
  for (const std::string list : {"auto", "all"})
    EXPECT_THROW(static_cast<void>(choose_device_of_rank(list, 0)), no_device);
}

}  // namespace
}  // namespace bench_transfers::bench::choose_device_test
