#include "transfers/fast/prompt_copy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <numeric>
#include <span>
#include <thread>
#include <vector>

#include "tests/unit/transfers/counting_device.hpp"
#include "tests/unit/transfers/strict_copies.hpp"
#include "tests/unit/transfers/test_bytes.hpp"
#include "transfers/array/create.hpp"
#include "transfers/core/error.hpp"

namespace transfers::prompt_copy_test {
namespace {

constexpr std::size_t part = prompt_copier::largest_part;

class prompt_copies : public strict_copies {};

TEST_P(prompt_copies, move_exactly_the_bytes) {
  prompt_copier copier(device_);
  for (const auto direction : {direction::h2d, direction::d2h})
    for (const std::size_t bytes : {1UL, 7UL, 4096UL, part - 1, part, part + 1, 3 * part + 5})
      expect_exact(copier, bytes, direction);
}

TEST_P(prompt_copies, do_not_wait_for_other_streams) {
  prompt_copier copier(device_);
  std::vector<std::byte> host(1000);
  test_bytes(1).write_to(host);
  know(host);
  const auto on_device = device_.allocate(1000);  // which waits for all streams when it is freed
  const auto busy = device_.create_stream();
  std::promise<void> end;
  busy->call([held = end.get_future().share()] { held.wait(); });
  const auto behind = busy->record();
  copier.copy(on_device.data(), host.data(), 1000, direction::h2d);
  std::ranges::fill(host, std::byte{});
  copier.copy(host.data(), on_device.data(), 1000, direction::d2h);
  EXPECT_FALSE(behind->done());
  EXPECT_TRUE(test_bytes(1).are_in(host));
  end.set_value();
  busy->synchronize();
}

TEST_P(prompt_copies, take_turns_for_several_threads) {
  prompt_copier copier(device_);
  std::vector<std::byte> known(8 * part);
  test_bytes(5).write_to(known);
  know(known);
  const auto on_device = device_.allocate(known.size());
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < 4; ++i)
    threads.emplace_back([&, first = i * 2 * part] {
      for (int k = 0; k < 20; ++k)
        copier.copy(on_device.data() + first, known.data() + first, 2 * part, direction::h2d);
    });
  threads.clear();
  EXPECT_TRUE(test_bytes(5).are_in(std::span(on_device.data(), known.size())));
}

INSTANTIATE_TEST_SUITE_P(all, prompt_copies, testing::Values(memory::ordinary, memory::page_locked),
                         name_of_memory);

TEST(prompt_copier, goes_through_the_buffer_if_only_the_first_byte_is_page_locked) {
  strict_device device;
  prompt_copier copier(device);
  std::vector<std::byte> host(100);
  test_bytes(3).write_to(host);
  device.know(std::span(host).first(99));
  const auto on_device = device.allocate(100);
  copier.copy(on_device.data(), host.data(), 100, direction::h2d);
  EXPECT_TRUE(test_bytes(3).are_in(std::span(on_device.data(), 100)));
}

TEST(prompt_copier, does_nothing_for_no_bytes) {
  strict_device device;
  prompt_copier copier(device);
  EXPECT_NO_THROW(copier.copy(nullptr, nullptr, 0, direction::h2d));
}

TEST(prompt_copier, reports_each_operation_that_fails) {
  const auto failures = fail_each(failure::operation, [](counting_device& device) {
    std::vector<std::byte> host(2 * part);
    const auto on_device = device.allocate(2 * part);
    try {
      prompt_copier copier(device);
      copier.copy(on_device.data(), host.data(), host.size(), direction::h2d);
    } catch (const device_error&) {
      EXPECT_TRUE(device.counts().idle()) << "something was still under way";
      return false;
    }
    return true;
  });
  EXPECT_GE(failures, 1U);
}

TEST(copy_promptly, takes_elements_of_a_context) {
  const auto device = open_host_device();
  const context gpu(*device);
  std::vector<int> values(1000);
  std::iota(values.begin(), values.end(), 0);
  auto array = to_gpu(gpu, std::vector<int>(1000));
  gpu.synchronize();
  copy_promptly(gpu, array, values);
  std::vector<int> back(1000);
  copy_promptly(gpu, back, array);
  EXPECT_EQ(back, values);
  EXPECT_THROW(copy_promptly(gpu, array, std::vector<int>(999)), std::length_error);
}

}  // namespace
}  // namespace transfers::prompt_copy_test
