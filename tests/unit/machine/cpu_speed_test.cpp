#include "src/machine/cpu_speed.hpp"

#include "tests/unit/machine/fake_tree.hpp"

namespace bench_transfers::machine::cpu_speed_test {
namespace {

class machine_cpu_speed : public fake_tree {
 protected:
  void write_limits(const std::string& cpu, const char* limit, const char* most) const {
    write("sys/devices/system/cpu/" + cpu + "/cpufreq/scaling_max_freq", limit);
    write("sys/devices/system/cpu/" + cpu + "/cpufreq/cpuinfo_max_freq", most);
  }
};

TEST_F(machine_cpu_speed, is_not_known_without_cpufreq) {
  EXPECT_EQ(read_cpu_speed(root).limit, std::nullopt);
  EXPECT_EQ(read_cpu_speed(root).boost, std::nullopt);
}

TEST_F(machine_cpu_speed, is_that_of_the_cpu_with_the_lowest_limit) {
  write_limits("cpu0", "3800000\n", "3800000\n");
  write_limits("cpu1", "2000000\n", "4000000\n");
  write_limits("cpu2", "1900000\n", "2000000\n");
  EXPECT_EQ(read_cpu_speed(root).limit, (cpu_speed::clock_limit{2000000, 4000000}));
}

TEST_F(machine_cpu_speed, boost_has_two_places) {
  write("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
  EXPECT_EQ(read_cpu_speed(root).boost, false);
  write("sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
  EXPECT_EQ(read_cpu_speed(root).boost, true);
  write("sys/devices/system/cpu/cpufreq/boost", "0\n");
  EXPECT_EQ(read_cpu_speed(root).boost, false);
}

}  // namespace
}  // namespace bench_transfers::machine::cpu_speed_test
