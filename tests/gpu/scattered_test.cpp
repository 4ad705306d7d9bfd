#include "transfers/fast/scattered.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/gpu/on_gpu.hpp"
#include "tests/gpu/pattern.hpp"
#include "transfers/core/error.hpp"

namespace transfers::scattered_test {
namespace {

const pattern data{42, false};
const pattern poison{42, true};

struct place {
  std::size_t offset, bytes;
};

/// Consecutive places with gaps of up to `gap` bytes, shuffled. Gaps are multiples of `step`.
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
  for (const auto& place : places) end = std::max(end, place.offset + place.bytes);
  return end;
}
std::size_t sum_of(const std::vector<place>& places) {
  std::size_t sum = 0;
  for (const auto& place : places) sum += place.bytes;
  return sum;
}
std::vector<scattered_block> blocks_in(std::byte* memory, const std::vector<place>& places) {
  std::vector<scattered_block> blocks;
  for (const auto& place : places) blocks.push_back({memory + place.offset, place.bytes});
  return blocks;
}

class cuda_scattered : public on_gpu {
 protected:
  static constexpr std::size_t guard = 64;

  void set_up() override {
    stream = gpu->create_stream();
    copy.emplace(*gpu, *stream);
  }

  /// Expects that copies in both directions move every byte of the places and no other. `shift` is
  /// the offset of the range in device memory.
  void expect_both_directions(scattered_copy& copier, transfers::stream& copier_stream,
                              std::byte* memory, const std::vector<place>& places,
                              scattered_route method, std::size_t shift) {
    const auto total = sum_of(places);
    const auto end = end_of(places);
    const auto blocks = blocks_in(memory, places);
    const auto block = gpu->allocate(shift + total + guard);
    const device_view range(block.data() + shift, total);
    std::vector<std::byte> packed(total);

    write_host_pattern(memory, 0, end, data);
    write_pattern(*gpu, block.data(), 0, shift + total + guard, poison);
    copier.enqueue(blocks, range, direction::h2d, method);
    copier_stream.synchronize();
    gpu->copy(packed.data(), range.data(), total, direction::d2h);
    std::size_t at = 0;
    for (const auto& place : places) {
      ASSERT_TRUE(std::equal(memory + place.offset, memory + place.offset + place.bytes,
                             packed.data() + at))
          << place.bytes << " bytes at " << place.offset << " differ on the device";
      at += place.bytes;
    }
    EXPECT_EQ(check_pattern(*gpu, block.data(), 0, shift, poison).wrong_bytes, 0U);
    EXPECT_EQ(check_pattern(*gpu, block.data(), shift + total, guard, poison).wrong_bytes, 0U);

    write_pattern(*gpu, block.data(), 0, shift + total + guard, data);
    gpu->copy(packed.data(), range.data(), total, direction::d2h);
    write_host_pattern(memory, 0, end, poison);
    std::vector<std::byte> expected(memory, memory + end);
    at = 0;
    for (const auto& place : places) {
      std::copy_n(packed.data() + at, place.bytes, expected.data() + place.offset);
      at += place.bytes;
    }
    copier.enqueue(blocks, range, direction::d2h, method);
    copier_stream.synchronize();
    const auto difference = std::ranges::mismatch(expected, std::span(memory, end)).in1;
    EXPECT_EQ(difference, expected.end()) << "first wrong at " << (difference - expected.begin());
  }

