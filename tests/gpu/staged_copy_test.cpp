#include "transfers/fast/staged_copy.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "tests/basics.hpp"
#include "tests/gpu/kernels_for_tests.hpp"
#include "tests/gpu/on_gpu.hpp"
#include "tests/gpu/pattern.hpp"
#include "tests/unit/transfers/counting_device.hpp"
#include "transfers/array/arithmetic.hpp"
#include "transfers/array/gpu_array.hpp"
#include "transfers/core/error.hpp"
#include "transfers/fast/round_trip.hpp"
#include "transfers/launch/launch.hpp"

namespace transfers::staged_copy_test {
namespace {

constexpr std::size_t around = 4096;
const pattern data{42, false};
const pattern poison{42, true};

class staged_on_cuda : public on_gpu {
 protected:
  /// Copies in both directions, between blocks with guards around the copied bytes.
  void expect_exact(staged_copier& copier, std::size_t bytes, std::size_t host_offset,
                    std::size_t device_offset) const {
    const auto host = gpu->allocate_host(bytes + 2 * around, pageable);
    const auto device_block = gpu->allocate(bytes + 2 * around);
    const auto host_room = host.size();
    // Pattern bytes depend on their offset in a block: write the content as a block of its own.
    std::vector<std::byte> content(bytes);
    write_host_pattern(content.data(), 0, bytes, data);
    write_host_pattern(host.data(), 0, host_room, poison);
    std::ranges::copy(content, host.data() + host_offset);
    write_pattern(*gpu, device_block.data(), 0, host_room, poison);
    copier.copy(device_block.data() + device_offset, host.data() + host_offset, bytes,
                direction::h2d);
    // Check all of the device memory with a plain copy.
    std::vector<std::byte> all(host_room);
    gpu->copy(all.data(), device_block.data(), host_room, direction::d2h);
    std::vector<std::byte> expected(host_room);
    write_host_pattern(expected.data(), 0, host_room, poison);
    std::ranges::copy(content, expected.data() + device_offset);
    ASSERT_TRUE(all == expected) << bytes << " bytes h2d, offsets " << host_offset << " and "
                                 << device_offset;

    write_host_pattern(host.data(), 0, host_room, poison);
    copier.copy(host.data() + host_offset, device_block.data() + device_offset, bytes,
                direction::d2h);
    write_host_pattern(expected.data(), 0, host_room, poison);
    std::ranges::copy(content, expected.data() + host_offset);
    ASSERT_TRUE(std::equal(expected.begin(), expected.end(), host.data()))
        << bytes << " bytes d2h, offsets " << host_offset << " and " << device_offset;
  }

  static staging always(unsigned threads) {
    staging settings;
    settings.threads = threads;
    settings.h2d.least_bytes = settings.d2h.least_bytes = 1;
    return settings;
  }
};

TEST_F(staged_on_cuda, arrives_byte_for_byte_at_odd_sizes_and_offsets) {
  for (const unsigned threads : {1U, 3U, 8U}) {
    staged_copier copier(*gpu, always(threads));
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{4095}, 256 * std::size_t{1024},
                                    mib - 1, mib + 1, 16 * mib + 13, 65 * mib + 1})
      expect_exact(copier, bytes, 0, 0);
    expect_exact(copier, 5 * mib + 3, 1, 0);
    expect_exact(copier, 5 * mib + 3, 0, 1);
    expect_exact(copier, 5 * mib + 3, 77, 515);
  }
}

TEST_F(staged_on_cuda, with_calibrated_settings_is_exact_and_prints_them) {
  staged_copier copier(*gpu);
  const auto& settings = copier.settings();
  RecordProperty("threads", static_cast<int>(settings.threads));
  for (const auto direction : {direction::h2d, direction::d2h}) {
    const auto& chosen = settings[direction];
    std::printf(
        "%s: %u threads, from %zu bytes on, alone from %zu, chunks from %zu, %s, %s when "
        "large\n",
        direction == direction::h2d ? "h2d" : "d2h", settings.threads, chosen.least_bytes,
        chosen.least_bytes_alone, chosen.least_chunk,
        chosen.streaming_stores ? "streaming stores" : "memcpy",
        chosen.streaming_when_large ? "streaming stores" : "memcpy");
  }
  expect_exact(copier, 33 * mib + 5, 3, 0);
  expect_exact(copier, 100, 3, 0);
}

TEST_F(staged_on_cuda, serves_threads_that_have_not_used_the_device_before) {
  staged_copier copier(*gpu, always(4));
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < 3; ++i)
    threads.emplace_back([&, i] {
      for (int k = 0; k < 3; ++k) expect_exact(copier, (3 + i) * mib + i, i, 0);
    });
}

