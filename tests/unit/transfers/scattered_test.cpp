#include "transfers/fast/scattered.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/transfers/counting_device.hpp"
#include "transfers/core/error.hpp"

namespace transfers {
namespace {

constexpr std::byte untouched{0xEE};
bool is_untouched(std::byte one) { return one == untouched; }

std::byte value_of(std::size_t i) { return static_cast<std::byte>(i * 131 + i / 251); }

/// Blocks of these lengths in a vector, in random order and one to 40 bytes apart, and as much
/// device memory as they need, with as much again behind it.
class scene {
 public:
  scene(device& on, const std::vector<std::size_t>& lengths, unsigned seed = 1) {
    std::mt19937 random(seed);
    std::vector<std::size_t> order(lengths.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::shuffle(order, random);
    std::vector<std::size_t> offsets(lengths.size());
    std::size_t end = 0;
    for (const auto i : order) {
      offsets[i] = end;
      end += lengths[i] + 1 + random() % 40;
    }
    memory.assign(end, untouched);
    total = std::reduce(lengths.begin(), lengths.end(), std::size_t{0});
    for (std::size_t i = 0; i < lengths.size(); ++i)
      blocks.push_back({memory.data() + offsets[i], lengths[i]});
    there = on.allocate(2 * total + 64);
  }

  [[nodiscard]] std::span<std::byte> on_device() const { return {there.data(), total}; }
  [[nodiscard]] std::span<std::byte> behind() const { return {there.data() + total, total + 64}; }

  /// The device's memory is the host's on these devices.
  void expect_uploads(stream& in, scattered_copy& copy, scattered_way by) {
    std::size_t i = 0;
    for (const auto& one : blocks)
      for (std::size_t k = 0; k < one.bytes; ++k) one.host[k] = value_of(i++);
    std::ranges::fill(on_device(), untouched);
    std::ranges::fill(behind(), untouched);
    copy.enqueue(blocks, on_device(), direction::h2d, by);
    in.synchronize();
    for (i = 0; i < total; ++i) ASSERT_EQ(on_device()[i], value_of(i)) << "at " << i;
    EXPECT_TRUE(std::ranges::all_of(behind(), is_untouched));
  }

  void expect_downloads(stream& in, scattered_copy& copy, scattered_way by) {
    for (std::size_t i = 0; i < total; ++i) on_device()[i] = value_of(i);
    std::ranges::fill(memory, untouched);
    copy.enqueue(blocks, on_device(), direction::d2h, by);
    in.synchronize();
    std::size_t i = 0;
    for (const auto& one : blocks)
      for (auto& byte : std::span(one.host, one.bytes)) {
        ASSERT_EQ(byte, value_of(i)) << "at " << i;
        ++i;
        byte = untouched;
      }
    EXPECT_TRUE(std::ranges::all_of(memory, is_untouched)) << "written between blocks";
  }

  std::vector<std::byte> memory;
  std::size_t total = 0;
  std::vector<scattered_block> blocks;
  device_memory there;
};

class scattered : public testing::TestWithParam<scattered_way> {
 protected:
  void expect_both_ways(const std::vector<std::size_t>& lengths) {
    scene all(on, lengths);
    all.expect_uploads(*in, copy, GetParam());
    all.expect_downloads(*in, copy, GetParam());
  }

