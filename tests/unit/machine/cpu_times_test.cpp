#include "src/machine/cpu_times.hpp"

#include <unistd.h>

#include <algorithm>

#include "tests/basics.hpp"
#include "tests/unit/machine/fake_tree.hpp"

namespace bench_transfers::machine::cpu_times_test {
namespace {

/// Two CPUs; user, nice, system, idle, iowait, irq, softirq, steal, guest, guest_nice.
constexpr const char* stat =
    "cpu  22 2 6 1100 12 4 8 20 5 5\n"
    "cpu0 11 1 3 1000 2 2 4 10 5 5\n"
    "cpu7 11 1 3 100 10 2 4 10 0 0\n"
    "intr 12345 0 0\n";

std::chrono::nanoseconds ticks(int count) {
  return std::chrono::nanoseconds(count * 1'000'000'000L / sysconf(_SC_CLK_TCK));
}

TEST_F(fake_tree, cpu_times_are_those_of_the_cpus_asked_for) {
  write("proc/stat", stat);
  const auto one = cpu_times_of({7}, root);
  ASSERT_TRUE(one);
  EXPECT_EQ(one->busy, ticks(11 + 1 + 3 + 2 + 4 + 10));
  EXPECT_EQ(one->total, ticks(11 + 1 + 3 + 100 + 10 + 2 + 4 + 10));
  EXPECT_EQ(one->tick, ticks(1));
  const auto both = cpu_times_of({0, 7}, root);
  ASSERT_TRUE(both);
  EXPECT_EQ(both->busy, ticks(2 * 31));
  EXPECT_EQ(both->total, ticks(2 * 31 + 1002 + 110));
  EXPECT_EQ(both->tick, ticks(2));
}

TEST_F(fake_tree, cpu_times_are_not_known_without_a_line_for_each_cpu) {
  EXPECT_FALSE(cpu_times_of({0}, root));
  write("proc/stat", stat);
  EXPECT_FALSE(cpu_times_of({}, root));
  EXPECT_FALSE(cpu_times_of({0, 1}, root));
  write("proc/stat", "cpu0 1 2 x 4 5 6 7 8\n");
  EXPECT_FALSE(cpu_times_of({0}, root));
}

TEST(usable_cpus, are_some_and_ascending) {
  const auto cpus = usable_cpus();
  EXPECT_THAT(cpus, Not(IsEmpty()));
  EXPECT_TRUE(std::ranges::is_sorted(cpus));
}

}  // namespace
}  // namespace bench_transfers::machine::cpu_times_test
