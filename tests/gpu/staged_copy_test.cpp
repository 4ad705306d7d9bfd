#include "transfers/fast/staged_copy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "tests/gpu/on_gpu.hpp"
#include "tests/unit/transfers/counting_device.hpp"
#include "transfers/array/arithmetic.hpp"
#include "transfers/array/gpu_array.hpp"
#include "transfers/core/error.hpp"
#include "transfers/fast/round_trip.hpp"

namespace transfers {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr std::size_t around = 4096;
const pattern data{42, false};
const pattern poison{42, true};

class staged_on_cuda : public on_gpu {
 protected:
  /// Memory on both sides, with guards around what is copied, and one copy each way.
  void expect_exact(staged_copier& by, std::size_t bytes, std::size_t host_offset,
                    std::size_t device_offset) const {
    const auto host = gpu->allocate_host(bytes + 2 * around, pageable);
    const auto there = gpu->allocate(bytes + 2 * around);
    const auto host_room = host.size();
    // Pattern bytes depend on their place, so both ends are written as if they began at 0 …
    std::vector<std::byte> wanted(bytes);
    write_host_pattern(wanted.data(), 0, bytes, data);
    write_host_pattern(host.data(), 0, host_room, poison);
    std::ranges::copy(wanted, host.data() + host_offset);
    gpu->write_pattern(there.data(), 0, host_room, poison);
    by.copy(there.data() + device_offset, host.data() + host_offset, bytes, direction::h2d);
    // … and are looked at in a plain copy of all the device memory.
    std::vector<std::byte> all(host_room);
    gpu->copy(all.data(), there.data(), host_room, direction::d2h);
    std::vector<std::byte> expected(host_room);
    write_host_pattern(expected.data(), 0, host_room, poison);
    std::ranges::copy(wanted, expected.data() + device_offset);
    ASSERT_TRUE(all == expected) << bytes << " bytes h2d, offsets " << host_offset << " and "
                                 << device_offset;

    write_host_pattern(host.data(), 0, host_room, poison);
    by.copy(host.data() + host_offset, there.data() + device_offset, bytes, direction::d2h);
    write_host_pattern(expected.data(), 0, host_room, poison);
    std::ranges::copy(wanted, expected.data() + host_offset);
    ASSERT_TRUE(std::equal(expected.begin(), expected.end(), host.data()))
        << bytes << " bytes d2h, offsets " << host_offset << " and " << device_offset;
  }

  static staging always(unsigned threads) {
    staging how;
    how.threads = threads;
    how.h2d.least_bytes = how.d2h.least_bytes = 1;
    return how;
  }
};

TEST_F(staged_on_cuda, arrives_byte_for_byte_at_odd_sizes_and_offsets) {
  for (const unsigned threads : {1U, 3U, 8U}) {
    staged_copier by(*gpu, always(threads));
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{4095}, 256 * std::size_t{1024},
                                    mib - 1, mib + 1, 16 * mib + 13, 65 * mib + 1})
      expect_exact(by, bytes, 0, 0);
    expect_exact(by, 5 * mib + 3, 1, 0);
    expect_exact(by, 5 * mib + 3, 0, 1);
    expect_exact(by, 5 * mib + 3, 77, 515);
  }
}

TEST_F(staged_on_cuda, as_calibrated_says_from_which_size_on_it_is_faster) {
  staged_copier by(*gpu);
  const auto& how = by.how();
  RecordProperty("threads", static_cast<int>(how.threads));
  for (const auto way : {direction::h2d, direction::d2h}) {
    const auto& found = how.in(way);
    std::printf("%s: %u threads, from %zu bytes on, chunks from %zu bytes on, %s, %s when large\n",
                way == direction::h2d ? "h2d" : "d2h", how.threads, found.least_bytes,
                found.least_chunk, found.streaming_stores ? "streaming stores" : "memcpy",
                found.streaming_when_large ? "streaming stores" : "memcpy");
  }
  expect_exact(by, 33 * mib + 5, 3, 0);
  expect_exact(by, 100, 3, 0);
}

