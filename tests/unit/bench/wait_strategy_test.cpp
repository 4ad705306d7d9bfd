
#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <string>

#include "bench/subjects/waits.hpp"
#include "tests/basics.hpp"
#include "tests/unit/bench/host_session.hpp"
#include "tests/unit/transfers/counting_device.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench::wait_strategy_test {
namespace {

using subjects::schedule_flag;

const std::vector<std::string> on_any_device{"blocking_event", "host_function", "polling",
                                             "write_value"};

TEST_F(host_session, waits_are_described_or_say_why_not) {
  chosen.strategies = {"wait"};
  chosen.sizes = {4 * kib};
  chosen.own_sizes = true;
  const auto all = make_plan(strategies, *device, chosen);
  for (const auto& described : all.cases) {
    EXPECT_EQ(described.strategy, "wait/" + described.method.value_or(""));
    EXPECT_EQ(described.memory, "pinned");
    EXPECT_EQ(described.role, "wait");
    EXPECT_EQ(described.direction, described.variant == "h2d" ? result_file::direction::h2d
                                                              : result_file::direction::d2h);
  }
  for (const auto& skipped : all.skipped) {
    EXPECT_EQ(skipped.reason.code, "unsupported");
    EXPECT_THAT(skipped.reason.text, HasSubstr("the host device has none"));
  }
}

TEST_F(host_session, waits_are_timed_in_turn_with_the_plain_one) {
  chosen.strategies.clear();
  for (const auto& method : on_any_device) chosen.strategies.push_back("wait/" + method);
  EXPECT_THAT(run_session().failures, IsEmpty());
  EXPECT_EQ(left_wrong, 0U);
  for (const auto& row : rows.content().at("benchmarks")) {
    SCOPED_TRACE(row.dump());
    EXPECT_GT(row.at("synchronize_ns"), 0);
    EXPECT_TRUE(row.contains("over_synchronize_ns"));
    EXPECT_TRUE(row.contains("cores"));
    EXPECT_EQ(row.at("batch"), 1);
    const bool is_called = row.at("name").get<std::string>().starts_with("wait/host_function/");
    ASSERT_EQ(row.contains("until_called_ns"), is_called);
    if (is_called) {
      EXPECT_GT(row.at("until_called_ns"), 0);
    }
  }
}

/// The flags of a device, as the driver would keep them.
struct made_up_flags {
  unsigned value;
  bool are_taken = true, can_be_written = true;

  subjects::flag_access access() {
    return {[this] { return value; },
            [this](unsigned flags) {
              if (!can_be_written) throw transfers::device_error("not now", false);
              if (are_taken) value = flags;
            }};
  }
};

TEST(schedule_flags, are_set_alone_and_taken_back) {
  constexpr unsigned other_flag = 8, auto_and_other = other_flag, spin_and_other = other_flag | 1;
  const std::map<std::string, unsigned> numbers_in_cuda{
      {"spin", 1}, {"yield", 2}, {"blocking_sync", 4}};
  for (const auto before : {auto_and_other, spin_and_other})
    for (const auto flag :
         {schedule_flag::spin, schedule_flag::yield, schedule_flag::blocking_sync}) {
      SCOPED_TRACE(to_string(flag));
      made_up_flags flags{before};
      const auto chosen = schedule_by(flags.access(), flag);
      EXPECT_EQ(flags.value, before) << "not before they are chosen";
      chosen.choose();
      EXPECT_EQ(flags.value, other_flag | numbers_in_cuda.at(to_string(flag)));
      chosen.restore();
      EXPECT_EQ(flags.value, before);
    }
}

TEST(schedule_flags, that_a_device_does_not_take_are_an_error) {
  made_up_flags flags{.value = 1, .are_taken = false};
  EXPECT_NO_THROW(schedule_by(flags.access(), schedule_flag::spin).choose()) << "it has that flag";
  EXPECT_THROW(schedule_by(flags.access(), schedule_flag::blocking_sync).choose(),
               transfers::device_error);
}

TEST(schedule_flags, of_a_device_that_has_failed_are_left_as_they_are) {
  made_up_flags flags{8};
  const auto chosen = schedule_by(flags.access(), schedule_flag::yield);
  flags.can_be_written = false;
  EXPECT_THROW(chosen.choose(), transfers::device_error);
  EXPECT_NO_THROW(chosen.restore());
}

/// Single operations of one strategy.
template <class Device>
class waited_copy {
 public:
  explicit waited_copy(const std::string& method) {
    memory_.reserve_host(transfers::pinned(), bytes);
    memory_.reserve_device(bytes);
    operation_ = find_strategy("wait/" + method).prepare({device, memory_, *stream_, "d2h", bytes});
  }

  void run() { run_steps(operation_); }
  void clear_destination() { std::memset(destination(), 0, bytes); }
  [[nodiscard]] bool has_arrived() {
    return check_host_pattern(destination(), 0, bytes, memory_.pattern()).wrong_bytes == 0;
  }
  void synchronize() { stream_->synchronize(); }

  static constexpr std::size_t bytes = 4 * kib;
  Device device;

 private:
  [[nodiscard]] std::byte* destination() const { return operation_.destination.value().data; }

  buffers memory_{device, 7};
  std::unique_ptr<transfers::stream> stream_ = device.create_stream();
  transfer operation_;
};

class wait_by : public testing::TestWithParam<std::string> {};

TEST_P(wait_by, returns_when_the_data_have_arrived) {
  waited_copy<transfers::counting_device> copy(GetParam());
  copy.device.counts().slowed_by = 2ms;
  for (int again = 0; again < 3; ++again) {
    copy.clear_destination();
    copy.run();
    EXPECT_TRUE(copy.has_arrived());
  }
}

TEST_P(wait_by, that_fails_is_an_exception) {
  waited_copy<transfers::counting_device> copy(GetParam());
  for (std::size_t which = 1; which <= 2; ++which) {
    copy.device.counts().failing_operation = copy.device.counts().operations + which;
    EXPECT_THROW(copy.run(), transfers::device_error) << which;
    copy.synchronize();
  }
  copy.run();
  EXPECT_TRUE(copy.has_arrived());
}

INSTANTIATE_TEST_SUITE_P(methods, wait_by, testing::ValuesIn(on_any_device),
                         [](const auto& instance) { return instance.param; });

/// A stream that calls no function, as one of a CUDA device that has failed.
class deaf_stream : public transfers::counting_stream {
 public:
  using counting_stream::counting_stream;
  void call(std::function<void()> /*function*/) override {}
};

class wait_for_signal : public testing::TestWithParam<const char*> {};

TEST_P(wait_for_signal, ends_with_an_error_if_the_signal_never_comes) {
  waited_copy<transfers::device_with<deaf_stream>> copy(GetParam());
  EXPECT_THAT([&] { copy.run(); }, ThrowsMessage<transfers::device_error>(
                                       HasSubstr("its signal has not reached the host")));
}

INSTANTIATE_TEST_SUITE_P(methods, wait_for_signal, testing::Values("host_function", "write_value"),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace bench_transfers::bench::wait_strategy_test
