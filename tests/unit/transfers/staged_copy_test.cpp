#include "transfers/fast/staged_copy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "src/transfers/fast/calibrate_staging.hpp"
#include "tests/unit/transfers/counting_device.hpp"
#include "transfers/array/gpu_array.hpp"
#include "transfers/launch/arguments.hpp"

namespace transfers {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t page = 4096;
constexpr std::array ways{direction::h2d, direction::d2h};

/// Everything is staged, in chunks of one page.
staging in_pages(unsigned threads, bool streaming = true) {
  staging how;
  how.threads = threads;
  how.chunks_per_thread = 2;
  how.largest_chunk = page;
  how.h2d = how.d2h = {1, page, streaming, streaming};
  return how;
}

/// Host and device memory with the same room around what is copied, each with bytes of its own.
struct both_sides {
  std::vector<std::byte> host;
  device_memory on_device;

  both_sides(device& on, std::size_t room) : host(room), on_device(on.allocate(room)) {
    write_host_pattern(host.data(), 0, room, {1});
    on.write_pattern(on_device.data(), 0, room, {2});
  }
};

/// Copies `bytes` bytes from one offset to another one, and compares all of the destination with
/// what must be there.
void expect_exact_copy(device& on, staged_copier& by, direction way, std::size_t bytes,
                       std::size_t host_offset, std::size_t device_offset) {
  constexpr std::size_t around = 128;
  const auto room = bytes + 2 * around;
  both_sides both(on, room);
  auto* const on_host = both.host.data() + host_offset;
  auto* const on_device = both.on_device.data() + device_offset;
  // The host device's memory is the host's.
  std::vector<std::byte> expected(both.on_device.data(), both.on_device.data() + room);
  if (way == direction::h2d) {
    std::copy_n(on_host, bytes, expected.data() + device_offset);
    by.copy(on_device, on_host, bytes, way);
    ASSERT_EQ(std::memcmp(both.on_device.data(), expected.data(), room), 0);
  } else {
    expected.assign(both.host.data(), both.host.data() + room);
    std::copy_n(on_device, bytes, expected.data() + host_offset);
    by.copy(on_host, on_device, bytes, way);
    ASSERT_EQ(std::memcmp(both.host.data(), expected.data(), room), 0);
  }
}

class staged_by : public testing::TestWithParam<unsigned> {};

TEST_P(staged_by, so_many_threads_arrives_byte_for_byte_at_odd_sizes) {
  const auto on = open_host_device();
  for (const bool streaming : {false, true}) {
    staged_copier by(*on, in_pages(GetParam(), streaming));
    for (const auto way : ways)
      for (const std::size_t bytes :
           {std::size_t{1}, std::size_t{63}, std::size_t{64}, page - 1, page, page + 1,
            2 * page - 1, 2 * page + 1, 7 * page + 13, 64 * page, 64 * page + 1}) {
        SCOPED_TRACE(bytes);
        expect_exact_copy(*on, by, way, bytes, 0, 0);
      }
  }
}

TEST_P(staged_by, so_many_threads_arrives_at_odd_offsets) {
  const auto on = open_host_device();
  staged_copier by(*on, in_pages(GetParam()));
  for (const auto way : ways)
    for (const std::size_t host_offset : {0, 1, 7, 64, 100})
      for (const std::size_t device_offset : {0, 3, 128}) {
        SCOPED_TRACE(std::to_string(host_offset) + " " + std::to_string(device_offset));
        expect_exact_copy(*on, by, way, 9 * page + 5, host_offset, device_offset);
      }
}

TEST_P(staged_by, so_many_threads_does_so_again_and_again_after_sleeping) {
  const auto on = open_host_device();
  staged_copier by(*on, in_pages(GetParam()));
  for (int i = 0; i < 20; ++i) {
    expect_exact_copy(*on, by, ways[static_cast<std::size_t>(i % 2)], 5 * page + 1, 0, 0);
    if (i % 5 == 0) std::this_thread::sleep_for(2ms);
  }
}

INSTANTIATE_TEST_SUITE_P(threads, staged_by, testing::Values(1, 2, 3, 8));

TEST(staged_copier, copies_nothing_where_there_is_nothing) {
  const auto on = open_host_device();
  staged_copier by(*on, in_pages(2));
  by.copy(nullptr, nullptr, 0, direction::h2d);
}

TEST(staged_copier, leaves_what_is_too_small_to_the_device) {
  counting_device on;
  auto how = in_pages(2);
  how.h2d.least_bytes = 3 * page;
  how.d2h.least_bytes = staging::never;
  staged_copier by(on, how);
  expect_exact_copy(on, by, direction::h2d, 3 * page - 1, 0, 0);
  expect_exact_copy(on, by, direction::d2h, 64 * page, 0, 0);
  EXPECT_EQ(on.counts().enqueued, 0U);
  expect_exact_copy(on, by, direction::h2d, 3 * page, 0, 0);
  EXPECT_EQ(on.counts().enqueued, 3U);  // a chunk each
  EXPECT_FALSE(by.stages(3 * page - 1, direction::h2d));
  EXPECT_TRUE(by.stages(3 * page, direction::h2d));
}

TEST(staged_copier, makes_chunks_that_grow_towards_the_middle) {
  counting_device on;
  auto how = in_pages(2);
  how.largest_chunk = 8 * page;
  staged_copier by(on, how);
  const auto chunks_of = [&](std::size_t pages) {
    const std::size_t before = on.counts().enqueued;
    expect_exact_copy(on, by, direction::h2d, pages * page, 0, 0);
    return on.counts().enqueued - before;
  };
  EXPECT_EQ(chunks_of(1), 1U);
  EXPECT_EQ(chunks_of(4), 4U);     // 1 1 1 1
  EXPECT_EQ(chunks_of(12), 9U);    // 1 1 1 1 2 3 1 1 1
  EXPECT_LT(chunks_of(256), 60U);  // most of 8
  EXPECT_GT(chunks_of(256), 32U);  // not all
}

TEST(staged_copier, serves_several_threads_at_once) {
  const auto on = open_host_device();
  staged_copier by(*on, in_pages(3));
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (int k = 0; k < 5; ++k) expect_exact_copy(*on, by, ways[i % 2], (5 + i) * page + i, i, 0);
    });
}

