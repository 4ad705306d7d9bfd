#include "transfers/fast/staged_copy.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "src/transfers/fast/best_switch.hpp"
#include "src/transfers/fast/calibrate_staging.hpp"
#include "src/transfers/fast/copy_row.hpp"
#include "tests/basics.hpp"
#include "tests/unit/transfers/counting_device.hpp"
#include "tests/unit/transfers/test_bytes.hpp"
#include "transfers/array/gpu_array.hpp"
#include "transfers/launch/arguments.hpp"

namespace transfers::staged_copy_test {
namespace {

constexpr std::size_t page = 4096;
constexpr std::array directions{direction::h2d, direction::d2h};

/// Stages all copies, in chunks of one page.
staging in_pages(unsigned threads, bool streaming = true) {
  staging settings;
  settings.threads = threads;
  settings.chunks = 6;
  settings.largest_chunk = page;
  settings.h2d = settings.d2h = {1, page, streaming, streaming};
  return settings;
}

/// Host and device memory of the same size, with different bytes.
struct test_memory {
  std::vector<std::byte> host;
  device_memory device;

  test_memory(transfers::device& owner, std::size_t bytes)
      : host(bytes), device(owner.allocate(bytes)) {
    test_bytes(1).write_to(host);
    test_bytes(2).write_to({device.data(), bytes});  // the memory of the host device is the host's
  }
};

/// Copies `bytes` bytes from one offset to the other, and checks every byte of the destination and
/// around it.
void expect_exact_copy(device& device, staged_copier& copier, direction direction,
                       std::size_t bytes, std::size_t host_offset, std::size_t device_offset) {
  constexpr std::size_t around = 128;
  const auto room = bytes + 2 * around;
  test_memory memory(device, room);
  auto* const on_host = memory.host.data() + host_offset;
  auto* const on_device = memory.device.data() + device_offset;
  // The memory of the host device is the host's.
  std::vector<std::byte> expected(memory.device.data(), memory.device.data() + room);
  if (direction == direction::h2d) {
    std::copy_n(on_host, bytes, expected.data() + device_offset);
    copier.copy(on_device, on_host, bytes, direction);
    ASSERT_EQ(std::memcmp(memory.device.data(), expected.data(), room), 0);
  } else {
    expected.assign(memory.host.data(), memory.host.data() + room);
    std::copy_n(on_device, bytes, expected.data() + host_offset);
    copier.copy(on_host, on_device, bytes, direction);
    ASSERT_EQ(std::memcmp(memory.host.data(), expected.data(), room), 0);
  }
}

class staged_copies : public testing::TestWithParam<unsigned> {};

TEST_P(staged_copies, arrive_byte_for_byte_at_odd_sizes) {
  const auto device = open_host_device();
  for (const bool streaming : {false, true}) {
    staged_copier copier(*device, in_pages(GetParam(), streaming));
    for (const auto direction : directions)
      for (const std::size_t bytes :
           {std::size_t{1}, std::size_t{63}, std::size_t{64}, page - 1, page, page + 1,
            2 * page - 1, 2 * page + 1, 7 * page + 13, 64 * page, 64 * page + 1}) {
        SCOPED_TRACE(bytes);
        expect_exact_copy(*device, copier, direction, bytes, 0, 0);
      }
  }
}

TEST_P(staged_copies, arrive_at_odd_offsets) {
  const auto device = open_host_device();
  staged_copier copier(*device, in_pages(GetParam()));
  for (const auto direction : directions)
    for (const std::size_t host_offset : {0, 1, 7, 64, 100})
      for (const std::size_t device_offset : {0, 3, 128}) {
        SCOPED_TRACE(std::to_string(host_offset) + " " + std::to_string(device_offset));
        expect_exact_copy(*device, copier, direction, 9 * page + 5, host_offset, device_offset);
      }
}

TEST_P(staged_copies, arrive_again_after_the_threads_have_slept) {
  const auto device = open_host_device();
  staged_copier copier(*device, in_pages(GetParam()));
  for (int i = 0; i < 20; ++i) {
    expect_exact_copy(*device, copier, directions[static_cast<std::size_t>(i % 2)], 5 * page + 1, 0,
                      0);
    if (i % 5 == 0) std::this_thread::sleep_for(2ms);
  }
}

INSTANTIATE_TEST_SUITE_P(threads, staged_copies, testing::Values(1, 2, 3, 8));

TEST(staged_copier, takes_copies_of_no_bytes) {
  counting_device device;
  staged_copier copier(device, in_pages(2));
  copier.copy(nullptr, nullptr, 0, direction::h2d);
  EXPECT_EQ(device.counts().enqueued, 0U);
}

TEST(staged_copier, leaves_small_copies_to_the_device) {
  counting_device device;
  auto settings = in_pages(2);
  settings.h2d.least_bytes = 3 * page;
  settings.d2h.least_bytes = staging::never;
  staged_copier copier(device, settings);
  expect_exact_copy(device, copier, direction::h2d, 3 * page - 1, 0, 0);
  expect_exact_copy(device, copier, direction::d2h, 64 * page, 0, 0);
  EXPECT_EQ(device.counts().ordinary_copies, 2U);
  EXPECT_EQ(device.counts().enqueued, 2U);
  expect_exact_copy(device, copier, direction::h2d, 3 * page, 0, 0);
  EXPECT_EQ(device.counts().ordinary_copies, 2U);
  EXPECT_EQ(device.counts().enqueued, 5U);  // a chunk each
  EXPECT_FALSE(copier.stages(3 * page - 1, direction::h2d));
  EXPECT_TRUE(copier.stages(3 * page, direction::h2d));
}

TEST(staged_copier, stages_small_copies_only_while_its_threads_are_awake) {
  counting_device device;
  auto settings = in_pages(2);
  for (const auto direction : directions) settings[direction].least_bytes_alone = staging::never;
  staged_copier copier(device, settings);
  EXPECT_EQ(copier.least_bytes(direction::h2d), 1U);
  test_memory memory(device, page);
  const auto copy = [&] {
    copier.copy(memory.device.data(), memory.host.data(), page, direction::h2d);
  };
  for (int i = 0; i < 5; ++i) {
    std::this_thread::sleep_for(1ms);  // at least
    copy();
  }
  const auto& counts = device.counts();
  EXPECT_EQ(counts.enqueued, 5U);
  EXPECT_EQ(counts.ordinary_copies, 5U);
  // This thread may lose its processor between two copies, but not between all of them.
  for (int i = 0; i < 100'000 && counts.enqueued == counts.ordinary_copies; ++i) copy();
  EXPECT_EQ(counts.enqueued, counts.ordinary_copies + 1);
}

TEST(copy_row, ends_when_no_copy_follows_soon) {
  const detail::copy_row::time begin(1h);
  detail::copy_row row;
  EXPECT_EQ(row.pace(begin), copy_pace::alone);
  row.end(begin);
  EXPECT_EQ(row.pace(begin), copy_pace::in_row);
  EXPECT_EQ(row.pace(begin + worker_team::usual_look_out - 1ns), copy_pace::in_row);
  EXPECT_EQ(row.pace(begin + worker_team::usual_look_out), copy_pace::alone);
}

TEST(staged_copier, cuts_uploads_into_chunks_that_grow_and_downloads_into_those_that_shrink) {
  counting_device device;
  auto settings = in_pages(2);
  settings.largest_chunk = 8 * page;
  staged_copier copier(device, settings);
  const auto chunks_of = [&](std::size_t pages, direction direction) {
    const std::size_t before = device.counts().enqueued;
    expect_exact_copy(device, copier, direction, pages * page, 0, 0);
    return device.counts().enqueued - before;
  };
  EXPECT_EQ(chunks_of(1, direction::h2d), 1U);
  EXPECT_EQ(chunks_of(4, direction::h2d), 3U);    // 1 1 2
  EXPECT_EQ(chunks_of(12, direction::h2d), 5U);   // 1 1 2 4 4
  EXPECT_EQ(chunks_of(64, direction::h2d), 11U);  // 1 1 2 4, and seven of 8
  EXPECT_EQ(chunks_of(1, direction::d2h), 1U);
  EXPECT_EQ(chunks_of(2, direction::d2h), 2U);    // 1 1
  EXPECT_EQ(chunks_of(4, direction::d2h), 2U);    // 2 2
  EXPECT_EQ(chunks_of(12, direction::d2h), 4U);   // 6 3 2 1
  EXPECT_EQ(chunks_of(64, direction::d2h), 10U);  // seven of 8, 4 2 2
}

TEST(staged_copier, serves_several_threads_at_once) {
  const auto device = open_host_device();
  staged_copier copier(*device, in_pages(3));
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (int k = 0; k < 5; ++k)
        expect_exact_copy(*device, copier, directions[i % 2], (5 + i) * page + i, i, 0);
    });
}

TEST(staged_copier, gives_back_its_memory) {
  counting_device device;
  {
    staged_copier copier(device, in_pages(3));
    EXPECT_EQ(device.counts().host_bytes, 6 * page);
    expect_exact_copy(device, copier, direction::h2d, 100 * page, 0, 0);
  }
  EXPECT_TRUE(device.counts().nothing_allocated());
}

TEST(staged_copier, survives_each_operation_that_fails) {
  for (const auto direction : directions) {
    const auto failures = fail_each(failure::operation, [&](counting_device& device) {
      device.counts().slowed_by = 20us;
      std::optional<staged_copier> made;
      try {
        made.emplace(device, in_pages(3));
      } catch (const device_error&) {
        return false;
      }
      auto& copier = *made;
      test_memory memory(device, 12 * page);
      auto* dst = direction == direction::h2d ? memory.device.data() : memory.host.data();
      auto* src = direction == direction::h2d ? memory.host.data() : memory.device.data();
      try {
        copier.copy(dst, src, 12 * page, direction);
      } catch (const device_error&) {
        EXPECT_TRUE(device.counts().idle()) << "something was still under way";
        // The next copy succeeds.
        device.counts().failing_operation = 0;
        expect_exact_copy(device, copier, direction, 12 * page, 0, 0);
        return false;
      }
      return true;
    });
    EXPECT_GE(failures, 18U);  // a copy of each chunk, and an event of each that is waited for
  }
}

TEST(staged_copier, survives_memory_that_is_refused) {
  EXPECT_EQ(fail_each(failure::allocation,
                      [](counting_device& device) {
                        try {
                          const staged_copier copier(device, in_pages(2));
                        } catch (const out_of_memory&) {
                          EXPECT_TRUE(device.counts().nothing_allocated());
                          return false;
                        }
                        return true;
                      }),
            1U);
}

TEST(staged_copier, refuses_settings_of_zero) {
  const auto device = open_host_device();
  const auto refused = [&](auto&& change) {
    auto settings = in_pages(2);
    change(settings);
    EXPECT_THROW(staged_copier(*device, settings), std::invalid_argument);
  };
  refused([](staging& settings) { settings.threads = 0; });
  refused([](staging& settings) { settings.chunks = 0; });
  refused([](staging& settings) { settings.largest_chunk = 0; });
  refused([](staging& settings) { settings.largest_chunk = page + 1; });
  refused([](staging& settings) { settings.d2h.least_chunk = 0; });
  refused([](staging& settings) { settings.h2d.least_chunk = page / 2; });
  refused([](staging& settings) { settings.h2d.least_chunk = 2 * page; });
}

TEST(calibrate_staging, finds_settings_that_work_and_gives_back_its_memory) {
  counting_device device;
  const auto settings = calibrate_staging(device);
  EXPECT_GE(settings.threads, 1U);
  EXPECT_LE(settings.threads, std::max(1U, usable_processors()));
  EXPECT_TRUE(device.counts().nothing_allocated());
  staged_copier copier(device, settings);
  expect_exact_copy(device, copier, direction::h2d, (std::size_t{65} << 20) + 1, 0, 0);
}

TEST(calibrate_staging, finds_the_size_from_which_staging_beats_slow_copies) {
  counting_device device;
  auto& counts = device.counts();
  counts.copy_time_of_mib = 2ms;
  // A staged copy takes 1 ms at any size, as long as a plain copy of half a MiB.
  const auto settings =
      detail::calibrate_staging(device, [&counts] { return counts.clock += 1ms; });
  for (const auto direction : directions) {
    EXPECT_EQ(settings[direction].least_bytes, std::size_t{64} << 10);
    EXPECT_EQ(settings[direction].least_bytes_alone, std::size_t{64} << 10);
  }
  EXPECT_TRUE(device.counts().nothing_allocated());
  staged_copier copier(device, settings);
  const std::size_t before = device.counts().enqueued;
  expect_exact_copy(device, copier, direction::d2h, (std::size_t{65} << 20) + 1, 0, 0);
  EXPECT_GT(device.counts().enqueued, before + 10);
}

TEST(best_switch, is_where_the_chosen_times_cost_least) {
  const auto at = [](const std::vector<double>& small, const std::vector<double>& large) {
    return detail::best_switch(small, large);
  };
  EXPECT_EQ(at({1, 2, 4, 8}, {2, 3, 3, 4}), 2U);
  EXPECT_EQ(at({1, 2, 4}, {2, 3, 5}), 3U);  // never
  EXPECT_EQ(at({2, 3, 5}, {1, 2, 4}), 0U);  // always
  EXPECT_EQ(at({1, 1}, {1, 1}), 2U);
  EXPECT_EQ(at({}, {}), 0U);
  // One disturbed time does not move it.
  EXPECT_EQ(at({1, 5, 1, 1, 8}, {2, 2, 2, 2, 2}), 4U);
}

class arrays_of_pageable_memory : public testing::Test {
 protected:
  void SetUp() override { device_.counts().stages_copies = true; }
  counting_device device_;
  std::vector<int> numbers_ = std::vector<int>(3 * page + 1);
};

TEST_F(arrays_of_pageable_memory, are_staged_by_the_contexts_copier) {
  const context gpu(device_);
  gpu.stage_by(std::make_shared<staged_copier>(device_, in_pages(2)));
  std::iota(numbers_.begin(), numbers_.end(), 7);
  const auto array = to_gpu(gpu, numbers_);
  // A staged copy enqueues its chunks, a plain copy is one operation.
  EXPECT_GE(device_.counts().enqueued, 13U);
  std::vector<int> back(numbers_.size());
  array.get(back);
  EXPECT_EQ(back, numbers_);
  EXPECT_GE(device_.counts().enqueued, 26U);
}

TEST_F(arrays_of_pageable_memory, are_staged_as_arguments_of_a_call) {
  const context gpu(device_);
  gpu.stage_by(std::make_shared<staged_copier>(device_, in_pages(2)));
  std::iota(numbers_.begin(), numbers_.end(), 7);
  const auto numbers = numbers_;
  std::vector<int> sums(numbers.size());
  const std::size_t chunks = 13;  // of each copy
  call(
      gpu,
      [&](const int* src, int* changed, int* dst) {
        EXPECT_GE(device_.counts().enqueued, 2 * chunks);
        gpu.stream().call([=, count = sums.size()] {
          for (std::size_t i = 0; i < count; ++i) {
            dst[i] = src[i] + changed[i];
            changed[i] = -changed[i];
          }
        });
      },
      transfers::in(numbers), in_out(numbers_), out(sums));
  EXPECT_GE(device_.counts().enqueued, 4 * chunks);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    ASSERT_EQ(numbers_[i], -numbers[i]) << i;
    ASSERT_EQ(sums[i], 2 * numbers[i]) << i;
  }
}

