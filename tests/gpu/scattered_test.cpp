#include "transfers/fast/scattered.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/gpu/on_gpu.hpp"
#include "transfers/core/error.hpp"

namespace transfers {
namespace {

const pattern data{42, false};
const pattern poison{42, true};

struct place {
  std::size_t offset, bytes;
};

/// One behind the other with gaps of up to `gap` bytes, then shuffled. Multiples of `step`.
std::vector<place> places_of(std::vector<std::size_t> lengths, std::size_t gap, std::size_t step) {
  std::mt19937 random(7);
  std::ranges::shuffle(lengths, random);
  std::vector<place> all;
  std::size_t end = 0;
  for (const auto bytes : lengths) {
    end += random() % (gap / step + 1) * step;
    all.push_back({end, bytes});
    end += bytes;
  }
  std::ranges::shuffle(all, random);
  return all;
}

std::size_t end_of(const std::vector<place>& places) {
  std::size_t end = 0;
  for (const auto& one : places) end = std::max(end, one.offset + one.bytes);
  return end;
}
std::size_t sum_of(const std::vector<place>& places) {
  std::size_t sum = 0;
  for (const auto& one : places) sum += one.bytes;
  return sum;
}
std::vector<scattered_block> blocks_in(std::byte* memory, const std::vector<place>& places) {
  std::vector<scattered_block> blocks;
  for (const auto& one : places) blocks.push_back({memory + one.offset, one.bytes});
  return blocks;
}

class cuda_scattered : public on_gpu {
 protected:
  static constexpr std::size_t guard = 64;

  void SetUp() override {
    on_gpu::SetUp();
    if (IsSkipped()) return;
    in = gpu->create_stream();
    copy.emplace(*gpu, *in);
  }

  /// Every byte there, and nothing else, in both directions. `shift`: of the device's memory.
  void expect_both_ways(scattered_copy& of, stream& on, std::byte* memory,
                        const std::vector<place>& places, scattered_way by, std::size_t shift) {
    const auto total = sum_of(places);
    const auto end = end_of(places);
    const auto blocks = blocks_in(memory, places);
    const auto block = gpu->allocate(shift + total + guard);
    const std::span there(block.data() + shift, total);
    std::vector<std::byte> packed(total);

    write_host_pattern(memory, 0, end, data);
    gpu->write_pattern(block.data(), 0, shift + total + guard, poison);
    of.enqueue(blocks, there, direction::h2d, by);
    on.synchronize();
    gpu->copy(packed.data(), there.data(), total, direction::d2h);
    std::size_t at = 0;
    for (const auto& one : places) {
      ASSERT_TRUE(
          std::equal(memory + one.offset, memory + one.offset + one.bytes, packed.data() + at))
          << one.bytes << " bytes at " << one.offset << " differ on the device";
      at += one.bytes;
    }
    EXPECT_EQ(gpu->check_pattern(block.data(), 0, shift, poison).wrong_bytes, 0U);
    EXPECT_EQ(gpu->check_pattern(block.data(), shift + total, guard, poison).wrong_bytes, 0U);

    gpu->write_pattern(block.data(), 0, shift + total + guard, data);
    gpu->copy(packed.data(), there.data(), total, direction::d2h);
    write_host_pattern(memory, 0, end, poison);
    std::vector<std::byte> expected(memory, memory + end);
    at = 0;
    for (const auto& one : places) {
      std::copy_n(packed.data() + at, one.bytes, expected.data() + one.offset);
      at += one.bytes;
    }
    of.enqueue(blocks, there, direction::d2h, by);
    on.synchronize();
    const auto wrong = std::ranges::mismatch(expected, std::span(memory, end)).in1;
    EXPECT_EQ(wrong, expected.end()) << "first wrong at " << (wrong - expected.begin());
  }