TEST(staged_copier, gives_back_its_memory) {
  counting_device on;
  {
    staged_copier by(on, in_pages(3));
    EXPECT_EQ(on.counts().host_bytes, 3 * 2 * page);
    expect_exact_copy(on, by, direction::h2d, 100 * page, 0, 0);
  }
  EXPECT_TRUE(on.counts().nothing_allocated());
}

TEST(staged_copier, survives_each_operation_that_fails) {
  for (const auto way : ways) {
    const auto failures = fail_each(failure::operation, [&](counting_device& on) {
      on.counts().slowed_by = 20us;
      staged_copier by(on, in_pages(3));
      both_sides both(on, 12 * page);
      auto* to = way == direction::h2d ? both.on_device.data() : both.host.data();
      auto* from = way == direction::h2d ? both.host.data() : both.on_device.data();
      try {
        by.copy(to, from, 12 * page, way);
      } catch (const device_error&) {
        EXPECT_TRUE(on.counts().idle()) << "something was still under way";
        // The next one is as good as if nothing had been.
        on.counts().failing_operation = 0;
        expect_exact_copy(on, by, way, 12 * page, 0, 0);
        return false;
      }
      return true;
    });
    EXPECT_GE(failures, 24U);  // a copy and an event for each chunk
  }
}

TEST(staged_copier, survives_memory_that_is_refused) {
  EXPECT_EQ(fail_each(failure::allocation,
                      [](counting_device& on) {
                        try {
                          staged_copier by(on, in_pages(2));
                        } catch (const out_of_memory&) {
                          EXPECT_TRUE(on.counts().nothing_allocated());
                          return false;
                        }
                        return true;
                      }),
            1U);
}

TEST(staged_copier, refuses_settings_of_nothing) {
  const auto on = open_host_device();
  const auto refused = [&](auto&& change) {
    auto how = in_pages(2);
    change(how);
    EXPECT_THROW(staged_copier(*on, how), std::invalid_argument);
  };
  refused([](staging& how) { how.threads = 0; });
  refused([](staging& how) { how.chunks_per_thread = 0; });
  refused([](staging& how) { how.largest_chunk = 0; });
  refused([](staging& how) { how.largest_chunk = page + 1; });
  refused([](staging& how) { how.d2h.least_chunk = 0; });
  refused([](staging& how) { how.h2d.least_chunk = page / 2; });
  refused([](staging& how) { how.h2d.least_chunk = 2 * page; });
}

TEST(calibrate_staging, finds_settings_that_work_and_gives_back_its_memory) {
  counting_device on;
  const auto how = calibrate_staging(on);
  EXPECT_GE(how.threads, 1U);
  EXPECT_LE(how.threads, std::max(1U, usable_processors()));
  EXPECT_TRUE(on.counts().nothing_allocated());
  staged_copier by(on, how);
  expect_exact_copy(on, by, direction::h2d, (std::size_t{65} << 20) + 1, 0, 0);
}

