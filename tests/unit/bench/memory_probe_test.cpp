#include "bench/record/memory_probe.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "bench/cpu/emulation.hpp"
#include "bench/strategy/cache.hpp"
#include "bench/verification/pattern.hpp"
#include "tests/unit/bench/fake_clock.hpp"
#include "transfers/core/device.hpp"

namespace bench_transfers::bench::cpu::memory_probe_test {
namespace {

using machine::memory_type;

class probing : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_flush_cache()) GTEST_SKIP() << "this processor cannot flush chosen lines";
    write_host_pattern(memory.data(), 0, memory.size(), {1});
    write_host_pattern(ordinary.data(), 0, ordinary.size(), {2});
  }
  void TearDown() override {
    if (IsSkipped()) return;
    EXPECT_EQ(check_host_pattern(memory.data(), 0, memory.size(), {1}).wrong_bytes, 0U);
    EXPECT_EQ(check_host_pattern(ordinary.data(), 0, ordinary.size(), {2}).wrong_bytes, 0U);
  }

  /// Retries, because other programs may disturb the times.
  void expect(memory_type expected, const instruction_set& instructions) {
    auto actual = memory_type::unclear;
    for (int i = 0; i < 5; ++i) {
      const auto times = probe_accesses(memory.bytes(), instructions, ordinary.bytes());
      EXPECT_GT(times.memory.plain, 0);
      EXPECT_GT(times.ordinary.plain, 0);
      EXPECT_EQ(times.memory.streaming.has_value(), instructions.read_streaming != nullptr);
      actual = classify(times.memory, times.ordinary);
      if (actual == expected) break;
    }
    EXPECT_EQ(to_string(actual), to_string(expected));
  }

  std::unique_ptr<transfers::device> device = transfers::open_host_device();
  transfers::host_memory memory = device->allocate_host(probed_bytes, transfers::pageable);
  transfers::host_memory ordinary = device->allocate_host(probed_bytes, transfers::pageable);
};

TEST_F(probing, ordinary_memory_finds_it_cached) {
  expect(memory_type::write_back, instructions());
}

TEST_F(probing, emulated_write_combined_memory_finds_it_so) {
  expect(memory_type::write_combined, emulated_write_combined());
}

TEST_F(probing, memory_whose_streaming_loads_are_ordinary_ones_finds_it_uncached) {
  auto uncached = emulated_write_combined();
  uncached.read_streaming = uncached.read_16_bytes;  // also drops each line before each load
  expect(memory_type::uncached, uncached);
}

TEST_F(probing, writes_slow_memory_only_where_there_are_no_streaming_loads) {
  const fake_clock clock;
  auto slow = instructions();
  slow.read_16_bytes = [](const std::byte*, std::size_t) {
    fake_clock::advance(std::chrono::microseconds(100));
    return std::uint64_t{0};
  };
  slow.read_streaming = slow.read_16_bytes;
  EXPECT_FALSE(probe_accesses(memory.bytes(), slow, ordinary.bytes()).memory.stores);
  slow.read_streaming = nullptr;
  const auto times = probe_accesses(memory.bytes(), slow, ordinary.bytes());
  ASSERT_TRUE(times.memory.stores);
  EXPECT_GT(times.memory.stores->one_of_each_line, 0);
  EXPECT_GT(times.memory.stores->all, 0);
  EXPECT_FALSE(times.ordinary.stores);
}

TEST_F(probing, reads_all_of_the_first_bytes_and_no_others) {
  static std::size_t plain, streaming, unexpected;
  static const std::byte* first;
  plain = streaming = unexpected = 0;
  first = memory.data();
  auto counted = instructions();
  counted.read_16_bytes = [](const std::byte* from, std::size_t bytes) {
    ++(from == first && bytes == probed_bytes ? plain : unexpected);
    return std::uint64_t{0};
  };
  counted.read_streaming = [](const std::byte* from, std::size_t bytes) {
    ++(from == first && bytes == probed_bytes ? streaming : unexpected);
    return std::uint64_t{0};
  };
  static_cast<void>(probe_accesses(memory.bytes(), counted, ordinary.bytes()));
  EXPECT_GE(streaming, 5U);         // enough for a median
  EXPECT_EQ(plain, 2 * streaming);  // and once more
  EXPECT_EQ(unexpected, 0U);
}

}  // namespace
}  // namespace bench_transfers::bench::cpu::memory_probe_test