TEST_F(staged_on_cuda, a_copy_that_fails_is_an_exception_and_the_next_one_succeeds) {
  staged_copier copier(*gpu, always(4));
  std::vector<std::byte> host(8 * mib);
  const auto device_block = gpu->allocate(mib);
  // Not memory of any device: the calls refuse it.
  auto* const nowhere = reinterpret_cast<std::byte*>(std::uintptr_t{0x10});
  for (const auto direction : {direction::h2d, direction::d2h}) {
    auto* const dst = direction == direction::h2d ? nowhere : host.data();
    const auto* const src = direction == direction::h2d ? host.data() : nowhere;
    EXPECT_THROW(copier.copy(dst, src, host.size(), direction), device_error);
  }
  expect_exact(copier, 8 * mib + 1, 0, 0);
}

TEST_F(staged_on_cuda, needs_no_multiprocessor) {
  staged_copier copier(*gpu, always(4));
  const context context(*gpu);
  const auto word = gpu->allocate_host(sizeof(unsigned), pinned(pin_flags::mapped));
  const std::atomic_ref go_on(*reinterpret_cast<unsigned*>(word.data()));
  go_on = 0;
  const std::vector<std::byte> host(5 * mib, std::byte{7});
  std::vector<std::byte> back(host.size());
  const auto on_device = gpu->allocate(host.size());  // before the kernel, which it may wait for
  const auto occupy = cuda_function("occupy", occupy_kernel()).prepare<const unsigned*>();
  // As many threads as all multiprocessors hold, and as many that wait for them.
  const auto blocks = 4 * static_cast<unsigned>(gpu->description().cuda->multiprocessors);
  occupy(context.stream(), {.grid = {blocks}, .block = {1024}},
         reinterpret_cast<const unsigned*>(word.on_device()));
  // Also if a copy throws: the kernel would never end.
  const std::shared_ptr<void> releasing(nullptr, [&](void*) {
    std::atomic_ref(*reinterpret_cast<unsigned*>(word.data())) = 1;
    context.stream().synchronize();
  });
  for (int i = 0; i < 3; ++i) {
    copier.copy(on_device.data(), host.data(), host.size(), direction::h2d);
    copier.copy(back.data(), on_device.data(), back.size(), direction::d2h);
  }
  const bool was_busy = go_on.exchange(1) == 0;
  context.stream().synchronize();
  EXPECT_TRUE(was_busy);
  EXPECT_EQ(back, host);
}

TEST_F(staged_on_cuda, serves_threads_while_others_wait_for_the_whole_device) {
  staged_copier copier(*gpu, always(4));
  // Each of these calls may wait for all work, and hold locks of the driver meanwhile.
  const std::jthread disturbing([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      gpu->synchronize();
      static_cast<void>(gpu->allocate(mib));
      static_cast<void>(gpu->allocate_host(mib, pinned()));
    }
  });
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < 3; ++i)
      threads.emplace_back([&, i] {
        for (int k = 0; k < 10; ++k) expect_exact(copier, (3 + i) * mib + i, i, 0);
      });
  }
}

/// Arrays of a context with default settings, on a device that counts operations and allocations.
class arrays_on_cuda : public on_gpu {
 protected:
  void set_up() override {
    const auto& cuda = *gpu->description().cuda;
    if (cuda.host_page_tables || cuda.integrated)
      GTEST_SKIP() << "the device reaches ordinary memory itself";
    if (usable_processors() < 4) GTEST_SKIP() << "fewer than 4 processors: nothing is staged";
    counted_.emplace(std::move(gpu));
  }

  [[nodiscard]] device& counted() { return *counted_; }
  [[nodiscard]] const device_counts& counts() { return counted_->counts(); }

  /// The number of copies that `work` enqueues on streams: one for a plain copy, one for each chunk
  /// of a staged copy.
  template <class Work>
  [[nodiscard]] std::size_t copies_of(Work&& work) {
    const std::size_t before = counts().enqueued;
    work();
    return counts().enqueued - before;
  }

