#include "src/result_file/benchmark_class.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace bench_transfers::result_file::benchmark_class_test {
namespace {

using enum benchmark_class;

benchmark_class limit(const std::string& role, const std::optional<std::string>& memory,
                      bool on_host = false) {
  benchmark described;
  described.role = role;
  described.memory = memory;
  return limited_by(described, on_host);
}

TEST(limiting_part, of_transfers_of_page_locked_memory_is_the_link) {
  for (const auto* memory : {"pinned", "pinned_wc", "registered", "registered_huge"})
    for (const auto* role : {"copy", "kernel_access", "duplex", "concurrent", "overlap"})
      EXPECT_EQ(limit(role, memory), link) << role << ' ' << memory;
}

TEST(limiting_part, without_a_gpu_is_the_host) {
  EXPECT_EQ(limit("copy", "pinned", true), host);
  EXPECT_EQ(limit("latency", "pinned", true), latency);
  EXPECT_EQ(limit("something", "pinned", true), other);
}

TEST(limiting_part, of_copies_of_other_memory_is_the_host) {
  for (const auto* memory : {"pageable", "huge", "managed", "staged"})
    for (const auto* role : {"copy", "concurrent", "overlap"})
      EXPECT_EQ(limit(role, memory), host) << role << ' ' << memory;
}

TEST(limiting_part, of_copies_of_memory_that_threads_have_just_written_is_the_host) {
  benchmark copy;
  copy.role = "copy";
  copy.memory = "pinned";
  for (const auto state : cache_states()) {
    copy.cache = state;
    const bool has_lines = is_written(state) && state != cache_state::streamed;
    EXPECT_EQ(limited_by(copy, false), has_lines ? host : link) << to_string(state);
  }
}

TEST(limiting_part, of_other_accesses_by_the_device_is_not_known) {
  EXPECT_EQ(limit("kernel_access", "managed"), other);
  EXPECT_EQ(limit("duplex", "pageable"), other);
  EXPECT_EQ(limit("copy", std::nullopt), other);
  EXPECT_EQ(limit("overlap", std::nullopt), other);
}

TEST(limiting_part, of_calls_is_latency_whatever_the_memory) {
  for (const auto* role : {"floor", "launch", "latency"}) {
    EXPECT_EQ(limit(role, "pinned"), latency) << role;
    EXPECT_EQ(limit(role, std::nullopt), latency) << role;
  }
}

TEST(limiting_part, of_work_of_the_cpu_and_the_driver_is_the_host) {
  for (const auto* role :
       {"allocation", "arguments", "array", "container_copy", "conversion", "cpu_read", "cpu_write",
        "first_call", "cpu_read_write", "deallocation", "fill", "scattered_copy", "strided_copy"}) {
    EXPECT_EQ(limit(role, "pinned"), host) << role;
    EXPECT_EQ(limit(role, std::nullopt), host) << role;
  }
}

TEST(limiting_part, of_a_role_of_its_own_is_not_known) {
  EXPECT_EQ(limit("mine", "pinned"), other);
}

}  // namespace
}  // namespace bench_transfers::result_file::benchmark_class_test
