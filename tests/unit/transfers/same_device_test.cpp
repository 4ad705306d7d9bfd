// Objects outlive the device object that they were made with, and refuse those of other devices.
#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <transfers/host/host_device.hpp>
#include <transfers/transfers.hpp>
#include <utility>
#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/common/complaint.hpp"

namespace transfers::same_device_test {
namespace {

const std::vector<float> numbers(100, 2.0F);

std::vector<float> copied_by(
    const std::function<void(std::byte*, const std::byte*, direction)>& copy, device& used) {
  const context gpu(used);
  device_buffer<float> there(gpu, numbers.size());
  std::vector<float> back(numbers.size());
  const auto bytes = [](auto* data) { return reinterpret_cast<std::byte*>(data); };
  copy(bytes(there.data()), reinterpret_cast<const std::byte*>(numbers.data()), direction::h2d);
  copy(bytes(back.data()), bytes(there.data()), direction::d2h);
  return back;
}

TEST(lifetime, of_a_context_is_longer_than_that_of_its_device) {
  const context gpu(*open_host_device());
  const context plain(*open_host_device(), allocation::plain);
  EXPECT_EQ((to_gpu(gpu, numbers) + 1.0F).get()(0), 3.0F);
  EXPECT_EQ((to_gpu(plain, numbers) + 1.0F).get()(0), 3.0F);
  EXPECT_EQ(gpu.device().description().kind, "host");
  EXPECT_EQ(context(gpu.device()).device().identity().state, gpu.device().identity().state);
}

TEST(lifetime, of_pools_is_longer_than_that_of_their_device) {
  auto device = open_host_device();
  device_pool pool(*device);
  const auto stream = device->create_stream();
  pinned_pool pinned(*device, *stream);
  device.reset();
  EXPECT_EQ(pool.allocate(100, *stream).size(), 100);
  EXPECT_EQ(pinned.allocate(100).size(), 100);
}

TEST(lifetime, of_contexts_of_a_device_does_not_end_their_pool) {
  auto device = open_host_device();
  const context first(*device);
  const context second(*device);
  device.reset();
  const context third(second.device());
  const auto block = first.device().shared_pool();
  EXPECT_EQ(block, second.device().shared_pool());
  EXPECT_EQ(block, third.device().shared_pool());
}

template <class Copier, class... Settings>
void outlives_its_device(const Settings&... settings) {
  auto device = open_host_device();
  Copier copier(*device, settings...);
  const auto same = device->share();
  device.reset();
  EXPECT_EQ(copied_by(
                [&](std::byte* dst, const std::byte* src, direction direction) {
                  copier.copy(dst, src, numbers.size() * sizeof(float), direction);
                },
                *same),
            numbers);
}

TEST(lifetime, of_copiers_is_longer_than_that_of_their_device) {
  outlives_its_device<staged_copier>(staging{});
  outlives_its_device<polite_copier>();
  outlives_its_device<prompt_copier>();
}

TEST(lifetime, of_a_pipeline_is_longer_than_that_of_its_device) {
  auto device = open_host_device();
  round_trip_pipeline pipeline(*device);
  device.reset();
  std::vector<float> back(numbers.size());
  pipeline.run(
      reinterpret_cast<std::byte*>(back.data()), reinterpret_cast<const std::byte*>(numbers.data()),
      numbers.size() * sizeof(float), [](stream&, std::byte*, std::size_t, std::size_t) {},
      sizeof(float));
  EXPECT_EQ(back, numbers);
}

TEST(lifetime, of_a_multipath_copier_is_longer_than_that_of_its_device) {
  auto device = open_host_device();
  auto helper = open_host_device();
  transfers::device* const helpers[] = {helper.get()};
  multipath_copier copier(*device, helpers, multipath{});
  const auto same = device->share();
  device.reset();
  helper.reset();
  EXPECT_EQ(copied_by(
                [&](std::byte* dst, const std::byte* src, direction direction) {
                  copier.copy(dst, src, numbers.size() * sizeof(float), direction);
                },
                *same),
            numbers);
}

/// Two devices of one program, as two GPUs are.
struct two_devices : testing::Test {
  static std::unique_ptr<device> open(int index) {
    host_device_options options;
    options.index = index;
    return open_host_device(options);
  }
  std::unique_ptr<device> first = open(0), second = open(1);
  context here{*first}, there{*second};
  std::unique_ptr<stream> stream_there = second->create_stream();
  gpu_array<float> array_there = to_gpu(there, numbers);
};

constexpr launch_shape one_thread{.grid = {1}, .block = {1}};

/// A kernel that has memory as its argument.
function nothing() {
  return host_function("nothing", [](const thread_index&, const float*) {});
}

std::string refusal(const std::function<void()>& work) {
  return bench_transfers::common::complaint_of<invalid_argument>(work, "accepted");
}

/// Each place where two objects meet.
TEST_F(two_devices, are_told_apart_wherever_their_objects_meet) {
  std::vector<float> host(numbers.size());
  auto array_here = zeros<float>(here, {numbers.size()});
  device_buffer<float> buffer_there(there, numbers.size());
  const auto other_there = to_gpu(there, numbers);
  device_buffer<std::byte> bytes_there(there, 100);
  const std::filesystem::path file = "/proc/self/exe";  // one that has enough bytes
  polite_copier polite(*first);
  staged_copier staged(*first, staging{});
  multipath_copier multiple(*first, {}, multipath{});
  file_copier files(*first);
  scattered_copy scattered(*first, here.stream());
  const std::vector<std::pair<const char*, std::function<void()>>> meetings{
      {"context(device, stream)", [&] { context(*first, *stream_there); }},
      {"context(device, stream), plain",
       [&] { context(*first, *stream_there, allocation::plain); }},
      {"context(device, pool)", [&] { context(*first, device_pool(*second)); }},
      {"context(device, stream, pool)",
       [&] { context(*first, *first->create_stream(), device_pool(*second)); }},
      {"context(device, stream, pool), stream",
       [&] { context(*first, *stream_there, device_pool(*first)); }},
      {"device_pool::allocate",
       [&] { static_cast<void>(device_pool(*first).allocate(100, *stream_there)); }},
      {"pinned_pool", [&] { pinned_pool(*first, *stream_there); }},
      {"scattered_copy", [&] { scattered_copy(*first, *stream_there); }},
      {"context::copy, h2d", [&] { here.copy(array_there, numbers); }},
      {"context::copy, d2h", [&] { here.copy(host, array_there); }},
      {"context::copy, h2d, buffer", [&] { here.copy(buffer_there, numbers); }},
      {"context::copy, d2d", [&] { here.copy(array_there, other_there); }},
      {"context::copy_async, h2d", [&] { here.copy_async(array_there, numbers); }},
      {"context::copy_async, d2h", [&] { here.copy_async(host, array_there); }},
      {"context::copy_async, d2d", [&] { here.copy_async(array_there, other_there); }},
      {"context::copy_or_enqueue", [&] { here.copy_or_enqueue(array_there, numbers); }},
      {"stream::copy, h2d", [&] { here.stream().copy(array_there, numbers); }},
      {"stream::copy, d2h", [&] { here.stream().copy(host, array_there); }},
      {"stream::copy, d2d", [&] { here.stream().copy(array_there, other_there); }},
      {"stream::copy_by_kernel, to",
       [&] { here.stream().copy_by_kernel(array_there, array_here); }},
      {"stream::copy_by_kernel, from",
       [&] { here.stream().copy_by_kernel(array_here, array_there); }},
      {"stream::clear", [&] { here.stream().clear(array_there); }},
      {"calculate", [&] { calculate(here.stream(), arithmetic::add, array_there, 1); }},
      {"device::copy, h2d", [&] { first->copy(array_there, numbers); }},
      {"device::copy, d2h", [&] { first->copy(host, array_there); }},
      {"function()", [&] { nothing()(here, one_thread, array_there); }},
      {"function::launch",
       [&] { nothing().launch(here.stream(), one_thread, std::array<argument, 1>{array_there}); }},
      {"call",
       [&] {
         call(
             here, [](const float*) {}, other_there);
       }},
      {"polite_copier::enqueue", [&] { polite.enqueue(here.stream(), array_there, numbers); }},
      {"polite_copier::enqueue, stream",
       [&] { polite.enqueue(*stream_there, array_there, numbers); }},
      {"copy_politely, h2d", [&] { copy_politely(here, array_there, numbers); }},
      {"copy_politely, d2h", [&] { copy_politely(here, host, array_there); }},
      {"copy_promptly, h2d", [&] { copy_promptly(here, array_there, numbers); }},
      {"copy_promptly, d2h", [&] { copy_promptly(here, host, array_there); }},
      {"staged_copier::copy, h2d", [&] { staged.copy(array_there, numbers); }},
      {"staged_copier::copy, d2h", [&] { staged.copy(host, array_there); }},
      {"context::stage_by",
       [&] { there.stage_by(std::make_shared<staged_copier>(*first, staging{})); }},
      {"multipath_copier::copy, h2d", [&] { multiple.copy(array_there, numbers); }},
      {"multipath_copier::copy, d2h", [&] { multiple.copy(host, array_there); }},
      {"file_copier::copy", [&] { files.copy(array_there, input_file(file)); }},
      {"file_copier::copy, path", [&] { files.copy(array_there, file); }},
      {"copy_file", [&] { copy_file(here, file, 0, array_there); }},
      {"scattered_copy::enqueue", [&] { scattered.enqueue({}, bytes_there, direction::h2d); }},
  };
  for (const auto& [place, meet] : meetings)
    EXPECT_THAT(refusal(meet), AllOf(HasSubstr("host:1"), HasSubstr("host:0"))) << place;
}

TEST_F(two_devices, of_one_name_are_told_apart) {
  const auto third = open(0);
  const auto stream = third->create_stream();
  EXPECT_THAT(refusal([&] { context(*first, *stream); }), HasSubstr("another device of this name"));
}

TEST_F(two_devices, copy_to_each_other) {
  auto array_here = zeros<float>(here, {numbers.size()});
  array_here.set(array_there);
  EXPECT_EQ(array_here.get()(0), 2.0F);
  there.copy(array_there, array_here);
  here.copy(array_there, array_here);
  const gpu_array<float> copy = array_there.copy(here);
  EXPECT_EQ(copy.get()(99), 2.0F);
}

TEST_F(two_devices, launch_with_each_other_s_memory_where_they_may_access_it) {
  EXPECT_FALSE(first->accesses(*second));
  ASSERT_TRUE(first->access_peer(*second));
  EXPECT_TRUE(first->accesses(*second));
  EXPECT_TRUE(here.device().accesses(there.device())) << "objects of a device share it";
  EXPECT_FALSE(second->accesses(*first));
  auto array_here = zeros<float>(here, {numbers.size()});
  EXPECT_EQ(refusal([&] {
              nothing()(here, one_thread, array_there);
              nothing().launch(here.stream(), one_thread, std::array<argument, 1>{array_there});
              here.stream().copy_by_kernel(array_here, array_there);
              here.stream().clear(array_there);
              calculate(here.stream(), arithmetic::add, array_there, 1);
              here.synchronize();
            }),
            "accepted");
  EXPECT_EQ(array_here.get()(0), 2.0F);
  EXPECT_EQ(array_there.get()(0), 1.0F);
}

/// As a new one may have the address of one that is no more.
TEST_F(two_devices, are_accessed_by_no_later_device) {
  for (int i = 0; i < 100; ++i) {
    const auto accessor = open(2);
    EXPECT_FALSE(accessor->accesses(*first)) << i;
    ASSERT_TRUE(accessor->access_peer(*first));
    EXPECT_TRUE(accessor->accesses(*first)) << i;
  }
}

}  // namespace
}  // namespace transfers::same_device_test