TEST_F(staged_on_cuda, serves_threads_that_have_not_used_the_device_before) {
  staged_copier by(*gpu, always(4));
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < 3; ++i)
    threads.emplace_back([&, i] {
      for (int k = 0; k < 3; ++k) expect_exact(by, (3 + i) * mib + i, i, 0);
    });
}

TEST_F(staged_on_cuda, a_copy_that_fails_is_an_exception_and_the_next_one_succeeds) {
  staged_copier by(*gpu, always(4));
  std::vector<std::byte> host(8 * mib);
  const auto there = gpu->allocate(mib);
  // Not memory of any device: the calls refuse it.
  auto* const nowhere = reinterpret_cast<std::byte*>(std::uintptr_t{0x10});
  for (const auto way : {direction::h2d, direction::d2h}) {
    auto* const to = way == direction::h2d ? nowhere : host.data();
    const auto* const from = way == direction::h2d ? host.data() : nowhere;
    EXPECT_THROW(by.copy(to, from, host.size(), way), device_error);
  }
  expect_exact(by, 8 * mib + 1, 0, 0);
}

/// Arrays of a context that has been told nothing, on a device that counts what it is asked for.
class arrays_on_cuda : public on_gpu {
 protected:
  void SetUp() override {
    on_gpu::SetUp();
    if (IsSkipped()) return;
    const auto& cuda = *gpu->description().cuda;
    if (cuda.host_page_tables || cuda.integrated)
      GTEST_SKIP() << "the device reaches ordinary memory itself";
    if (usable_processors() < 4) GTEST_SKIP() << "fewer than 4 processors: nothing is staged";
    counted_.emplace(std::move(gpu));
  }

  [[nodiscard]] device& on() { return *counted_; }
  [[nodiscard]] const device_counts& counts() { return counted_->counts(); }

  /// Copies that were enqueued on streams meanwhile: one for a plain copy, one for each chunk of a
  /// staged one.
  template <class Work>
  [[nodiscard]] std::size_t copies_of(Work&& work) {
    const std::size_t before = counts().enqueued;
    work();
    return counts().enqueued - before;
  }

  /// To the device and back, with the expected number of copies each way.
  template <class Expected>
  void expect_round_trip(const context& in, std::size_t elements, const Expected& copies) {
    std::vector<std::uint32_t> numbers(elements);
    std::iota(numbers.begin(), numbers.end(), 0U);
    std::optional<gpu_array<std::uint32_t>> array;
    EXPECT_THAT(copies_of([&] { array = to_gpu(in, numbers); }), copies) << elements << " up";
    std::vector<std::uint32_t> back(elements);
    EXPECT_THAT(copies_of([&] { array->get(back); }), copies) << elements << " down";
    EXPECT_TRUE(back == numbers) << elements;
    std::optional<host_array<std::uint32_t>> fresh;
    EXPECT_THAT(copies_of([&] { fresh = array->get(); }), copies) << elements << " down, fresh";
    EXPECT_TRUE(std::ranges::equal(*fresh, numbers)) << elements;
  }

 private:
  std::optional<counting_device> counted_;
};

TEST_F(arrays_on_cuda, of_pageable_memory_are_staged_by_themselves) {
  const context in(on());
  ASSERT_EQ(counts().host_bytes, 0U);  // no copier before it is needed
  const staging how;
  for (const std::size_t bytes : {64 * mib + 4, how.h2d.least_bytes})
    expect_round_trip(in, bytes / 4, testing::Gt(bytes / how.largest_chunk));
  EXPECT_EQ(counts().host_bytes, how.threads * how.chunks_per_thread * how.largest_chunk);
}

