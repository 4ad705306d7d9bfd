#include "transfers/fast/mailbox.hpp"

#include <atomic>
#include <chrono>
#include <latch>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/common/complaint.hpp"
#include "tests/unit/transfers/counting_device.hpp"
#include "transfers/core/error.hpp"

namespace transfers::mailbox_test {
namespace {

/// So that neither timeout decides, however busy the machine is.
constexpr mailbox::limits patient{.idle = 24h, .answer = 24h};

mailbox::limits leaving_after(std::chrono::nanoseconds idle) {
  return {.idle = idle, .answer = patient.answer};
}

class mailbox_test : public testing::Test {
 protected:
  /// The echo service, which counts its launches.
  mailbox::service counted_echo() {
    return [this, echo = echo_service(host)](stream& stream, const mailbox_end& end) {
      ++launches;
      echo(stream, end);
    };
  }

  static void expect_echoes(mailbox& box, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i)
      ASSERT_EQ(box.exchange(i * 2654435761U), i * 2654435761U);
  }

  counting_device host;
  std::atomic<int> launches = 0;
};

TEST_F(mailbox_test, every_message_gets_its_answer) {
  mailbox box(host, counted_echo(), patient);
  expect_echoes(box, 100);
  EXPECT_EQ(launches, 1);
}

TEST_F(mailbox_test, the_same_message_twice_is_two_messages) {
  std::atomic<int> received = 0;
  mailbox box(
      host,
      [&](stream& stream, const mailbox_end& end) {
        stream.call([end, &received] {
          mailbox_on_host receiver(end);
          for (std::uint32_t message = 0; receiver.receive(message);)
            receiver.answer(static_cast<std::uint32_t>(++received));
        });
      },
      patient);
  EXPECT_EQ(box.exchange(7), 1U);
  EXPECT_EQ(box.exchange(7), 2U);
  EXPECT_EQ(box.exchange(7), 3U);
}

TEST_F(mailbox_test, memory_written_before_a_message_is_visible_in_both_directions) {
  std::vector<std::uint32_t> numbers(100);
  std::uint32_t sum = 0;
  mailbox box(
      host,
      [&](stream& stream, const mailbox_end& end) {
        stream.call([end, &numbers, &sum] {
          mailbox_on_host receiver(end);
          for (std::uint32_t count = 0; receiver.receive(count);) {
            sum = 0;
            for (std::uint32_t i = 0; i < count; ++i) sum += numbers[i];
            receiver.answer(count);
          }
        });
      },
      patient);
  for (std::uint32_t round = 0; round < 200; ++round) {
    for (auto& number : numbers) number = round;
    static_cast<void>(box.exchange(100));
    ASSERT_EQ(sum, 100 * round);
  }
}

TEST_F(mailbox_test, a_kernel_that_left_after_its_idle_timeout_is_launched_again) {
  mailbox box(host, counted_echo(), leaving_after(1ms));
  expect_echoes(box, 3);
  const auto before = launches.load();
  host.synchronize();  // returns because the kernel exits
  EXPECT_EQ(box.exchange(5), 5U);
  EXPECT_EQ(launches, before + 1);
  expect_echoes(box, 3);
}

TEST_F(mailbox_test, messages_at_the_moment_of_leaving_are_answered) {
  mailbox box(host, counted_echo(), leaving_after(200us));
  for (std::uint32_t i = 0; i < 100; ++i) {
    ASSERT_EQ(box.exchange(i), i);
    std::this_thread::sleep_for(std::chrono::microseconds(100 + 3 * i));
  }
}

TEST_F(mailbox_test, start_launches_once) {
  mailbox box(host, counted_echo(), patient);
  box.start();
  box.start();
  expect_echoes(box, 2);
  EXPECT_EQ(launches, 1);
}

TEST_F(mailbox_test, works_again_after_stop) {
  mailbox box(host, counted_echo(), patient);
  box.stop();  // before anything has begun
  for (int i = 0; i < 5; ++i) {
    expect_echoes(box, 10);
    box.stop();  // does not wait until the kernel leaves by itself
    EXPECT_TRUE(host.counts().idle());
  }
  box.start();
  expect_echoes(box, 10);
}

TEST_F(mailbox_test, its_end_ends_the_kernel) {
  {
    mailbox box(host, counted_echo(), patient);
    expect_echoes(box, 1);
  }
  host.synchronize();
  EXPECT_TRUE(host.counts().nothing_allocated());
}

template <class Work>
std::string complaint(Work&& work) {
  return bench_transfers::common::complaint_of<std::exception>(work, "nothing thrown");
}

TEST_F(mailbox_test, a_kernel_that_does_not_answer_is_an_error_in_time) {
  mailbox box(host,
              [](stream& stream, const mailbox_end& end) {
                stream.call([end] {
                  mailbox_on_host receiver(end);
                  for (std::uint32_t message = 0; receiver.receive(message);) {
                  }
                });
              },
              {.idle = patient.idle, .answer = 20ms});
  EXPECT_THAT(complaint([&] { box.exchange(1); }),
              HasSubstr("no answer from the kernel within 20 ms"));
  EXPECT_THROW(box.exchange(2), device_error);
}

TEST_F(mailbox_test, a_late_answer_is_not_taken_for_that_of_another_message) {
  std::latch given_up(1);
  mailbox box(host,
              [&](stream& stream, const mailbox_end& end) {
                stream.call([end, &given_up] {
                  mailbox_on_host receiver(end);
                  for (std::uint32_t message = 0; receiver.receive(message);) {
                    given_up.wait();
                    receiver.answer(message);
                  }
                });
              },
              {.idle = patient.idle, .answer = 10ms});
  EXPECT_THROW(box.exchange(1), device_error);
  given_up.count_down();
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
  mailbox box(host, [this](stream& stream, const mailbox_end&) {
    ++launches;
    stream.call([] {});
  });
  EXPECT_THAT(complaint([&] { box.exchange(1); }), HasSubstr("left without an answer"));
  EXPECT_LE(launches, 2);
}

TEST_F(mailbox_test, rethrows_what_a_service_throws) {
  mailbox box(host, [](stream& stream, const mailbox_end&) {
    stream.call([] { throw std::domain_error("cannot serve"); });
  });
  EXPECT_THAT(complaint([&] { box.exchange(1); }), HasSubstr("cannot serve"));
}

TEST_F(mailbox_test, fails_as_a_whole_or_works) {
  const auto failures = fail_each(failure::operation, [this](counting_device& failing) {
    mailbox box(failing, echo_service(failing), patient);
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
                          mailbox box(failing, echo_service(failing), patient);
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
      mailbox box(host, echo_service(host), leaving_after(1ms));
      expect_echoes(box, 50);
    });
}

}  // namespace
}  // namespace transfers::mailbox_test
