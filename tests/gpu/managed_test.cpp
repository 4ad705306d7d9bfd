#include "transfers/fast/managed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <vector>

#include "tests/gpu/on_gpu.hpp"
#include "tests/gpu/pattern.hpp"

namespace transfers::managed_test {
namespace {

class managed_test : public on_gpu {
 protected:
  void set_up() override {
    if (const auto reason = why_no_managed_memory(*gpu)) GTEST_SKIP() << *reason;
    stream = gpu->create_stream();
  }

  void send(const managed_memory& memory, residence target) const {
    memory.prefetch(*stream, target);
    stream->synchronize();
  }

  static double seconds_of(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  std::unique_ptr<transfers::stream> stream;
};

const pattern data{42, false};

TEST_F(managed_test, is_the_same_memory_on_both_sides) {
  for (const std::size_t bytes : {1, 4097, 3 << 20}) {
    const managed_memory memory(*gpu, bytes);
    write_host_pattern(memory.data(), 0, bytes, data);
    EXPECT_EQ(check_pattern(*gpu, memory.data(), 0, bytes, data).wrong_bytes, 0U) << bytes;
    write_pattern(*gpu, memory.data(), 0, bytes, {7, true});
    EXPECT_EQ(check_host_pattern(memory.data(), 0, bytes, {7, true}).wrong_bytes, 0U) << bytes;
  }
  EXPECT_THROW(managed_memory(*gpu, 0), std::invalid_argument);
}

TEST_F(managed_test, knows_where_it_was_sent) {
  for (const std::size_t bytes : {5, 3 << 20}) {
    const managed_memory memory(*gpu, bytes);
    write_host_pattern(memory.data(), 0, bytes, data);
    for (const auto to : {residence::device, residence::host, residence::device}) {
      send(memory, to);
      EXPECT_EQ(memory.prefetched_to(), to) << bytes;
    }
  }
  const managed_memory never(*gpu, 1 << 20);
  EXPECT_EQ(never.prefetched_to(), std::nullopt);
}

TEST_F(managed_test, the_cpu_reads_what_a_kernel_wrote_after_it_was_sent_back) {
  constexpr std::size_t bytes = (3 << 20) + 5;
  const managed_memory memory(*gpu, bytes);
  const auto source = gpu->allocate(bytes);
  write_pattern(*gpu, source.data(), 0, bytes, data);
  std::memset(memory.data(), 0, bytes);
  send(memory, residence::device);
  stream->copy_by_kernel(memory.data(), source.data(), bytes);
  send(memory, residence::host);
  EXPECT_EQ(check_host_pattern(memory.data(), 0, bytes, data).wrong_bytes, 0U);
}

/// The times show that pages really migrate: a kernel need not fetch prefetched pages.
TEST_F(managed_test, a_kernel_reads_prefetched_memory_faster) {
  constexpr std::size_t bytes = 64 << 20;
  const managed_memory memory(*gpu, bytes);
  const auto device_block = gpu->allocate(bytes);
  write_host_pattern(memory.data(), 0, bytes, data);
  const auto read = [&] {
    return seconds_of([&] {
      stream->copy_by_kernel(device_block.data(), memory.data(), bytes);
      stream->synchronize();
    });
  };
  send(memory, residence::host);
  const double by_faults = read();
  send(memory, residence::host);
  send(memory, residence::device);
  const double sent = read();
  std::printf("a kernel reads 64 MiB: %.0f us by faults, %.0f us when prefetched\n",
              by_faults * 1e6, sent * 1e6);
  EXPECT_GT(by_faults, 3 * sent);
  EXPECT_EQ(check_pattern(*gpu, device_block.data(), 0, bytes, data).wrong_bytes, 0U);
}

TEST_F(managed_test, migrates_back_when_the_cpu_reads_it) {
  constexpr std::size_t bytes = 16 << 20;
  const managed_memory memory(*gpu, bytes);
  write_host_pattern(memory.data(), 0, bytes, data);
  std::vector<std::byte> destination(bytes);
  const auto read = [&] {
    return seconds_of([&] { std::memcpy(destination.data(), memory.data(), bytes); });
  };
  // Others on the host may disturb an attempt, but hardly most of them.
  std::vector<double> factors;
  for (int attempt = 0; attempt < 5; ++attempt) {
    send(memory, residence::device);
    const double by_faults = read();
    const double again = read();
    factors.push_back(by_faults / again);
    std::printf("the CPU reads 16 MiB: %.0f us by faults, %.0f us again\n", by_faults * 1e6,
                again * 1e6);
  }
  std::ranges::sort(factors);
  EXPECT_GT(factors[factors.size() / 2], 1.3);
  EXPECT_EQ(check_host_pattern(destination.data(), 0, bytes, data).wrong_bytes, 0U);
}

}  // namespace
}  // namespace transfers::managed_test