TEST_F(arrays_of_pageable_memory, are_only_enqueued_as_arguments_if_they_are_small) {
  const context gpu(device_);
  call(
      gpu, [&](const int*, int*) { EXPECT_EQ(device_.counts().enqueued, 2U); },
      transfers::in(numbers_), in_out(numbers_));
  EXPECT_EQ(device_.counts().enqueued, 3U);
  EXPECT_EQ(device_.counts().host_blocks, 0U);
}

TEST_F(arrays_of_pageable_memory, are_copied_plainly_if_they_are_small) {
  const context gpu(device_);
  const auto array = to_gpu(gpu, numbers_);
  EXPECT_EQ(device_.counts().enqueued, 1U);
  EXPECT_EQ(device_.counts().host_blocks, 0U);  // the copier acquires memory only when it is needed
}

TEST_F(arrays_of_pageable_memory, are_copied_plainly_without_a_copier) {
  const context gpu(device_);
  gpu.stage_by(nullptr);
  numbers_.resize(std::size_t{2} << 20);
  const auto array = to_gpu(gpu, numbers_);
  EXPECT_EQ(device_.counts().enqueued, 1U);
}

TEST_F(arrays_of_pageable_memory, are_copied_plainly_if_they_are_page_locked) {
  device_.counts().stages_copies = false;
  const context gpu(device_);
  gpu.stage_by(std::make_shared<staged_copier>(device_, in_pages(2)));
  const auto array = to_gpu(gpu, numbers_);
  EXPECT_EQ(device_.counts().enqueued, 1U);
}

TEST_F(arrays_of_pageable_memory, are_copied_plainly_if_there_is_no_memory_to_stage_them) {
  const context gpu(device_);
  device_.counts().host_capacity = 0;
  numbers_.resize(std::size_t{2} << 20);
  const auto array = to_gpu(gpu, numbers_);
  EXPECT_EQ(device_.counts().enqueued, 1U);
  EXPECT_EQ(array.get().size(), numbers_.size());
}

TEST_F(arrays_of_pageable_memory, are_downloaded_after_earlier_work) {
  device_.counts().slowed_by = 5ms;
  const context gpu(device_);
  gpu.stage_by(std::make_shared<staged_copier>(device_, in_pages(2)));
  std::ranges::fill(numbers_, 1);
  auto array = to_gpu(gpu, numbers_);
  array.clear();  // under way when the download begins
  array.get(numbers_);
  EXPECT_THAT(numbers_, Each(0));
}

}  // namespace
}  // namespace transfers::staged_copy_test