  /// Copies to the device and back, with the expected number of enqueued copies in each direction.
  template <class Expected>
  void expect_round_trip(const context& context, std::size_t elements, const Expected& copies) {
    std::vector<std::uint32_t> numbers(elements);
    std::iota(numbers.begin(), numbers.end(), 0U);
    std::optional<gpu_array<std::uint32_t>> array;
    EXPECT_THAT(copies_of([&] { array = to_gpu(context, numbers); }), copies) << elements << " up";
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

TEST_F(arrays_on_cuda, of_pageable_memory_are_staged_by_default) {
  const context context(counted());
  ASSERT_EQ(counts().host_bytes, 0U);  // the copier acquires memory when it is first needed
  const staging settings;
  for (const std::size_t bytes : {64 * mib + 4, settings.h2d.least_bytes})
    expect_round_trip(context, bytes / 4, Gt(bytes / settings.largest_chunk));
  EXPECT_EQ(counts().host_bytes, settings.chunks * settings.largest_chunk);
}

TEST_F(arrays_on_cuda, that_are_staged_have_arrived_before_calculations) {
  const context context(counted());
  std::vector<float> numbers(16 * mib + 1);
  std::iota(numbers.begin(), numbers.end(), 0.0F);
  const auto result = (2 * to_gpu(context, numbers)).get();
  for (std::size_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(result[i], 2 * numbers[i]) << i;
}

TEST_F(arrays_on_cuda, of_pageable_memory_are_copied_plainly_if_they_are_small) {
  const context context(counted());
  for (const std::size_t elements : {std::size_t{1}, mib / 16, staging().h2d.least_bytes / 4 - 1})
    expect_round_trip(context, elements, Eq(1));
  EXPECT_EQ(counts().host_bytes, 0U);  // the copier was not needed
}

TEST_F(arrays_on_cuda, of_pageable_memory_are_copied_plainly_without_a_copier) {
  const context context(counted());
  context.stage_by(nullptr);
  expect_round_trip(context, 16 * mib + 1, Eq(1));
  EXPECT_EQ(counts().host_bytes, 0U);
}

TEST_F(arrays_on_cuda, of_page_locked_memory_are_copied_plainly) {
  const context context(counted());
  auto numbers = pinned_empty<std::uint32_t>(counted(), {16 * mib + 1});
  std::iota(numbers.begin(), numbers.end(), 0U);
  const std::size_t before = counts().host_bytes;
  std::optional<gpu_array<std::uint32_t>> array;
  EXPECT_EQ(copies_of([&] { array = to_gpu(context, numbers); }), 1U);
  std::ranges::fill(numbers, 0U);
  EXPECT_EQ(copies_of([&] { array->get(numbers); }), 1U);
  EXPECT_EQ(counts().host_bytes, before);
  for (std::size_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(numbers[i], i);
}

class round_trips_on_cuda : public staged_on_cuda,
                            public testing::WithParamInterface<host_memory_kind> {};

TEST_P(round_trips_on_cuda, come_back_exact) {
  const context context(*gpu);
  for (const std::size_t elements : {std::size_t{1}, std::size_t{1000}, mib + 1, 16 * mib + 7}) {
    host_buffer<std::int32_t> src(*gpu, elements, GetParam());
    host_buffer<std::int32_t> dst(*gpu, elements, GetParam());
    std::iota(src.begin(), src.end(), 0);
    std::ranges::fill(dst, -1);
    for (int i = 0; i < 3; ++i)
      round_trip(context, src, dst,
                 [](stream& stream, device_view<std::int32_t> piece, std::size_t) {
                   calculate(stream, arithmetic::multiply, piece, 3);
                 });
    for (std::size_t i = 0; i < elements; ++i)
      ASSERT_EQ(dst[i], 3 * static_cast<std::int32_t>(i)) << elements << " elements";
  }
}

TEST_P(round_trips_on_cuda, in_place_are_exact_too) {
  const context context(*gpu);
  const std::size_t elements = 4 * mib + 3;
  host_buffer<std::int32_t> numbers(*gpu, elements, GetParam());
  std::iota(numbers.begin(), numbers.end(), 0);
  round_trip(context, numbers, numbers,
             [](stream& stream, device_view<std::int32_t> piece, std::size_t) {
               calculate(stream, arithmetic::add, piece, 5);
             });
  for (std::size_t i = 0; i < elements; ++i)
    ASSERT_EQ(numbers[i], static_cast<std::int32_t>(i) + 5);
}

INSTANTIATE_TEST_SUITE_P(from_and_to, round_trips_on_cuda, testing::Values(pageable, pinned()),
                         [](const auto& instance) { return to_string(instance.param); });

TEST_F(staged_on_cuda, a_round_trip_may_have_one_pageable_end) {
  const context context(*gpu);
  const std::size_t elements = 4 * mib + 3;
  for (const auto& [src_kind, dst_kind] : {std::pair{pageable, pinned()}, {pinned(), pageable}}) {
    host_buffer<std::int32_t> src(*gpu, elements, src_kind);
    host_buffer<std::int32_t> dst(*gpu, elements, dst_kind);
    std::iota(src.begin(), src.end(), 0);
    std::ranges::fill(dst, -1);
    round_trip(context, src, dst, [](stream& stream, device_view<std::int32_t> piece, std::size_t) {
      calculate(stream, arithmetic::multiply, piece, 3);
    });
    for (std::size_t i = 0; i < elements; ++i) ASSERT_EQ(dst[i], 3 * static_cast<std::int32_t>(i));
  }
}

}  // namespace
}  // namespace transfers::staged_copy_test
