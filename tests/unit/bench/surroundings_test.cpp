#include "bench/harness/surroundings.hpp"

#include <sched.h>

#include <vector>

#include "tests/basics.hpp"

namespace bench_transfers::bench::surroundings_test {
namespace {

using result_file::disturbance;
using std::chrono::nanoseconds;

/// Two check clocks, read exactly at the moment of the wall clock.
readings at(nanoseconds time) {
  readings now;
  now.wall = time;
  now.check_clocks = {{time, time}, {time + 5h, time + 5h}};
  now.cpus = 4;
  return now;
}

std::set<disturbance> between(const readings& before, const readings& after) {
  return disturbances_between(before, after, before.cpus);
}

TEST(disturbances_between, are_none_while_nothing_happens) {
  EXPECT_THAT(between(at(0s), at(2s)), IsEmpty());
  EXPECT_THAT(between(readings{}, readings{}), IsEmpty());
}

TEST(disturbances_between, has_stops) {
  auto after = at(1s);
  after.stops = 1;
  EXPECT_THAT(between(at(0s), after), ElementsAre(disturbance::stopped));
}

TEST(disturbances_between, has_cpus_that_are_fewer_than_at_the_start_of_the_run) {
  auto after = at(1s);
  after.cpus = 3;
  EXPECT_THAT(between(at(0s), after), ElementsAre(disturbance::fewer_cpus));
  EXPECT_THAT(disturbances_between(at(0s), at(1s), 5), ElementsAre(disturbance::fewer_cpus));
  EXPECT_THAT(disturbances_between(at(0s), at(1s), 3), IsEmpty());
  after.cpus = 0;  // not known
  EXPECT_THAT(between(at(0s), after), IsEmpty());
}

TEST(disturbances_between, tells_a_clock_that_is_slower_or_faster_than_either_other_one) {
  for (const std::size_t other : {0, 1}) {
    for (const auto& [wall, expected] :
         std::vector<std::pair<nanoseconds, disturbance>>{{0s, disturbance::clock_stood_still},
                                                          {950ms, disturbance::clock_stood_still},
                                                          {1050ms, disturbance::clock_jumped},
                                                          {1000s, disturbance::clock_jumped},
                                                          {-1ms, disturbance::clock_jumped}}) {
      const auto before = at(10s);
      auto after = at(11s);
      after.wall = before.wall + wall;
      after.check_clocks[1 - other] = {before.check_clocks[1 - other].earliest + wall,
                                       before.check_clocks[1 - other].latest + wall};
      EXPECT_THAT(between(before, after), ElementsAre(expected)) << wall.count();
    }
  }
}

TEST(disturbances_between, lets_clocks_differ_by_what_adjustments_do) {
  for (const auto wall : {990ms, 1010ms}) {
    auto after = at(1s);
    after.wall = wall;
    EXPECT_THAT(between(at(0s), after), IsEmpty()) << wall.count();
  }
}

TEST(disturbances_between, a_clock_that_does_not_move_is_seen_in_short_times_too) {
  auto after = at(100us);
  after.wall = 0s;
  EXPECT_THAT(between(at(0s), after), ElementsAre(disturbance::clock_stood_still));
}

TEST(disturbances_between, a_reading_that_the_scheduler_interrupted_is_no_jump) {
  auto late = at(1s);
  for (auto& clock : late.check_clocks) clock.latest += 300ms;
  EXPECT_THAT(between(at(0s), late), IsEmpty());
  auto wall_was_late = late;
  wall_was_late.wall += 300ms;
  EXPECT_THAT(between(at(0s), wall_was_late), IsEmpty());
  EXPECT_THAT(between(late, at(2s)), IsEmpty());
}

/// 4 CPUs for a second, which this process and others keep busy for so long.
std::set<disturbance> with_load(nanoseconds own, nanoseconds others, nanoseconds total = 4s) {
  auto before = at(0s), after = at(1s);
  before.cpu_times = machine::cpu_times{100s, 1000s, 40ms};
  after.cpu_times = machine::cpu_times{100s + own + others, 1000s + total, 40ms};
  before.own_cpu = 7s;
  after.own_cpu = 7s + own;
  return between(before, after);
}

TEST(disturbances_between, has_other_load_above_a_quarter_of_the_cpus) {
  EXPECT_THAT(with_load(0s, 1100ms), ElementsAre(disturbance::other_load));
  EXPECT_THAT(with_load(2900ms, 1100ms), ElementsAre(disturbance::other_load));
  EXPECT_THAT(with_load(0s, 1s), IsEmpty());
  EXPECT_THAT(with_load(4s, 0s), IsEmpty());
  EXPECT_THAT(with_load(4s, -100ms), IsEmpty());  // the kernel has counted late
}

TEST(disturbances_between, short_times_cannot_tell_of_other_load) {
  EXPECT_THAT(with_load(0s, 40ms, 40ms), IsEmpty());
  EXPECT_THAT(with_load(0s, 0s, 0s), IsEmpty());
}

TEST(disturbances_between, without_the_times_of_cpus_nothing_is_known_of_other_load) {
  auto after = at(1s);
  after.cpu_times = machine::cpu_times{100s, 100s, 40ms};
  EXPECT_THAT(between(at(0s), after), IsEmpty());
}

TEST(disturbances_in, tells_of_an_operation_that_took_far_longer_than_the_others) {
  EXPECT_THAT(disturbances_in({{1e6, 1e6, 2e9}}, 1), ElementsAre(disturbance::stopped));
  EXPECT_THAT(disturbances_in({{1e6, 1e6, 2e7}}, 100), IsEmpty());  // not 100 times as long
  EXPECT_THAT(disturbances_in({{1e3, 1e3, 2e7}}, 100), ElementsAre(disturbance::stopped));
  EXPECT_THAT(disturbances_in({{1e6, 1e6, 9e8}}, 1), IsEmpty());  // less than a second
  EXPECT_THAT(disturbances_in({{1e9, 1e9, 9e9}}, 1), IsEmpty());  // all are long
  EXPECT_THAT(disturbances_in({{1e6, 2e9}}, 1), IsEmpty());       // too few
}

TEST(disturbances_in, tells_of_times_that_cannot_be) {
  EXPECT_THAT(disturbances_in({{0, 0, 1e6}}, 1), ElementsAre(disturbance::clock_stood_still));
  EXPECT_THAT(disturbances_in({{5, 5, 0}}, 1), ElementsAre(disturbance::clock_stood_still));
  EXPECT_THAT(disturbances_in({{5, 5, -1}}, 1), ElementsAre(disturbance::clock_jumped));
  EXPECT_THAT(disturbances_in({}, 1), IsEmpty());
}

TEST(true_surroundings, are_those_of_this_process) {
  const true_surroundings watched;
  const auto before = watched.read(), after = watched.read();
  cpu_set_t cpus;
  ASSERT_EQ(sched_getaffinity(0, sizeof cpus, &cpus), 0);
  EXPECT_EQ(before.cpus, static_cast<std::size_t>(CPU_COUNT(&cpus)));
  ASSERT_EQ(before.check_clocks.size(), after.check_clocks.size());
  for (std::size_t i = 0; i < before.check_clocks.size(); ++i) {
    EXPECT_LE(before.check_clocks[i].earliest, before.check_clocks[i].latest);
    EXPECT_LE(before.check_clocks[i].latest, after.check_clocks[i].earliest);
    EXPECT_GT(before.check_clocks[i].earliest, 0s);
  }
  EXPECT_LE(before.wall, after.wall);
  EXPECT_LE(before.own_cpu, after.own_cpu);
}

}  // namespace
}  // namespace bench_transfers::bench::surroundings_test
