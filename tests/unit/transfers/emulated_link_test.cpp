#include "transfers/host/emulated_link.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/transfers/moved_clock.hpp"

namespace transfers::emulated_link_test {
namespace {

using std::chrono::nanoseconds;

constexpr link_description full_duplex{"test", 1e9, 1e9, 0};  // a byte per nanosecond

/// A clock of one thread, which advances only when the thread sleeps, and always sleeps too long.
class oversleeping_clock {
 public:
  explicit oversleeping_clock(nanoseconds too_long) : too_long_(too_long) {}
  [[nodiscard]] emulated_link::link_clock functions() {
    return {.now = [this] { return now; },
            .sleep_until = [this](nanoseconds end) { now = std::max(now, end) + too_long_; }};
  }
  nanoseconds now{1'000'000'000};

 private:
  nanoseconds too_long_;
};

void copy(emulated_link& link, emulated_link::copy_sequence& sequence, std::size_t bytes,
          direction direction = direction::h2d) {
  link.begin(sequence, bytes, direction).finish();
}

class link_of_sleepers : public testing::TestWithParam<nanoseconds> {
 protected:
  oversleeping_clock clock{GetParam()};
  emulated_link link{full_duplex, clock.functions()};
  emulated_link::copy_sequence sequence;

  /// The time of consecutive copies.
  [[nodiscard]] nanoseconds time(int copies, std::size_t bytes) {
    const auto begin = clock.now;
    for (int i = 0; i < copies; ++i) copy(link, sequence, bytes);
    return clock.now - begin;
  }
};

TEST_P(link_of_sleepers, keeps_its_rate_whatever_the_size_of_copies) {
  // The last sleep and the rounding of its end may add to the time.
  const auto slack = static_cast<double>((GetParam() + 5ns).count());
  EXPECT_NEAR(static_cast<double>(time(1000, 100'000).count()), 1e8, slack);
  EXPECT_NEAR(static_cast<double>(time(1, 100'000'000).count()), 1e8, slack);
  EXPECT_NEAR(static_cast<double>(time(100'000, 1000).count()), 1e8, slack);
  EXPECT_NEAR(static_cast<double>(time(1'000'000, 4).count()), 4e6, slack);
}

TEST_P(link_of_sleepers, saves_nothing_up_when_it_is_idle) {
  copy(link, sequence, 1000);
  clock.now += 1s;
  emulated_link::copy_sequence fresh;
  const auto begin = clock.now;
  copy(link, fresh, 50'000'000);
  EXPECT_GE(clock.now - begin, 50ms);
  EXPECT_LE(clock.now - begin, 50ms + GetParam() + 5ns);
}

TEST_P(link_of_sleepers, tells_times_without_delays) {
  const auto begin = link.time_of(sequence);
  for (int i = 0; i < 10; ++i) copy(link, sequence, 10'000'000);
  EXPECT_NEAR((link.time_of(sequence) - begin).count(), 1e8, 1);
}

TEST_P(link_of_sleepers, goes_on_where_another_sequence_ended) {
  const auto begin = link.time_of(sequence);
  copy(link, sequence, 10'000'000);
  auto second = link.ended_at(link.time_of(sequence));
  EXPECT_NEAR((link.time_of(second) - begin).count(), 1e7, 1);
  copy(link, second, 10'000'000);
  EXPECT_NEAR((link.time_of(second) - begin).count(), 2e7, 1);
  // A later time cannot have come yet.
  EXPECT_LE(link.time_of(link.ended_at(link.time_of(second) + 5s)),
            link.time_of(emulated_link::copy_sequence()));
}

INSTANTIATE_TEST_SUITE_P(oversleeping, link_of_sleepers,
                         testing::Values(0ns, 1ns, 999ns, 60us, 300us, 990us),
                         [](const auto& instance) {
                           return std::to_string(instance.param.count()) + "_ns";
                         });

TEST(emulated_link, credits_a_thread_that_was_away_with_a_millisecond_only) {
  oversleeping_clock clock(1s);
  emulated_link link(full_duplex, clock.functions());
  emulated_link::copy_sequence sequence;
  copy(link, sequence, 1'000'000);  // wakes up a second late
  const auto late = clock.now;
  copy(link, sequence, 800'000);  // the credit covers it
  EXPECT_EQ(clock.now, late);
  copy(link, sequence, 400'000);  // the credit covers half of it
  EXPECT_GT(clock.now, late);
}

TEST(emulated_link, lets_copies_take_longer_than_the_link) {
  oversleeping_clock clock(0ns);
  emulated_link link(full_duplex, clock.functions());
  emulated_link::copy_sequence sequence;
  auto slow = link.begin(sequence, 1000, direction::h2d);
  clock.now += 1ms;  // memcpy
  const auto begin = clock.now;
  slow.finish();
  EXPECT_EQ(clock.now, begin);
  copy(link, sequence, 100'000);  // without credit for the slow memcpy
  EXPECT_GE(clock.now - begin, 100us);
}

TEST(emulated_link, takes_no_longer_for_copies_that_are_given_up) {
  oversleeping_clock clock(0ns);
  emulated_link link(full_duplex, clock.functions());
  emulated_link::copy_sequence sequence;
  { const auto given_up = link.begin(sequence, 1'000'000'000, direction::h2d); }
  const auto begin = clock.now;
  copy(link, sequence, 1000);
  EXPECT_LE(clock.now - begin, 1005ns);
}

TEST(emulated_link, has_no_limit_where_the_rate_is_0) {
  oversleeping_clock clock(0ns);
  emulated_link link({"one way", 0, 1e9, 0}, clock.functions());
  emulated_link::copy_sequence sequence;
  const auto begin = clock.now;
  copy(link, sequence, std::size_t{1} << 40, direction::h2d);
  EXPECT_EQ(clock.now, begin);
  copy(link, sequence, 1000, direction::d2h);
  EXPECT_GE(clock.now - begin, 1us);
}

TEST(emulated_link, refuses_invalid_rates) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double rate : {-1.0, infinity, std::nan("")}) {
    EXPECT_THROW(emulated_link({"bad", rate, 1, 0}), std::invalid_argument) << rate;
    EXPECT_THROW(emulated_link({"bad", 1, rate, 0}), std::invalid_argument) << rate;
    EXPECT_THROW(emulated_link({"bad", 1, 1, rate}), std::invalid_argument) << rate;
  }
}

/// Threads that copy concurrently.
class link_of_threads : public testing::Test {
 protected:
  struct copies {
    int count;
    std::size_t bytes;
    transfers::direction direction = transfers::direction::h2d;
  };
  /// The time at which each thread has finished its copies.
  std::vector<nanoseconds> ends_of(emulated_link& link, const std::vector<copies>& all,
                                   nanoseconds late = {}) {
    return ends_of_threads(
        all.size(),
        [&](std::size_t i) {
          emulated_link::copy_sequence sequence;
          for (int turn = 0; turn < all[i].count; ++turn)
            copy(link, sequence, all[i].bytes, all[i].direction);
        },
        late);
  }

  template <class Work>
  std::vector<nanoseconds> ends_of_threads(std::size_t count, const Work& work, nanoseconds late) {
    std::vector<nanoseconds> ends(count);
    clock.expect(count);
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < count; ++i)
      threads.emplace_back([&, i] {
        work(i);
        ends[i] = clock.now();
        clock.leave();
      });
    clock.run(late);
    return ends;
  }

  static void expect_near(nanoseconds time, nanoseconds expected) {
    EXPECT_NEAR(static_cast<double>(time.count()), static_cast<double>(expected.count()),
                0.01 * static_cast<double>(expected.count()));
  }

  moved_clock clock;
};

TEST_F(link_of_threads, is_shared_fairly_by_large_and_small_copies) {
  emulated_link link(full_duplex, clock.functions());
  for (const auto end :
       ends_of(link, {{1000, 10'000}, {100, 100'000}, {10, 1'000'000}, {1, 10'000'000}}))
    expect_near(end, 40ms);
}

TEST_F(link_of_threads, keeps_its_rate_for_all_together_when_they_wake_up_late) {
  emulated_link link(full_duplex, clock.functions());
  const auto ends = ends_of(link, {{1000, 10'000}, {1000, 10'000}, {1000, 10'000}}, 3us);
  const auto last = *std::max_element(ends.begin(), ends.end());
  expect_near(last, 30ms);
  EXPECT_GE(last, 30ms);
}

TEST_F(link_of_threads, moves_both_directions_at_once) {
  emulated_link link(full_duplex, clock.functions());
  for (const auto end :
       ends_of(link, {{100, 100'000, direction::h2d}, {100, 100'000, direction::d2h}}))
    expect_near(end, 10ms);
}

TEST_F(link_of_threads, moves_both_directions_as_fast_as_their_common_limit) {
  emulated_link link({"half duplex", 1e9, 1e9, 1.25e9}, clock.functions());
  for (const auto end :
       ends_of(link, {{100, 100'000, direction::h2d}, {100, 100'000, direction::d2h}}))
    expect_near(end, 16ms);
}

/// Two devices behind links of their own and a common switch, and one that is not behind it.
class network_of_threads : public link_of_threads {
 protected:
  std::vector<nanoseconds> ends_of_paths(const std::vector<std::vector<std::size_t>>& paths,
                                         std::size_t bytes, nanoseconds late = {}) {
    return ends_of_threads(
        paths.size(),
        [&](std::size_t i) {
          const auto link = network.path(paths[i]);
          emulated_link::copy_sequence sequence;
          for (int turn = 0; turn < 100; ++turn) copy(*link, sequence, bytes / 100);
        },
        late);
  }

  static link_description link(const char* name, double rate) { return {name, rate, rate, 0}; }
  emulated_network network{
      {link("gpu0", 4e9), link("gpu1", 4e9), link("gpu2", 4e9), link("switch", 6e9)},
      clock.functions()};
};

TEST_F(network_of_threads, has_the_least_rate_of_a_path) {
  expect_near(ends_of_paths({{0, 3}}, 40'000'000)[0], 10ms);
  const auto path = network.path({0, 3});
  EXPECT_EQ(path->description().name, "gpu0@switch");
  EXPECT_EQ(path->description().h2d_bytes_per_second, 4e9);
  EXPECT_EQ(path->description().both_bytes_per_second, 0);
  ASSERT_EQ(path->links().size(), 2U);
  EXPECT_EQ(path->links()[1].name, "switch");
}

TEST_F(network_of_threads, shares_what_paths_have_in_common) {
  for (const auto end : ends_of_paths({{0, 3}, {1, 3}}, 30'000'000)) expect_near(end, 10ms);
}

TEST_F(network_of_threads, leaves_paths_alone_that_have_nothing_in_common) {
  const auto ends = ends_of_paths({{0, 3}, {1, 3}, {2}}, 30'000'000);
  expect_near(ends[0], 10ms);
  expect_near(ends[1], 10ms);
  expect_near(ends[2], 7500us);
}

TEST_F(network_of_threads, credits_late_threads_with_links_of_their_own) {
  // Each wakes up 20 us late after every copy of 100 us.
  for (const auto end : ends_of_paths({{0}, {1}, {2}}, 40'000'000, 20us)) expect_near(end, 10ms);
}

TEST_F(network_of_threads, refuses_paths_of_other_links) {
  for (const std::vector<std::size_t>& path : {std::vector<std::size_t>{}, {4}, {0, 0}})
    EXPECT_THROW(static_cast<void>(network.path(path)), std::invalid_argument);
  EXPECT_THROW(emulated_network({link("bad", -1)}), std::invalid_argument);
}

TEST_F(network_of_threads, tells_links_of_one_clock_apart_from_others) {
  const auto first = network.path({0});
  EXPECT_TRUE(first->shares_clock(*network.path({1})));
  EXPECT_FALSE(first->shares_clock(emulated_link(full_duplex)));
}

TEST(emulated_network, shares_a_common_limit_of_both_directions) {
  oversleeping_clock clock(0ns);
  emulated_network network({{"gpu", 1e9, 1e9, 0}, {"switch", 0, 0, 1e9}}, clock.functions());
  const auto path = network.path({0, 1});
  EXPECT_EQ(path->description().both_bytes_per_second, 1e9);
  emulated_link::copy_sequence up, down;
  auto upload = path->begin(up, 1'000'000, direction::h2d);
  auto download = path->begin(down, 1'000'000, direction::d2h);
  const auto begin = clock.now;
  upload.finish();
  download.finish();
  EXPECT_NEAR(static_cast<double>((clock.now - begin).count()), 2e6, 10);
}

}  // namespace
}  // namespace transfers::emulated_link_test
