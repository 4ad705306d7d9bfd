#include "transfers/fast/mailbox.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/transfers/counting_device.hpp"
#include "transfers/core/error.hpp"

namespace transfers {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using clock = std::chrono::steady_clock;

class mailbox_test : public testing::Test {
 protected:
  /// The echo, counting how often it is launched.
  mailbox::service counted_echo() {
    return [this, echo = echo_service(on)](stream& in, const mailbox_end& end) {
      ++launches;
      echo(in, end);
    };
  }

  static void expect_echoes(mailbox& box, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i)
      ASSERT_EQ(box.exchange(i * 2654435761U), i * 2654435761U);
  }

  counting_device on;
  std::atomic<int> launches = 0;
};

TEST_F(mailbox_test, every_message_gets_its_answer) {
  mailbox box(on, counted_echo());
  expect_echoes(box, 3000);
  EXPECT_EQ(launches, 1);
}

TEST_F(mailbox_test, the_same_message_twice_is_two_messages) {
  std::atomic<int> received = 0;
  mailbox box(on, [&](stream& in, const mailbox_end& end) {
    in.call([end, &received] {
      mailbox_on_host there(end);
      for (std::uint32_t message = 0; there.receive(message);)
        there.answer(static_cast<std::uint32_t>(++received));
    });
  });
  EXPECT_EQ(box.exchange(7), 1U);
  EXPECT_EQ(box.exchange(7), 2U);
  EXPECT_EQ(box.exchange(7), 3U);
}

TEST_F(mailbox_test, memory_written_before_goes_along_both_ways) {
  std::vector<std::uint32_t> numbers(100);
  std::uint32_t sum = 0;
  mailbox box(on, [&](stream& in, const mailbox_end& end) {
    in.call([end, &numbers, &sum] {
      mailbox_on_host there(end);
      for (std::uint32_t count = 0; there.receive(count);) {
        sum = 0;
        for (std::uint32_t i = 0; i < count; ++i) sum += numbers[i];
        there.answer(count);
      }
    });
  });
  for (std::uint32_t round = 0; round < 200; ++round) {
    for (auto& one : numbers) one = round;
    static_cast<void>(box.exchange(100));
    ASSERT_EQ(sum, 100 * round);
  }
}

TEST_F(mailbox_test, a_kernel_that_left_because_nothing_came_is_launched_again) {
  mailbox box(on, counted_echo(), {.idle = 1ms});
  expect_echoes(box, 3);
  const auto before = launches.load();
  on.synchronize();  // returns because it leaves
  EXPECT_EQ(box.exchange(5), 5U);
  EXPECT_EQ(launches, before + 1);
  expect_echoes(box, 3);
}

TEST_F(mailbox_test, messages_at_the_moment_of_leaving_are_answered) {
  mailbox box(on, counted_echo(), {.idle = 200us});
  for (std::uint32_t i = 0; i < 100; ++i) {
    ASSERT_EQ(box.exchange(i), i);
    std::this_thread::sleep_for(std::chrono::microseconds(100 + 3 * i));
  }
}

TEST_F(mailbox_test, start_launches_once) {
  mailbox box(on, counted_echo());
  box.start();
  box.start();
  expect_echoes(box, 2);
  EXPECT_EQ(launches, 1);
}

TEST_F(mailbox_test, works_again_after_stop) {
  mailbox box(on, counted_echo(), {.idle = 10s});
  box.stop();  // before anything has begun
  for (int i = 0; i < 5; ++i) {
    expect_echoes(box, 10);
    const auto start = clock::now();
    box.stop();
    EXPECT_LT(clock::now() - start, 5s);
    EXPECT_TRUE(on.counts().idle());
  }
  box.start();
  expect_echoes(box, 10);
}

TEST_F(mailbox_test, its_end_ends_the_kernel) {
  const auto start = clock::now();
  {
    mailbox box(on, counted_echo(), {.idle = 30s});
    expect_echoes(box, 1);
  }
  on.synchronize();
  EXPECT_LT(clock::now() - start, 10s);
  EXPECT_TRUE(on.counts().nothing_allocated());
}

template <class Work>
std::string complaint(Work&& work) {
  try {
    work();
  } catch (const std::exception& caught) {
    return caught.what();
  }
  return "nothing thrown";
}

TEST_F(mailbox_test, a_kernel_that_does_not_answer_is_an_error_in_time) {
  mailbox box(on,
              [](stream& in, const mailbox_end& end) {
                in.call([end] {
                  mailbox_on_host there(end);
                  for (std::uint32_t message = 0; there.receive(message);) {
                  }
                });
              },
              {.idle = 30s, .answer = 20ms});
  const auto start = clock::now();
  EXPECT_THAT(complaint([&] { box.exchange(1); }),
              HasSubstr("no answer from the kernel within 20 ms"));
  EXPECT_THROW(box.exchange(2), device_error);
  EXPECT_LT(clock::now() - start, 5s);
}

TEST_F(mailbox_test, an_answer_that_comes_too_late_is_nobody_else_s) {
  std::atomic<bool> slow = true;
  mailbox box(on,
              [&](stream& in, const mailbox_end& end) {
                in.call([end, &slow] {
                  mailbox_on_host there(end);
                  for (std::uint32_t message = 0; there.receive(message);) {
                    if (slow.exchange(false)) std::this_thread::sleep_for(50ms);
                    there.answer(message);
                  }
                });
              },
              {.idle = 1s, .answer = 10ms});
  EXPECT_THROW(box.exchange(1), device_error);
  std::uint32_t answer = 0;
  while (answer == 0) {
    try {
      answer = box.exchange(2);
    } catch (const device_error&) {
    }
  }
  EXPECT_EQ(answer, 2U);
}

TEST_F(mailbox_test, a_kernel_that_leaves_at_once_is_an_error) {
  mailbox box(on, [this](stream& in, const mailbox_end&) {
    ++launches;
    in.call([] {});
  });
  EXPECT_THAT(complaint([&] { box.exchange(1); }), HasSubstr("left without an answer"));
  EXPECT_LE(launches, 2);
}

TEST_F(mailbox_test, what_a_service_throws_comes_out) {
  mailbox box(on, [](stream& in, const mailbox_end&) {
    in.call([] { throw std::domain_error("cannot serve"); });
  });
  EXPECT_THAT(complaint([&] { box.exchange(1); }), HasSubstr("cannot serve"));
}

TEST_F(mailbox_test, fails_as_a_whole_or_works) {
  const auto failures = fail_each(failure::operation, [this](counting_device& failing) {
    mailbox box(failing, echo_service(failing), {.idle = 30s});
    try {
      EXPECT_EQ(box.exchange(4), 4U);
      box.stop();
      return true;
    } catch (const device_error&) {
      EXPECT_EQ(box.exchange(5), 5U);
      return false;
    }
  });
  EXPECT_EQ(failures, 3U);  // launch, record, wait
  EXPECT_EQ(fail_each(failure::allocation,
                      [](counting_device& failing) {
                        try {
                          mailbox box(failing, echo_service(failing));
                          return box.exchange(1) == 1;
                        } catch (const out_of_memory&) {
                          return false;
                        }
                      }),
            1U);
}

TEST_F(mailbox_test, several_work_at_once) {
  std::vector<std::jthread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([this] {
      mailbox box(on, echo_service(on), {.idle = 1ms});
      expect_echoes(box, 200);
    });
}

}  // namespace
}  // namespace transfers
