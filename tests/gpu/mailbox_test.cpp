#include "transfers/fast/mailbox.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/gpu/kernels_for_tests.hpp"
#include "tests/gpu/on_gpu.hpp"
#include "transfers/core/error.hpp"

namespace transfers::mailbox_test {
namespace {

using namespace std::chrono_literals;

class cuda_mailbox : public on_gpu {
 protected:
  static void expect_echoes(mailbox& box, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i)
      ASSERT_EQ(box.exchange(i * 2654435761U), i * 2654435761U);
  }
};

TEST_F(cuda_mailbox, every_message_gets_its_answer) {
  mailbox box(*gpu, echo_service(*gpu));
  expect_echoes(box, 20000);
}

TEST_F(cuda_mailbox, waits_for_the_device_end_when_the_kernel_leaves) {
  mailbox box(*gpu, echo_service(*gpu), {.idle = 20ms});
  expect_echoes(box, 10);
  gpu->synchronize();      // hangs unless the kernel leaves
  expect_echoes(box, 10);  // launched again
}

TEST_F(cuda_mailbox, messages_at_the_moment_of_leaving_are_answered) {
  mailbox box(*gpu, echo_service(*gpu), {.idle = 100us});
  for (std::uint32_t i = 0; i < 300; ++i) {
    ASSERT_EQ(box.exchange(i), i);
    std::this_thread::sleep_for(std::chrono::microseconds(50 + i));
  }
}

TEST_F(cuda_mailbox, stop_and_its_end_end_the_kernel) {
  {
    mailbox box(*gpu, echo_service(*gpu), {.idle = 24h});
    expect_echoes(box, 10);
    box.stop();
    gpu->synchronize();  // hangs unless the kernel leaves
    expect_echoes(box, 10);
  }
  gpu->synchronize();
}

TEST_F(cuda_mailbox, a_kernel_that_does_not_answer_is_an_error_in_time) {
  mailbox box(*gpu, silent_service(), {.idle = 30s, .answer = 20ms});
  EXPECT_THROW(box.exchange(1), device_error);
}

TEST_F(cuda_mailbox, a_kernel_that_leaves_at_once_is_an_error) {
  mailbox box(*gpu, absent_service());
  EXPECT_THROW(box.exchange(1), device_error);
}

/// The kernel adds up numbers that the host has written to mapped memory.
TEST_F(cuda_mailbox, mapped_memory_is_visible_in_both_directions) {
  const auto memory = gpu->allocate_host(4096, pinned(pin_flags::mapped));
  auto* const numbers = reinterpret_cast<std::uint32_t*>(memory.data());
  auto* const sum = numbers + 1000;
  mailbox box(*gpu, adding_service(reinterpret_cast<std::uint32_t*>(memory.on_device()), 1000));
  for (std::uint32_t round = 0; round < 2000; ++round) {
    for (std::uint32_t i = 0; i < 100; ++i) numbers[i] = round + i;
    ASSERT_EQ(box.exchange(100), 100U);
    ASSERT_EQ(*sum, 100 * round + 4950) << "in round " << round;
  }
}

}  // namespace
}  // namespace transfers::mailbox_test
