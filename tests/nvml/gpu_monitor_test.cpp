#include "src/machine/gpu_monitor.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <vector>

using namespace bench_transfers;

namespace {

using machine::monitor_gpu;
using machine::throttle_reasons;

constexpr const char* address = "0000:06:00.0";

/// The library's initialisations without a shutdown; nullopt if it is not loaded.
std::optional<int> open_count(const char* library) {
  void* const loaded = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
  if (loaded == nullptr) return std::nullopt;
  const auto count = reinterpret_cast<int (*)()>(dlsym(loaded, "fake_nvml_open_count"))();
  dlclose(loaded);
  return count;
}

TEST(gpu_monitor, reads_every_value) {
  const auto monitor = monitor_gpu(address, FAKE_NVML);
  ASSERT_NE(monitor, nullptr);
  const auto reading = monitor->read();
  EXPECT_EQ(reading.sm_mhz, 1755U);
  EXPECT_EQ(reading.sm_max_mhz, 1980U);
  EXPECT_EQ(reading.memory_mhz, 3201U);
  EXPECT_EQ(reading.memory_max_mhz, 3202U);
  EXPECT_EQ(reading.temperature_c, 64U);
  EXPECT_EQ(reading.pcie_replays, 12U);
}

TEST(gpu_monitor, reads_every_setting) {
  const auto settings = monitor_gpu(address, FAKE_NVML)->settings();
  EXPECT_EQ(settings.persistence, true);
  EXPECT_EQ(settings.application_sm_mhz, 1200U);
  EXPECT_EQ(settings.default_application_sm_mhz, 1980U);
  EXPECT_EQ(settings.power_limit_mw, 500'000U);
  EXPECT_EQ(settings.default_power_limit_mw, 700'000U);
  EXPECT_EQ(settings.ecc, true);
  EXPECT_EQ(settings.uncorrected_errors, 3U);
  EXPECT_EQ(settings.rows_to_remap, true);
  EXPECT_EQ(settings.confidential, true);
  EXPECT_EQ(settings.link, (machine::pcie_link{3, 8, 5, 16}));
}

TEST(gpu_monitor, leaves_settings_empty_that_an_older_library_does_not_know) {
  const auto settings = monitor_gpu(address, FAKE_OLD_NVML)->settings();
  EXPECT_EQ(settings.persistence, std::nullopt);
  EXPECT_EQ(settings.application_sm_mhz, std::nullopt);
  EXPECT_EQ(settings.power_limit_mw, std::nullopt);
  EXPECT_EQ(settings.ecc, std::nullopt);
  EXPECT_EQ(settings.uncorrected_errors, std::nullopt);
  EXPECT_EQ(settings.rows_to_remap, std::nullopt);
  EXPECT_EQ(settings.confidential, std::nullopt);
  EXPECT_EQ(settings.link, std::nullopt);
}

TEST(gpu_monitor, tells_the_nodes_of_memory_nearby) {
  EXPECT_EQ(monitor_gpu(address, FAKE_NVML)->nearest_nodes(), (std::vector{1, 64}));
  EXPECT_EQ(monitor_gpu(address, FAKE_OLD_NVML)->nearest_nodes(), std::nullopt);
}

TEST(gpu_monitor, tells_whether_the_gpu_is_divided_into_instances) {
  const auto monitor = monitor_gpu(address, FAKE_NVML);
  ASSERT_NE(monitor, nullptr);
  const std::unique_ptr<void, int (*)(void*)> library(dlopen(FAKE_NVML, RTLD_NOW), dlclose);
  const auto set_mig =
      reinterpret_cast<void (*)(int, unsigned)>(dlsym(library.get(), "fake_nvml_set_mig"));
  constexpr int success = 0, not_supported = 3, no_permission = 4;  // nvmlReturn_t
  EXPECT_EQ(monitor->is_divided(), false);
  set_mig(success, 1);
  EXPECT_EQ(monitor->is_divided(), true);
  set_mig(not_supported, 1);
  EXPECT_EQ(monitor->is_divided(), false) << "it cannot be";
  set_mig(no_permission, 1);
  EXPECT_EQ(monitor->is_divided(), std::nullopt);
  set_mig(success, 0);
  EXPECT_EQ(monitor_gpu(address, FAKE_OLD_NVML)->is_divided(), std::nullopt);
}

TEST(gpu_monitor, reports_only_reasons_that_slow_a_gpu_down) {
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
  const auto set_reasons =
      reinterpret_cast<void (*)(unsigned long long)>(dlsym(loaded, "fake_nvml_set_reasons"));
  // From NVML's documentation, "Clocks Event Reasons". Idle, application clocks and display clocks
  // do not count as slowdowns.
  const std::map<unsigned long long, throttle_reasons> reasons_by_bit{
      {0x1, {}},
      {0x2, {}},
      {0x4, {"sw_power_cap"}},
      {0x8, {"hw_slowdown"}},
      {0x10, {"sync_boost"}},
      {0x20, {"sw_thermal_slowdown"}},
      {0x40, {"hw_thermal_slowdown"}},
      {0x80, {"hw_power_brake_slowdown"}},
      {0x100, {}}};
  for (const auto& [bit, reasons] : reasons_by_bit) {
    set_reasons(bit);
    EXPECT_EQ(monitor->read().throttled_by, reasons) << bit;
  }
  set_reasons(~0ULL);
  dlclose(loaded);
}

TEST(gpu_monitor, accepts_an_older_library) {
  const auto monitor = monitor_gpu(address, FAKE_OLD_NVML);
  ASSERT_NE(monitor, nullptr);
  const auto reading = monitor->read();
  EXPECT_EQ(reading.throttled_by, (throttle_reasons{"hw_slowdown", "sync_boost"}));
  EXPECT_EQ(reading.sm_mhz, 1755U);
  EXPECT_EQ(reading.sm_max_mhz, 1980U);
  EXPECT_EQ(reading.memory_mhz, std::nullopt);  // the fake refuses it
  EXPECT_EQ(reading.memory_max_mhz, 3202U);
  EXPECT_EQ(reading.temperature_c, std::nullopt);  // the library lacks the function
  EXPECT_EQ(reading.pcie_replays, std::nullopt);
}

TEST(gpu_monitor, is_null_for_an_unknown_gpu) {
  EXPECT_EQ(monitor_gpu("0000:07:00.0", FAKE_NVML), nullptr);
  EXPECT_EQ(monitor_gpu("", FAKE_NVML), nullptr);
  EXPECT_EQ(open_count(FAKE_NVML), std::nullopt);
}

TEST(gpu_monitor, is_null_if_the_library_cannot_be_used) {
  EXPECT_EQ(monitor_gpu(address, "libno-such-library.so.1"), nullptr);
  EXPECT_EQ(monitor_gpu(address, "/dev/null"), nullptr);
  EXPECT_EQ(monitor_gpu(address, "libm.so.6"), nullptr);  // has no function of NVML
  EXPECT_EQ(monitor_gpu(address, FAKE_NVML_WITHOUT_DRIVER), nullptr);
}

TEST(gpu_monitor, initialises_and_shuts_down_in_pairs) {
  const std::unique_ptr<void, int (*)(void*)> library(dlopen(FAKE_NVML, RTLD_NOW), dlclose);
  ASSERT_NE(library, nullptr);
  EXPECT_EQ(open_count(FAKE_NVML), 0);
  auto monitor = monitor_gpu(address, FAKE_NVML);
  EXPECT_EQ(open_count(FAKE_NVML), 1);
  monitor.reset();
  EXPECT_EQ(open_count(FAKE_NVML), 0);
  EXPECT_EQ(monitor_gpu("0000:07:00.0", FAKE_NVML), nullptr);
  EXPECT_EQ(open_count(FAKE_NVML), 0);
}

TEST(gpu_monitor, does_not_shut_down_after_a_failed_initialisation) {
  const std::unique_ptr<void, int (*)(void*)> library(dlopen(FAKE_NVML_WITHOUT_DRIVER, RTLD_NOW),
                                                      dlclose);
  ASSERT_NE(library, nullptr);
  EXPECT_EQ(monitor_gpu(address, FAKE_NVML_WITHOUT_DRIVER), nullptr);
  EXPECT_EQ(open_count(FAKE_NVML_WITHOUT_DRIVER), 0);
}

TEST(gpu_monitor, unloads_the_library) {
  EXPECT_EQ(open_count(FAKE_NVML), std::nullopt);
  const auto monitor = monitor_gpu(address, FAKE_NVML);
  EXPECT_EQ(open_count(FAKE_NVML), 1);
}

}  // namespace
