#include "transfers/fast/prompt_copy.hpp"

#include <gtest/gtest.h>

#include <span>
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
  expect_no_wait_for_other_streams<prompt_copier>();
}

TEST_P(prompt_copies, take_turns_for_several_threads) {
  expect_turns_of_threads<prompt_copier>(2 * part);
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
  expect_copies_of_elements([](const context& gpu, auto& destination, auto&& source) {
    copy_promptly(gpu, destination, source);
  });
}

}  // namespace
}  // namespace transfers::prompt_copy_test