  counting_device on;
  std::unique_ptr<stream> in = on.create_stream();
  scattered_copy copy{on, *in};
};

TEST_P(scattered, copies_blocks_of_any_length_byte_for_byte) {
  expect_both_ways({512, 1, 0, 4096, 17, 4095, 4097, 65536, 3, 0, 12289});
}

TEST_P(scattered, copies_more_blocks_than_one_table_holds) {
  expect_both_ways(std::vector<std::size_t>(1024 + 16384 + 32768 + 5, 7));
}

TEST_P(scattered, copies_a_block_of_more_pieces_than_the_first_table_holds) {
  expect_both_ways({5, (std::size_t{5} << 20) + 3, 9});
}

TEST_P(scattered, takes_an_empty_list_and_blocks_of_no_bytes) {
  const std::vector<scattered_block> nothing{{nullptr, 0}, {nullptr, 0}};
  copy.enqueue({}, {}, direction::h2d, GetParam());
  copy.enqueue(nothing, {}, direction::d2h, GetParam());
  in->synchronize();
  EXPECT_EQ(on.counts().enqueued, 0U);
}

TEST_P(scattered, takes_the_list_back_at_once) {
  scene all(on, std::vector<std::size_t>(3000, 33));
  on.counts().slowed_by = std::chrono::microseconds(10);
  for (std::size_t i = 0; i < all.total; ++i) all.on_device()[i] = value_of(i);
  auto list = std::make_unique<std::vector<scattered_block>>(all.blocks);
  copy.enqueue(*list, all.on_device(), direction::d2h, GetParam());
  std::ranges::fill(*list, scattered_block{nullptr, 1});
  list.reset();
  in->synchronize();
  std::size_t i = 0;
  for (const auto& one : all.blocks)
    for (const auto byte : std::span(one.host, one.bytes)) ASSERT_EQ(byte, value_of(i++));
}

TEST_P(scattered, goes_on_while_earlier_tables_are_still_in_use) {
  scene first(on, std::vector<std::size_t>(2000, 40), 1);
  scene second(on, std::vector<std::size_t>(2000, 40), 2);
  for (std::size_t i = 0; i < first.total; ++i) {
    first.on_device()[i] = value_of(i);
    second.on_device()[i] = value_of(i + 1);
  }
  on.counts().slowed_by = std::chrono::microseconds(20);
  copy.enqueue(first.blocks, first.on_device(), direction::d2h, GetParam());
  copy.enqueue(second.blocks, second.on_device(), direction::d2h, GetParam());
  in->synchronize();
  std::size_t i = 0;
  for (const auto& one : first.blocks)
    for (const auto byte : std::span(one.host, one.bytes)) ASSERT_EQ(byte, value_of(i++));
  i = 1;
  for (const auto& one : second.blocks)
    for (const auto byte : std::span(one.host, one.bytes)) ASSERT_EQ(byte, value_of(i++));
}

TEST_P(scattered, refuses_blocks_longer_than_the_device_memory) {
  scene all(on, {100, 100});
  const auto short_by_one = all.on_device().first(199);
  EXPECT_THROW(copy.enqueue(all.blocks, short_by_one, direction::h2d, GetParam()),
               std::length_error);
  all.blocks[1].bytes = SIZE_MAX;  // must not wrap around
  EXPECT_THROW(copy.enqueue(all.blocks, all.on_device(), direction::h2d, GetParam()),
               std::length_error);
  in->synchronize();
}

TEST_P(scattered, refuses_bytes_at_null) {
  scene all(on, {100, 100});
  all.blocks[1].host = nullptr;
  EXPECT_THROW(copy.enqueue(all.blocks, all.on_device(), direction::h2d, GetParam()),
               std::invalid_argument);
  in->synchronize();
}

TEST_P(scattered, passes_failures_on_and_works_again) {
  std::size_t failures = 0;
  for (std::size_t n = 1; n <= 8; ++n) {
    scene all(on, {4096, 1, 500, 8192});
    on.counts().failing_operation = on.counts().operations + n;
    try {
      copy.enqueue(all.blocks, all.on_device(), direction::h2d, GetParam());
      in->synchronize();
    } catch (const device_error&) {
      ++failures;
    }
    on.counts().failing_operation = 0;
    in->synchronize();
    all.expect_uploads(*in, copy, GetParam());
  }
  // Each copy and the wait; the pool of tables copes with a failure of its own.
  EXPECT_EQ(failures, GetParam() == scattered_way::loop ? 5U : 2U);
}

TEST_P(scattered, works_in_several_threads_each_with_its_own) {
  std::vector<std::jthread> threads;
  for (unsigned t = 0; t < 3; ++t)
    threads.emplace_back([this, t] {
      const auto stream = on.create_stream();
      scattered_copy of(on, *stream);
      scene all(on, std::vector<std::size_t>(1500, 60 + t), t);
      for (int i = 0; i < 3; ++i) {
        all.expect_uploads(*stream, of, GetParam());
        all.expect_downloads(*stream, of, GetParam());
      }
    });
}

std::string name_of(const testing::TestParamInfo<scattered_way>& way) {
  constexpr std::array<const char*, 4> names{"loop", "batch", "kernel", "automatic"};
  return names.at(static_cast<std::size_t>(way.param));
}

INSTANTIATE_TEST_SUITE_P(ways, scattered,
                         testing::Values(scattered_way::loop, scattered_way::batch,
                                         scattered_way::kernel, scattered_way::automatic),
                         name_of);

TEST(copy_batch, needs_lists_of_the_same_length) {
  const auto on = open_host_device();
  const auto in = on->create_stream();
  std::vector<std::byte> memory(8);
  const std::vector<std::byte*> to{memory.data(), memory.data() + 1};
  const std::vector<const std::byte*> from{memory.data() + 2, memory.data() + 3};
  const std::vector<std::size_t> one_size{1};
  EXPECT_THROW(in->copy_batch(to, from, one_size, direction::h2d), std::invalid_argument);
  EXPECT_THROW(
      in->copy_batch(to, std::span(from).first(1), std::vector<std::size_t>{1, 1}, direction::h2d),
      std::invalid_argument);
  in->copy_batch({}, {}, {}, direction::h2d);
}

class scattered_kernel : public testing::Test {
 protected:
  counting_device on;
  std::unique_ptr<stream> in = on.create_stream();
  scattered_copy copy{on, *in};
};

TEST_F(scattered_kernel, takes_few_launches) {
  scene all(on, std::vector<std::size_t>(1000, 512));
  copy.enqueue(all.blocks, all.on_device(), direction::h2d, scattered_way::kernel);
  in->synchronize();
  EXPECT_EQ(on.counts().enqueued, 1U);
}

TEST_F(scattered_kernel, asks_for_no_address_in_memory_it_knows) {
  const auto block = on.allocate_host(8192, pinned());
  const auto other = on.allocate_host(8192, pinned());
  const auto there = on.allocate(8192);
  copy.add(block.bytes());
  copy.add(other.bytes());
  const auto asked = on.counts().addresses_asked_for.load();
  const std::vector<scattered_block> known{{block.data() + 8191, 1},
                                           {other.data(), 512},
                                           {block.data(), 100},
                                           {other.data() + 7680, 512}};
  copy.enqueue(known, {there.data(), 8192}, direction::h2d, scattered_way::kernel);
  EXPECT_EQ(on.counts().addresses_asked_for, asked);
  const auto unknown = on.allocate_host(8192, pinned());
  const std::vector<scattered_block> mixed{{block.data(), 100}, {unknown.data(), 100}};
  copy.enqueue(mixed, {there.data(), 8192}, direction::h2d, scattered_way::kernel);
  EXPECT_EQ(on.counts().addresses_asked_for, asked + 2);  // first and last byte
  in->synchronize();
}

TEST_F(scattered_kernel, adds_memory_once) {
  const auto block = on.allocate_host(8192, pinned());
  copy.add(block.bytes());
  EXPECT_THROW(copy.add(block.bytes()), std::invalid_argument);
  EXPECT_THROW(copy.add(block.bytes().subspan(8191)), std::invalid_argument);
  EXPECT_THROW(copy.add({}), std::invalid_argument);
  const auto unseen = on.allocate_host(8192, pinned());
  on.counts().stages_copies = true;
  EXPECT_THROW(copy.add(unseen.bytes()), std::invalid_argument);
}

TEST_F(scattered_kernel, refuses_ordinary_memory_that_a_gpu_does_not_see) {
  on.counts().stages_copies = true;
  scene all(on, {100, 200});
  EXPECT_THROW(copy.enqueue(all.blocks, all.on_device(), direction::h2d, scattered_way::kernel),
               unsupported);
}

TEST_F(scattered_kernel, leaves_ordinary_memory_to_copies_when_it_may) {
  const auto locked = on.allocate_host(4096, pinned());
  copy.add(locked.bytes());
  on.counts().stages_copies = true;
  scene ordinary(on, {100, 200});
  auto blocks = ordinary.blocks;
  blocks.insert(blocks.begin() + 1, {locked.data() + 1, 300});
  std::ranges::fill(locked.bytes(), std::byte{1});
  std::ranges::fill(ordinary.memory, std::byte{2});
  const auto there = on.allocate(600);
  copy.enqueue(blocks, {there.data(), 600}, direction::h2d, scattered_way::automatic);
  in->synchronize();
  EXPECT_EQ(on.counts().enqueued, 3U);  // two copies and a kernel
  for (std::size_t i = 0; i < 600; ++i)
    ASSERT_EQ(there.data()[i], i >= 100 && i < 400 ? std::byte{1} : std::byte{2}) << i;
}

}  // namespace
}  // namespace transfers
