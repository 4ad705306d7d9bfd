#include "bench/cpu/traffic.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>

#include "tests/basics.hpp"
#include "transfers/array/buffer.hpp"

namespace bench_transfers::bench::traffic_test {
namespace {

using cpu::heartbeat;
using cpu::pace;
using cpu::traffic;
using cpu::traffic_kind;

constexpr std::size_t piece = 64 << 10;
constexpr double full_rate = 8e9;
constexpr pace::time per_piece(piece / full_rate * 1e9);

/// A thread that moves pieces by a clock of its own.
class paced_work {
 public:
  explicit paced_work(double bytes_per_second) : pace_(bytes_per_second, clock_) {}

  /// The bytes moved until the time has passed.
  double move_for(pace::time time) {
    double moved = 0;
    for (const auto end = clock_ + time; clock_ < end;) {
      clock_ += per_piece;
      moved += piece;
      pace_.moved(piece, clock_);
      clock_ = std::max(clock_, pace_.next());
    }
    return moved;
  }
  void be_held_up(pace::time time) { clock_ += time; }

 private:
  pace::time clock_ = 5s;
  pace pace_;
};

TEST(pace, gives_the_share_that_was_asked_for) {
  for (const double percent : {1, 25, 50, 75, 99}) {
    paced_work work(full_rate * percent / 100);
    EXPECT_NEAR(work.move_for(1s) / full_rate, percent / 100, 0.001) << percent;
  }
}

TEST(pace, does_not_hold_up_work_without_a_limit) {
  paced_work work(traffic::unlimited);
  EXPECT_NEAR(work.move_for(1s), full_rate, 2 * piece);
}

TEST(pace, is_missed_by_threads_that_cannot_reach_it) {
  paced_work work(2 * full_rate);
  EXPECT_NEAR(work.move_for(1s), full_rate, 2 * piece);
}

TEST(pace, makes_up_for_short_interruptions_and_no_others) {
  constexpr double rate = full_rate / 2;
  paced_work work(rate);
  const auto ms_of_work = [&] { return work.move_for(10ms) / (rate * 10e-3); };
  EXPECT_NEAR(ms_of_work(), 1, 0.01);
  work.be_held_up(500us);
  EXPECT_NEAR(ms_of_work(), 1.05, 0.01);
  EXPECT_NEAR(ms_of_work(), 1, 0.01);
  work.be_held_up(10s);
  EXPECT_NEAR(ms_of_work(), 1.1, 0.01) << "a millisecond's worth, no burst of seconds";
  EXPECT_NEAR(ms_of_work(), 1, 0.01);
}

TEST(heartbeat, misses_where_the_thread_was_kept_from_work) {
  heartbeat heart;
  pace::time now = 7s;
  heart.begin(now);
  for (int i = 0; i < 100; ++i) heart.beat(now += 200us);
  EXPECT_EQ(heart.misses(), 0U);
  EXPECT_FALSE(heart.is_missing(now + 200us));
  EXPECT_TRUE(heart.is_missing(now + 300us)) << "before the thread itself can tell";
  heart.beat(now += 3ms);
  EXPECT_EQ(heart.misses(), 1U);
  EXPECT_FALSE(heart.is_missing(now));
}

TEST(heartbeat, does_not_count_the_time_between_two_works) {
  heartbeat heart;
  heart.begin(1s);
  heart.beat(1s + 10us);
  heart.begin(9s);
  heart.beat(9s + 10us);
  EXPECT_EQ(heart.misses(), 0U);
}

class every_traffic : public testing::TestWithParam<traffic_kind> {
 protected:
  every_traffic() { std::ranges::fill(memory, std::byte{3}); }

  transfers::host_buffer<std::byte> memory{8 * piece, cpu::line};
};

TEST_P(every_traffic, moves_bytes_only_between_start_and_stop) {
  traffic moving(GetParam(), memory, 2);
  EXPECT_EQ(moving.threads(), 2U);
  EXPECT_EQ(moving.bytes(), 0U);
  moving.stop();
  EXPECT_EQ(moving.bytes(), 0U);
  for (int i = 0; i < 3; ++i) {
    const auto before = moving.bytes();
    moving.start(traffic::unlimited);
    moving.wait_for(10 * piece);
    moving.stop();
    const auto after = moving.bytes();
    EXPECT_GE(after, before + 10 * piece);
    EXPECT_EQ(after % moving.bytes_of_piece(), 0U);
    EXPECT_EQ(moving.bytes(), after);
  }
}

TEST_P(every_traffic, has_a_rate) {
  traffic moving(GetParam(), memory, 2);
  EXPECT_GT(moving.measure_rate(), 0);
  const auto after = moving.bytes();
  EXPECT_GT(after, 0U);
  EXPECT_EQ(moving.bytes(), after) << "it waits again";
}

TEST_P(every_traffic, ends_while_its_threads_work) {
  traffic moving(GetParam(), memory, 2);
  moving.start(1);  // a byte a second: they wait for their second piece
}

TEST_P(every_traffic, changes_no_memory_but_its_own) {
  const auto own = std::span(memory).subspan(2 * piece, 4 * piece);
  {
    traffic moving(GetParam(), own, 2);
    moving.start(traffic::unlimited);
    moving.wait_for(40 * piece);
  }
  const auto is_intact = [](std::byte byte) { return byte == std::byte{3}; };
  EXPECT_TRUE(std::ranges::all_of(std::span(memory).first(2 * piece), is_intact));
  EXPECT_TRUE(std::ranges::all_of(std::span(memory).last(2 * piece), is_intact));
}

std::string name_of(const testing::TestParamInfo<traffic_kind>& info) {
  return to_string(info.param);
}
INSTANTIATE_TEST_SUITE_P(kinds, every_traffic,
                         testing::Values(traffic_kind::read, traffic_kind::write,
                                         traffic_kind::copy),
                         name_of);

TEST(traffic, needs_memory_for_each_thread) {
  transfers::host_buffer<std::byte> buffer(5 * piece, cpu::line);
  const auto memory = std::span(buffer).first(4 * piece);
  EXPECT_NO_THROW(traffic(traffic_kind::read, memory, 2));
  EXPECT_THROW(traffic(traffic_kind::read, memory, 3), std::invalid_argument);
  EXPECT_THROW(traffic(traffic_kind::read, memory, 0), std::invalid_argument);
  EXPECT_THROW(traffic(traffic_kind::read, std::span(buffer).subspan(8), 2), std::invalid_argument);
}

}  // namespace
}  // namespace bench_transfers::bench::traffic_test