  std::unique_ptr<transfers::stream> stream;
  std::optional<scattered_copy> copy;
};

class cuda_scattered_methods : public cuda_scattered,
                               public testing::WithParamInterface<scattered_route> {};

TEST_P(cuda_scattered_methods, copy_every_byte_at_any_alignment) {
  std::vector<std::size_t> lengths{1,    2,    3,    4,     15,    16,    17,
                                   31,   511,  512,  513,   2048,  4095,  4096,
                                   4097, 8191, 8192, 65535, 65536, 65537, 0};
  const auto places = places_of(lengths, 40, 1);
  const auto memory = gpu->allocate_host(end_of(places), pinned(pin_flags::mapped));
  copy->add(memory.bytes());
  for (const std::size_t shift : {0, 1, 2, 4, 8, 15})
    expect_both_directions(*copy, *stream, memory.data(), places, GetParam(), shift);
}

TEST_P(cuda_scattered_methods, copy_every_byte_of_aligned_blocks) {
  std::vector<std::size_t> lengths(3000, 512);
  lengths.resize(6000, 4096);
  lengths.resize(6100, 65536);
  const auto places = places_of(lengths, 4096, 16);
  const auto memory = gpu->allocate_host(end_of(places), pinned(pin_flags::mapped));
  copy->add(memory.bytes());
  expect_both_directions(*copy, *stream, memory.data(), places, GetParam(), 0);
}

TEST_P(cuda_scattered_methods, copy_more_blocks_than_one_table_holds) {
  const auto places = places_of(std::vector<std::size_t>(1024 + 16384 + 32768 + 5, 48), 32, 4);
  const auto memory = gpu->allocate_host(end_of(places), registered);
  copy->add(memory.bytes());
  expect_both_directions(*copy, *stream, memory.data(), places, GetParam(), 0);
}

TEST_P(cuda_scattered_methods, find_memory_that_was_not_added) {
  const auto places = places_of({512, 4096, 17, 8192}, 40, 1);
  const auto allocated = gpu->allocate_host(end_of(places), pinned());
  expect_both_directions(*copy, *stream, allocated.data(), places, GetParam(), 0);
  std::vector<std::byte> locked(end_of(places));
  const auto lock = gpu->lock(locked);
  expect_both_directions(*copy, *stream, locked.data(), places, GetParam(), 0);
}

TEST_P(cuda_scattered_methods, copy_ordinary_memory_except_by_the_kernel) {
  if (GetParam() == scattered_route::kernel) GTEST_SKIP() << "needs page-locked memory";
  const auto places = places_of({512, 4096, 17, 0, 8192, 65537}, 40, 1);
  std::vector<std::byte> memory(end_of(places));
  expect_both_directions(*copy, *stream, memory.data(), places, GetParam(), 0);
}

TEST_P(cuda_scattered_methods, copy_in_several_threads_at_once) {
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([this] {
      const auto thread_stream = gpu->create_stream();
      scattered_copy thread_copy(*gpu, *thread_stream);
      const auto places = places_of(std::vector<std::size_t>(3000, 700), 40, 1);
      const auto memory = gpu->allocate_host(end_of(places), pinned(pin_flags::mapped));
      thread_copy.add(memory.bytes());
      for (int i = 0; i < 3; ++i)
        expect_both_directions(thread_copy, *thread_stream, memory.data(), places, GetParam(), 0);
    });
}

std::string name_of(const testing::TestParamInfo<scattered_route>& info) {
  constexpr std::array<const char*, 5> names{"loop", "batch", "kernel", "automatic", "sparing"};
  return names.at(static_cast<std::size_t>(info.param));
}

INSTANTIATE_TEST_SUITE_P(methods, cuda_scattered_methods,
                         testing::Values(scattered_route::loop, scattered_route::batch,
                                         scattered_route::kernel, scattered_route::automatic,
                                         scattered_route::sparing),
                         name_of);

TEST_F(cuda_scattered, the_kernel_refuses_blocks_that_end_in_ordinary_memory) {
  std::vector<std::byte> ordinary(16384);
  const auto device_block = gpu->allocate(16384);
  const device_view stretch(device_block.data(), 16384);
  const auto refuses = [&](const scattered_block& block) {
    EXPECT_THROW(copy->enqueue({&block, 1}, stretch, direction::h2d, scattered_route::kernel),
                 unsupported);
  };
  refuses({ordinary.data(), 512});
  // CUDA locks whole pages, so the first byte behind the locked page is not locked.
  auto* const page = reinterpret_cast<std::byte*>(
      (reinterpret_cast<std::uintptr_t>(ordinary.data()) + 4095) / 4096 * 4096);
  const auto lock = gpu->lock({page, 4096});
  copy->add(lock.bytes());
  refuses({page + 4000, 4200});
  stream->synchronize();
}

TEST_F(cuda_scattered, automatic_copies_from_ordinary_and_locked_memory_alike) {
  const auto locked = gpu->allocate_host(4096, pinned());
  std::vector<std::byte> ordinary(4096, std::byte{2});
  std::ranges::fill(locked.bytes(), std::byte{1});
  const auto device_block = gpu->allocate(600);
  const std::vector<scattered_block> blocks{
      {ordinary.data() + 3, 100}, {locked.data() + 1, 300}, {ordinary.data() + 1000, 200}};
  copy->enqueue(blocks, {device_block.data(), 600}, direction::h2d);
  stream->synchronize();
  std::vector<std::byte> arrived(600);
  gpu->copy(arrived.data(), device_block.data(), 600, direction::d2h);
  for (std::size_t i = 0; i < 600; ++i)
    ASSERT_EQ(arrived[i], i >= 100 && i < 400 ? std::byte{1} : std::byte{2}) << i;
}

/// Printed rather than demanded, because other programs may use the link.
TEST_F(cuda_scattered, bandwidth_is_printed) {
  constexpr std::size_t total = std::size_t{64} << 20;
  const auto memory = gpu->allocate_host(2 * total, pinned(pin_flags::mapped));
  const auto device_block = gpu->allocate(total);
  copy->add(memory.bytes());
  for (const std::size_t bytes : {512, 4096, 8192, 65536}) {
    std::vector<place> places;
    for (std::size_t i = 0; i < total / bytes; ++i) places.push_back({i * 2 * bytes, bytes});
    std::ranges::shuffle(places, std::mt19937_64(1));
    const auto blocks = blocks_in(memory.data(), places);
    for (const auto direction : {direction::h2d, direction::d2h}) {
      double best = 0;
      double best_enqueued = 0;
      for (int i = 0; i < 8; ++i) {
        const auto start = std::chrono::steady_clock::now();
        copy->enqueue(blocks, {device_block.data(), total}, direction, scattered_route::kernel);
        const std::chrono::duration<double> enqueued = std::chrono::steady_clock::now() - start;
        stream->synchronize();
        const std::chrono::duration<double> all = std::chrono::steady_clock::now() - start;
        best = std::max(best, static_cast<double>(total) / all.count() / 1e9);
        best_enqueued =
            std::max(best_enqueued, static_cast<double>(total) / enqueued.count() / 1e9);
      }
      std::printf("%zu-byte blocks %s: %.1f GB/s; enqueued at %.0f GB/s\n", bytes,
                  direction == direction::h2d ? "h2d" : "d2h", best, best_enqueued);
      EXPECT_GT(best, 1);
    }
  }
}

}  // namespace
}  // namespace transfers::scattered_test