  std::unique_ptr<stream> in;
  std::optional<scattered_copy> copy;
};

class cuda_scattered_ways : public cuda_scattered,
                            public testing::WithParamInterface<scattered_way> {};

TEST_P(cuda_scattered_ways, copy_every_byte_at_any_alignment) {
  std::vector<std::size_t> lengths{1,    2,    3,    4,     15,    16,    17,
                                   31,   511,  512,  513,   2048,  4095,  4096,
                                   4097, 8191, 8192, 65535, 65536, 65537, 0};
  const auto places = places_of(lengths, 40, 1);
  const auto memory = gpu->allocate_host(end_of(places), pinned(pin_flags::mapped));
  copy->add(memory.bytes());
  for (const std::size_t shift : {0, 1, 2, 4, 8, 15})
    expect_both_ways(*copy, *in, memory.data(), places, GetParam(), shift);
}

TEST_P(cuda_scattered_ways, copy_every_byte_of_aligned_blocks) {
  std::vector<std::size_t> lengths(3000, 512);
  lengths.resize(6000, 4096);
  lengths.resize(6100, 65536);
  const auto places = places_of(lengths, 4096, 16);
  const auto memory = gpu->allocate_host(end_of(places), pinned(pin_flags::mapped));
  copy->add(memory.bytes());
  expect_both_ways(*copy, *in, memory.data(), places, GetParam(), 0);
}

TEST_P(cuda_scattered_ways, copy_more_blocks_than_one_table_holds) {
  const auto places = places_of(std::vector<std::size_t>(1024 + 16384 + 32768 + 5, 48), 32, 4);
  const auto memory = gpu->allocate_host(end_of(places), registered);
  copy->add(memory.bytes());
  expect_both_ways(*copy, *in, memory.data(), places, GetParam(), 0);
}

TEST_P(cuda_scattered_ways, find_memory_that_was_not_added) {
  const auto places = places_of({512, 4096, 17, 8192}, 40, 1);
  const auto allocated = gpu->allocate_host(end_of(places), pinned());
  expect_both_ways(*copy, *in, allocated.data(), places, GetParam(), 0);
  std::vector<std::byte> mine(end_of(places));
  const auto lock = gpu->lock(mine);
  expect_both_ways(*copy, *in, mine.data(), places, GetParam(), 0);
}

TEST_P(cuda_scattered_ways, copy_ordinary_memory_too_but_for_the_kernel) {
  if (GetParam() == scattered_way::kernel) GTEST_SKIP() << "needs page-locked memory";
  const auto places = places_of({512, 4096, 17, 0, 8192, 65537}, 40, 1);
  std::vector<std::byte> memory(end_of(places));
  expect_both_ways(*copy, *in, memory.data(), places, GetParam(), 0);
}

TEST_P(cuda_scattered_ways, copy_in_several_threads_at_once) {
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([this] {
      const auto stream = gpu->create_stream();
      scattered_copy of(*gpu, *stream);
      const auto places = places_of(std::vector<std::size_t>(3000, 700), 40, 1);
      const auto memory = gpu->allocate_host(end_of(places), pinned(pin_flags::mapped));
      of.add(memory.bytes());
      for (int i = 0; i < 3; ++i)
        expect_both_ways(of, *stream, memory.data(), places, GetParam(), 0);
    });
}

std::string name_of(const testing::TestParamInfo<scattered_way>& way) {
  constexpr std::array<const char*, 4> names{"loop", "batch", "kernel", "automatic"};
  return names.at(static_cast<std::size_t>(way.param));
}

INSTANTIATE_TEST_SUITE_P(ways, cuda_scattered_ways,
                         testing::Values(scattered_way::loop, scattered_way::batch,
                                         scattered_way::kernel, scattered_way::automatic),
                         name_of);

TEST_F(cuda_scattered, the_kernel_refuses_ordinary_memory_and_what_ends_in_it) {
  std::vector<std::byte> ordinary(16384);
  const auto there = gpu->allocate(16384);
  const std::span stretch(there.data(), 16384);
  const auto refuses = [&](const scattered_block& block) {
    EXPECT_THROW(copy->enqueue({&block, 1}, stretch, direction::h2d, scattered_way::kernel),
                 unsupported);
  };
  refuses({ordinary.data(), 512});
  // CUDA locks whole pages, so the page behind the last one is the first that is not locked.
  auto* const page = reinterpret_cast<std::byte*>(
      (reinterpret_cast<std::uintptr_t>(ordinary.data()) + 4095) / 4096 * 4096);
  const auto lock = gpu->lock({page, 4096});
  copy->add(lock.bytes());
  refuses({page + 4000, 4200});
  in->synchronize();
}

TEST_F(cuda_scattered, automatic_copies_from_ordinary_and_locked_memory_alike) {
  const auto locked = gpu->allocate_host(4096, pinned());
  std::vector<std::byte> ordinary(4096, std::byte{2});
  std::ranges::fill(locked.bytes(), std::byte{1});
  const auto there = gpu->allocate(600);
  const std::vector<scattered_block> blocks{
      {ordinary.data() + 3, 100}, {locked.data() + 1, 300}, {ordinary.data() + 1000, 200}};
  copy->enqueue(blocks, {there.data(), 600}, direction::h2d);
  in->synchronize();
  std::vector<std::byte> arrived(600);
  gpu->copy(arrived.data(), there.data(), 600, direction::d2h);
  for (std::size_t i = 0; i < 600; ++i)
    ASSERT_EQ(arrived[i], i >= 100 && i < 400 ? std::byte{1} : std::byte{2}) << i;
}

/// The target, printed rather than demanded: other users of the link may be in the way.
TEST_F(cuda_scattered, bandwidth_is_printed) {
  constexpr std::size_t total = std::size_t{64} << 20;
  const auto memory = gpu->allocate_host(2 * total, pinned(pin_flags::mapped));
  const auto there = gpu->allocate(total);
  copy->add(memory.bytes());
  for (const std::size_t bytes : {512, 4096, 8192, 65536}) {
    std::vector<place> places;
    for (std::size_t i = 0; i < total / bytes; ++i) places.push_back({i * 2 * bytes, bytes});
    std::ranges::shuffle(places, std::mt19937_64(1));
    const auto blocks = blocks_in(memory.data(), places);
    for (const auto way : {direction::h2d, direction::d2h}) {
      double best = 0;
      double best_enqueued = 0;
      for (int i = 0; i < 8; ++i) {
        const auto start = std::chrono::steady_clock::now();
        copy->enqueue(blocks, {there.data(), total}, way, scattered_way::kernel);
        const std::chrono::duration<double> enqueued = std::chrono::steady_clock::now() - start;
        in->synchronize();
        const std::chrono::duration<double> all = std::chrono::steady_clock::now() - start;
        best = std::max(best, static_cast<double>(total) / all.count() / 1e9);
        best_enqueued =
            std::max(best_enqueued, static_cast<double>(total) / enqueued.count() / 1e9);
      }
      std::printf("%zu-byte blocks %s: %.1f GB/s; enqueued at %.0f GB/s\n", bytes,
                  way == direction::h2d ? "h2d" : "d2h", best, best_enqueued);
      EXPECT_GT(best, 1);
    }
  }
}

}  // namespace
}  // namespace transfers