TEST(calibrate_staging, finds_from_which_size_on_slow_copies_are_better_staged) {
  counting_device on;
  auto& counts = on.counts();
  counts.copy_time_of_mib = 2ms;
  // A staged copy takes 1 ms at any size: as long as half a MiB copied plainly.
  const auto how = detail::calibrate_staging(on, [&counts] { return counts.clock += 1ms; });
  for (const auto way : ways) EXPECT_EQ(how.in(way).least_bytes, std::size_t{64} << 10);
  EXPECT_TRUE(on.counts().nothing_allocated());
  staged_copier by(on, how);
  const std::size_t before = on.counts().enqueued;
  expect_exact_copy(on, by, direction::d2h, (std::size_t{65} << 20) + 1, 0, 0);
  EXPECT_GT(on.counts().enqueued, before + 10);
}

class arrays_of_pageable_memory : public testing::Test {
 protected:
  void SetUp() override { on_.counts().stages_copies = true; }
  counting_device on_;
  std::vector<int> numbers_ = std::vector<int>(3 * page + 1);
};

TEST_F(arrays_of_pageable_memory, are_staged_by_the_copier_given) {
  const context in(on_);
  in.stage_by(std::make_shared<staged_copier>(on_, in_pages(2)));
  std::iota(numbers_.begin(), numbers_.end(), 7);
  const auto array = to_gpu(in, numbers_);
  EXPECT_GE(on_.counts().enqueued, 13U);  // chunks, where a plain copy is one
  std::vector<int> back(numbers_.size());
  array.get(back);
  EXPECT_EQ(back, numbers_);
  EXPECT_GE(on_.counts().enqueued, 26U);
}

TEST_F(arrays_of_pageable_memory, are_staged_as_arguments_of_a_call) {
  const context in(on_);
  in.stage_by(std::make_shared<staged_copier>(on_, in_pages(2)));
  std::iota(numbers_.begin(), numbers_.end(), 7);
  const auto numbers = numbers_;
  std::vector<int> sums(numbers.size());
  const std::size_t chunks = 13;  // of each copy
  call(
      in,
      [&](const int* source, int* changed, int* destination) {
        EXPECT_GE(on_.counts().enqueued, 2 * chunks);
        in.stream().call([=, count = sums.size()] {
          for (std::size_t i = 0; i < count; ++i) {
            destination[i] = source[i] + changed[i];
            changed[i] = -changed[i];
          }
        });
      },
      transfers::in(numbers), in_out(numbers_), out(sums));
  EXPECT_GE(on_.counts().enqueued, 4 * chunks);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    ASSERT_EQ(numbers_[i], -numbers[i]) << i;
    ASSERT_EQ(sums[i], 2 * numbers[i]) << i;
  }
}

TEST_F(arrays_of_pageable_memory, are_only_enqueued_as_arguments_where_they_are_small) {
  const context in(on_);
  call(
      in, [&](const int*, int*) { EXPECT_EQ(on_.counts().enqueued, 2U); }, transfers::in(numbers_),
      in_out(numbers_));
  EXPECT_EQ(on_.counts().enqueued, 3U);
  EXPECT_EQ(on_.counts().host_blocks, 0U);
}

TEST_F(arrays_of_pageable_memory, are_copied_plainly_where_they_are_small) {
  const context in(on_);
  const auto array = to_gpu(in, numbers_);
  EXPECT_EQ(on_.counts().enqueued, 1U);
  EXPECT_EQ(on_.counts().host_blocks, 0U);  // nothing is made for what is not needed
}

TEST_F(arrays_of_pageable_memory, are_copied_plainly_without_a_copier) {
  const context in(on_);
  in.stage_by(nullptr);
  numbers_.resize(std::size_t{2} << 20);
  const auto array = to_gpu(in, numbers_);
  EXPECT_EQ(on_.counts().enqueued, 1U);
}

TEST_F(arrays_of_pageable_memory, are_copied_plainly_when_they_are_page_locked_after_all) {
  on_.counts().stages_copies = false;
  const context in(on_);
  in.stage_by(std::make_shared<staged_copier>(on_, in_pages(2)));
  const auto array = to_gpu(in, numbers_);
  EXPECT_EQ(on_.counts().enqueued, 1U);
}

TEST_F(arrays_of_pageable_memory, are_copied_plainly_when_there_is_no_memory_to_stage_them) {
  const context in(on_);
  on_.counts().host_capacity = 0;
  numbers_.resize(std::size_t{2} << 20);
  const auto array = to_gpu(in, numbers_);
  EXPECT_EQ(on_.counts().enqueued, 1U);
  EXPECT_EQ(array.get().size(), numbers_.size());
}

TEST_F(arrays_of_pageable_memory, are_read_after_the_work_before_the_copy) {
  on_.counts().slowed_by = 5ms;
  const context in(on_);
  in.stage_by(std::make_shared<staged_copier>(on_, in_pages(2)));
  std::ranges::fill(numbers_, 1);
  auto array = to_gpu(in, numbers_);
  array.clear();  // still under way when the download begins
  array.get(numbers_);
  EXPECT_THAT(numbers_, testing::Each(0));
}

}  // namespace
}  // namespace transfers
