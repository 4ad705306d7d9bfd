#include "src/machine/gpu_monitor.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>

using namespace bench_transfers;

namespace {

using machine::monitor_gpu;
using machine::throttle_reasons;

constexpr const char* address = "0000:06:00.0";

/// How often the library is initialised now; nullopt: it is not even loaded.
std::optional<int> open_times(const char* library) {
  void* const loaded = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
  if (loaded == nullptr) return std::nullopt;
  const auto count = reinterpret_cast<int (*)()>(dlsym(loaded, "fake_nvml_open_times"))();
  dlclose(loaded);
  return count;
}

TEST(gpu_monitor, reads_everything) {
  const auto monitor = monitor_gpu(address, FAKE_NVML);
  ASSERT_NE(monitor, nullptr);
  const auto now = monitor->read();
  EXPECT_EQ(now.sm_mhz, 1755U);
  EXPECT_EQ(now.sm_max_mhz, 1980U);
  EXPECT_EQ(now.memory_mhz, 3201U);
  EXPECT_EQ(now.memory_max_mhz, 3202U);
  EXPECT_EQ(now.temperature_c, 64U);
  EXPECT_EQ(now.pcie_replays, 12U);
}

TEST(gpu_monitor, reasons_are_those_that_slow_a_gpu_down) {
  const auto monitor = monitor_gpu(address, FAKE_NVML);
  ASSERT_NE(monitor, nullptr);
  EXPECT_EQ(monitor->read().throttled_by,
            (throttle_reasons{"sw_power_cap", "hw_slowdown", "sync_boost", "sw_thermal_slowdown",
                              "hw_thermal_slowdown", "hw_power_brake_slowdown"}));
}

TEST(gpu_monitor, each_reason_has_its_own_bit) {
  const auto monitor = monitor_gpu(address, FAKE_NVML);
  ASSERT_NE(monitor, nullptr);
  void* const loaded = dlopen(FAKE_NVML, RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(loaded, nullptr);
  const auto set =
      reinterpret_cast<void (*)(unsigned long long)>(dlsym(loaded, "fake_nvml_set_reasons"));
  // Of NVML's documentation, "Clocks Event Reasons": idle, settings and display slow nothing down.
  const std::map<unsigned long long, throttle_reasons> known{{0x1, {}},
                                                             {0x2, {}},
                                                             {0x4, {"sw_power_cap"}},
                                                             {0x8, {"hw_slowdown"}},
                                                             {0x10, {"sync_boost"}},
                                                             {0x20, {"sw_thermal_slowdown"}},
                                                             {0x40, {"hw_thermal_slowdown"}},
                                                             {0x80, {"hw_power_brake_slowdown"}},
                                                             {0x100, {}}};
  for (const auto& [bit, reasons] : known) {
    set(bit);
    EXPECT_EQ(monitor->read().throttled_by, reasons) << bit;
  }
  set(~0ULL);
  dlclose(loaded);
}

TEST(gpu_monitor, takes_an_older_library) {
  const auto monitor = monitor_gpu(address, FAKE_OLD_NVML);
  ASSERT_NE(monitor, nullptr);
  const auto now = monitor->read();
  EXPECT_EQ(now.throttled_by, (throttle_reasons{"hw_slowdown", "sync_boost"}));
  EXPECT_EQ(now.sm_mhz, 1755U);
  EXPECT_EQ(now.sm_max_mhz, 1980U);
  EXPECT_EQ(now.memory_mhz, std::nullopt);  // refused
  EXPECT_EQ(now.memory_max_mhz, 3202U);
  EXPECT_EQ(now.temperature_c, std::nullopt);  // there is no such function
  EXPECT_EQ(now.pcie_replays, std::nullopt);
}

TEST(gpu_monitor, none_of_a_gpu_that_is_not_known) {
  EXPECT_EQ(monitor_gpu("0000:07:00.0", FAKE_NVML), nullptr);
  EXPECT_EQ(monitor_gpu("", FAKE_NVML), nullptr);
  EXPECT_EQ(open_times(FAKE_NVML), std::nullopt);
}

TEST(gpu_monitor, none_where_the_library_cannot_be_used) {
  EXPECT_EQ(monitor_gpu(address, "libno-such-library.so.1"), nullptr);
  EXPECT_EQ(monitor_gpu(address, "/dev/null"), nullptr);
  EXPECT_EQ(monitor_gpu(address, "libm.so.6"), nullptr);  // without any of its functions
  EXPECT_EQ(monitor_gpu(address, FAKE_NVML_WITHOUT_DRIVER), nullptr);
}

TEST(gpu_monitor, initialises_and_shuts_down_in_pairs) {
  const std::unique_ptr<void, int (*)(void*)> kept(dlopen(FAKE_NVML, RTLD_NOW), dlclose);
  ASSERT_NE(kept, nullptr);
  EXPECT_EQ(open_times(FAKE_NVML), 0);
  auto monitor = monitor_gpu(address, FAKE_NVML);
  EXPECT_EQ(open_times(FAKE_NVML), 1);
  monitor.reset();
  EXPECT_EQ(open_times(FAKE_NVML), 0);
  EXPECT_EQ(monitor_gpu("0000:07:00.0", FAKE_NVML), nullptr);
  EXPECT_EQ(open_times(FAKE_NVML), 0);
}

TEST(gpu_monitor, does_not_shut_down_what_could_not_be_initialised) {
  const std::unique_ptr<void, int (*)(void*)> kept(dlopen(FAKE_NVML_WITHOUT_DRIVER, RTLD_NOW),
                                                   dlclose);
  ASSERT_NE(kept, nullptr);
  EXPECT_EQ(monitor_gpu(address, FAKE_NVML_WITHOUT_DRIVER), nullptr);
  EXPECT_EQ(open_times(FAKE_NVML_WITHOUT_DRIVER), 0);
}

TEST(gpu_monitor, unloads_the_library) {
  EXPECT_EQ(open_times(FAKE_NVML), std::nullopt);
  const auto monitor = monitor_gpu(address, FAKE_NVML);
  EXPECT_EQ(open_times(FAKE_NVML), 1);
}

}  // namespace