TEST_F(arrays_on_cuda, that_are_staged_have_arrived_when_they_are_calculated_with) {
  const context in(on());
  std::vector<float> numbers(16 * mib + 1);
  std::iota(numbers.begin(), numbers.end(), 0.0F);
  const auto result = (2 * to_gpu(in, numbers)).get();
  for (std::size_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(result[i], 2 * numbers[i]) << i;
}

TEST_F(arrays_on_cuda, of_pageable_memory_are_copied_plainly_where_they_are_small) {
  const context in(on());
  for (const std::size_t elements : {std::size_t{1}, mib / 4, staging().h2d.least_bytes / 4 - 1})
    expect_round_trip(in, elements, testing::Eq(1));
  EXPECT_EQ(counts().host_bytes, 0U);  // nor is a copier made
}

TEST_F(arrays_on_cuda, of_pageable_memory_are_copied_plainly_where_nobody_stages_them) {
  const context in(on());
  in.stage_by(nullptr);
  expect_round_trip(in, 16 * mib + 1, testing::Eq(1));
  EXPECT_EQ(counts().host_bytes, 0U);
}

TEST_F(arrays_on_cuda, of_page_locked_memory_are_copied_plainly) {
  const context in(on());
  const auto numbers = pinned_empty<std::uint32_t>(on(), {16 * mib + 1});
  std::iota(numbers.begin(), numbers.end(), 0U);
  const std::size_t own = counts().host_bytes;
  std::optional<gpu_array<std::uint32_t>> array;
  EXPECT_EQ(copies_of([&] { array = to_gpu(in, numbers); }), 1U);
  std::ranges::fill(numbers, 0U);
  EXPECT_EQ(copies_of([&] { array->get(numbers); }), 1U);
  EXPECT_EQ(counts().host_bytes, own);
  for (std::size_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(numbers[i], i);
}

class round_trips_on_cuda : public staged_on_cuda,
                            public testing::WithParamInterface<host_memory_kind> {};

TEST_P(round_trips_on_cuda, come_back_exact) {
  const context in(*gpu);
  for (const std::size_t elements : {std::size_t{1}, std::size_t{1000}, mib + 1, 16 * mib + 7}) {
    const host_buffer<std::int32_t> from(*gpu, elements, GetParam());
    const host_buffer<std::int32_t> to(*gpu, elements, GetParam());
    std::iota(from.begin(), from.end(), 0);
    std::ranges::fill(to, -1);
    for (int again = 0; again < 3; ++again)
      round_trip(in, from, to, [](stream& at, std::span<std::int32_t> piece, std::size_t) {
        calculate(at, arithmetic::multiply, piece, 3);
      });
    for (std::size_t i = 0; i < elements; ++i)
      ASSERT_EQ(to[i], 3 * static_cast<std::int32_t>(i)) << elements << " elements";
  }
}

TEST_P(round_trips_on_cuda, in_place_are_exact_too) {
  const context in(*gpu);
  const std::size_t elements = 4 * mib + 3;
  const host_buffer<std::int32_t> there(*gpu, elements, GetParam());
  std::iota(there.begin(), there.end(), 0);
  round_trip(in, there, there, [](stream& at, std::span<std::int32_t> piece, std::size_t) {
    calculate(at, arithmetic::add, piece, 5);
  });
  for (std::size_t i = 0; i < elements; ++i) ASSERT_EQ(there[i], static_cast<std::int32_t>(i) + 5);
}

INSTANTIATE_TEST_SUITE_P(from_and_to, round_trips_on_cuda, testing::Values(pageable, pinned()),
                         [](const auto& one) { return to_string(one.param); });

TEST_F(staged_on_cuda, a_round_trip_may_have_one_pageable_end) {
  const context in(*gpu);
  const std::size_t elements = 4 * mib + 3;
  for (const auto& [source, destination] : {std::pair{pageable, pinned()}, {pinned(), pageable}}) {
    const host_buffer<std::int32_t> from(*gpu, elements, source);
    const host_buffer<std::int32_t> to(*gpu, elements, destination);
    std::iota(from.begin(), from.end(), 0);
    std::ranges::fill(to, -1);
    round_trip(in, from, to, [](stream& at, std::span<std::int32_t> piece, std::size_t) {
      calculate(at, arithmetic::multiply, piece, 3);
    });
    for (std::size_t i = 0; i < elements; ++i) ASSERT_EQ(to[i], 3 * static_cast<std::int32_t>(i));
  }
}

}  // namespace
}  // namespace transfers
