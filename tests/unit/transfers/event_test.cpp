// Order and times between the streams of host devices.
#include <array>
#include <chrono>
#include <latch>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/transfers/counting_device.hpp"
#include "transfers/core/device.hpp"
#include "transfers/core/error.hpp"

namespace transfers::event_test {
namespace {

class two_streams : public testing::Test {
 protected:
  std::unique_ptr<device> host = open_host_device();
  std::unique_ptr<stream> first = host->create_stream();
  std::unique_ptr<stream> second = host->create_stream();
};

/// Both streams append numbers by turns, to a list without a lock.
void expect_turns(stream& first, stream& second, int turns) {
  std::vector<int> list;
  for (int i = 0; i < turns; ++i) {
    first.call([&list, i] { list.push_back(2 * i); });
    second.wait(*first.record(event_timing::off));
    second.call([&list, i] { list.push_back(2 * i + 1); });
    first.wait(*second.record(event_timing::off));
  }
  first.synchronize();
  std::vector<int> expected(static_cast<std::size_t>(2 * turns));
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(list, expected);
}

TEST_F(two_streams, take_turns_by_events) { expect_turns(*first, *second, 1000); }

TEST_F(two_streams, take_turns_on_two_devices) {
  const auto other = open_host_device();
  expect_turns(*first, *other->create_stream(), 1000);
}

TEST_F(two_streams, record_an_event_again) {
  const auto event = first->record();
  event->wait();
  std::latch go(1);
  first->call([&] { go.wait(); });
  first->record_again(*event);
  EXPECT_FALSE(event->done());
  const auto later = first->record();
  go.count_down();
  event->wait();
  EXPECT_GE(later->time_since(*event).count(), 0);
}

TEST_F(two_streams, keep_what_an_event_has_when_it_is_recorded_again) {
  const auto event = first->record(event_timing::off);
  first->record_again(*event);
  const auto later = first->record();
  EXPECT_THROW(static_cast<void>(later->time_since(*event)), invalid_argument);
}

TEST_F(two_streams, take_turns_where_a_device_forwards_its_calls) {
  counting_device counting;
  expect_turns(*first, *counting.create_stream(), 100);
  EXPECT_TRUE(counting.counts().idle());
}

TEST_F(two_streams, wait_for_an_event_that_is_destroyed_before_it_is_reached) {
  std::latch go_on(1);
  bool first_done = false;
  bool in_order = false;
  first->call([&] {
    go_on.wait();
    first_done = true;
  });
  second->wait(*first->record());  // returns at once: the first stream is blocked
  second->call([&] { in_order = first_done; });
  const auto end = second->record();
  EXPECT_FALSE(end->done());
  go_on.count_down();
  end->wait();
  EXPECT_TRUE(in_order);
}

TEST_F(two_streams, wait_for_events_of_a_stream_that_ends) {
  bool called = false;
  first->call([&] { called = true; });
  const auto event = first->record();
  first.reset();
  second->wait(*event);
  bool in_order = false;
  second->call([&] { in_order = called; });
  second->synchronize();
  EXPECT_TRUE(in_order);
}

TEST_F(two_streams, hold_back_only_the_work_after_the_wait) {
  std::latch go_on(1);
  first->call([&] { go_on.wait(); });
  const auto blocked = first->record();
  bool earlier = false;
  second->call([&] { earlier = true; });
  const auto before = second->record();
  second->wait(*blocked);
  before->wait();
  EXPECT_TRUE(earlier);
  EXPECT_FALSE(blocked->done());
  go_on.count_down();
  second->synchronize();
  EXPECT_TRUE(blocked->done());
}

TEST_F(two_streams, may_wait_for_themselves_and_for_what_is_reached) {
  const auto own = first->record();
  first->wait(*own);
  own->wait();
  second->wait(*own);
  second->wait(*own);
  EXPECT_NO_THROW(first->synchronize());
  EXPECT_NO_THROW(second->synchronize());
}

TEST_F(two_streams, measure_at_least_the_time_of_what_lies_between) {
  using clock = std::chrono::steady_clock;
  clock::time_point left, arrived;
  const auto begin = first->record();
  first->call([&] { left = clock::now(); });
  second->wait(*first->record());
  second->call([&] { arrived = clock::now(); });
  const auto end = second->record();
  EXPECT_GE(end->time_since(*begin), arrived - left);
  EXPECT_EQ(begin->time_since(*end), -end->time_since(*begin));
  EXPECT_EQ(end->time_since(*end).count(), 0);
}

/// An event of another implementation.
class foreign_event final : public event {
 public:
  [[nodiscard]] bool done() const override { return true; }
  void wait() const override {}
  [[nodiscard]] std::chrono::duration<double, std::nano> time_since(
      const event& /*earlier*/) const override {
    return {};
  }
};

TEST_F(two_streams, refuse_times_of_events_without) {
  const auto timed = first->record();
  const auto timeless = first->record(event_timing::off);
  for (const auto& [later, earlier] :
       {std::pair(timed.get(), timeless.get()), std::pair(timeless.get(), timed.get())})
    EXPECT_THAT(
        ([later = later, earlier = earlier] { static_cast<void>(later->time_since(*earlier)); }),
        ThrowsMessage<std::invalid_argument>(
            AllOf(HasSubstr("event_timing::off"), Not(HasSubstr("\n")))));
}

TEST_F(two_streams, refuse_times_between_devices) {
  const auto other = open_host_device();
  const auto foreign_stream = other->create_stream();
  const auto own = first->record();
  const auto of_other = foreign_stream->record();
  const foreign_event foreign;
  for (const auto* const earlier : std::array<const event*, 2>{of_other.get(), &foreign})
    EXPECT_THAT([&] { static_cast<void>(own->time_since(*earlier)); },
                ThrowsMessage<std::invalid_argument>(
                    AllOf(HasSubstr("different devices"), Not(HasSubstr("\n")))));
}

TEST_F(two_streams, refuse_to_wait_for_events_of_another_kind_of_device) {
  EXPECT_THAT(
      [&] { first->wait(foreign_event()); },
      ThrowsMessage<std::invalid_argument>(AllOf(HasSubstr("host devices"), Not(HasSubstr("\n")))));
  EXPECT_NO_THROW(first->synchronize());
}

}  // namespace
}  // namespace transfers::event_test
