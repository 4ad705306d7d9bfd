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

namespace transfers::scattered_test {
namespace {

constexpr std::byte untouched{0xEE};
bool is_untouched(std::byte byte) { return byte == untouched; }

std::byte value_of(std::size_t i) { return static_cast<std::byte>(i * 131 + i / 251); }

/// Blocks of the given lengths in a vector, in random order and 1 to 40 bytes apart. The device
/// memory has room for them, and as much again behind them.
class scene {
 public:
  scene(device& device, const std::vector<std::size_t>& lengths, unsigned seed = 1) {
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
    device_block = device.allocate(2 * total + 64);
  }

  [[nodiscard]] std::span<std::byte> on_device() const { return {device_block.data(), total}; }
  [[nodiscard]] device_view<std::byte> target() const { return {device_block.data(), total}; }
  [[nodiscard]] std::span<std::byte> behind() const {
    return {device_block.data() + total, total + 64};
  }

  /// The memory of these devices is the host's.
  void expect_uploads(stream& stream, scattered_copy& copy, scattered_route method) {
    std::size_t i = 0;
    for (const auto& block : blocks)
      for (auto& byte : std::span(block.host, block.bytes)) byte = value_of(i++);
    std::ranges::fill(on_device(), untouched);
    std::ranges::fill(behind(), untouched);
    copy.enqueue(blocks, target(), direction::h2d, method);
    stream.synchronize();
    for (i = 0; i < total; ++i) ASSERT_EQ(on_device()[i], value_of(i)) << "at " << i;
    EXPECT_TRUE(std::ranges::all_of(behind(), is_untouched));
  }

  void expect_downloads(stream& stream, scattered_copy& copy, scattered_route method) {
    for (std::size_t i = 0; i < total; ++i) on_device()[i] = value_of(i);
    std::ranges::fill(memory, untouched);
    copy.enqueue(blocks, target(), direction::d2h, method);
    stream.synchronize();
    std::size_t i = 0;
    for (const auto& block : blocks)
      for (auto& byte : std::span(block.host, block.bytes)) {
        ASSERT_EQ(byte, value_of(i)) << "at " << i;
        ++i;
        byte = untouched;
      }
    EXPECT_TRUE(std::ranges::all_of(memory, is_untouched)) << "written between blocks";
  }

  std::vector<std::byte> memory;
  std::size_t total = 0;
  std::vector<scattered_block> blocks;
  device_memory device_block;
};

class scattered : public testing::TestWithParam<scattered_route> {
 protected:
  void expect_both_directions(const std::vector<std::size_t>& lengths) {
    scene blocks(host, lengths);
    blocks.expect_uploads(*stream, copy, GetParam());
    blocks.expect_downloads(*stream, copy, GetParam());
  }

  counting_device host;
  std::unique_ptr<transfers::stream> stream = host.create_stream();
  scattered_copy copy{host, *stream};
};

TEST_P(scattered, copies_blocks_of_any_length_byte_for_byte) {
  expect_both_directions({512, 1, 0, 4096, 17, 4095, 4097, 65536, 3, 0, 12289});
}

TEST_P(scattered, copies_more_blocks_than_one_table_holds) {
  expect_both_directions(std::vector<std::size_t>(1024 + 16384 + 32768 + 5, 7));
}

TEST_P(scattered, copies_a_block_of_more_pieces_than_the_first_table_holds) {
  expect_both_directions({5, (std::size_t{5} << 20) + 3, 9});
}

TEST_P(scattered, takes_an_empty_list_and_blocks_of_no_bytes) {
  const std::vector<scattered_block> nothing{{nullptr, 0}, {nullptr, 0}};
  copy.enqueue({}, {}, direction::h2d, GetParam());
  copy.enqueue(nothing, {}, direction::d2h, GetParam());
  stream->synchronize();
  EXPECT_EQ(host.counts().enqueued, 0U);
}

TEST_P(scattered, needs_the_list_only_until_it_returns) {
  scene all(host, std::vector<std::size_t>(3000, 33));
  host.counts().slowed_by = std::chrono::microseconds(10);
  for (std::size_t i = 0; i < all.total; ++i) all.on_device()[i] = value_of(i);
  auto list = std::make_unique<std::vector<scattered_block>>(all.blocks);
  copy.enqueue(*list, all.target(), direction::d2h, GetParam());
  std::ranges::fill(*list, scattered_block{nullptr, 1});
  list.reset();
  stream->synchronize();
  std::size_t i = 0;
  for (const auto& block : all.blocks)
    for (const auto byte : std::span(block.host, block.bytes)) ASSERT_EQ(byte, value_of(i++));
}

TEST_P(scattered, goes_on_while_earlier_tables_are_still_in_use) {
  scene first(host, std::vector<std::size_t>(2000, 40), 1);
  scene second(host, std::vector<std::size_t>(2000, 40), 2);
  for (std::size_t i = 0; i < first.total; ++i) {
    first.on_device()[i] = value_of(i);
    second.on_device()[i] = value_of(i + 1);
  }
  host.counts().slowed_by = std::chrono::microseconds(20);
  copy.enqueue(first.blocks, first.target(), direction::d2h, GetParam());
  copy.enqueue(second.blocks, second.target(), direction::d2h, GetParam());
  stream->synchronize();
  std::size_t i = 0;
  for (const auto& block : first.blocks)
    for (const auto byte : std::span(block.host, block.bytes)) ASSERT_EQ(byte, value_of(i++));
  i = 1;
  for (const auto& block : second.blocks)
    for (const auto byte : std::span(block.host, block.bytes)) ASSERT_EQ(byte, value_of(i++));
}

TEST_P(scattered, refuses_blocks_longer_than_the_device_memory) {
  scene all(host, {100, 100});
  const auto short_by_one = all.target().first(199);
  EXPECT_THROW(copy.enqueue(all.blocks, short_by_one, direction::h2d, GetParam()),
               std::length_error);
  all.blocks[1].bytes = SIZE_MAX;  // must not wrap around
  EXPECT_THROW(copy.enqueue(all.blocks, all.target(), direction::h2d, GetParam()),
               std::length_error);
  stream->synchronize();
}

TEST_P(scattered, refuses_bytes_at_null) {
  scene all(host, {100, 100});
  all.blocks[1].host = nullptr;
  EXPECT_THROW(copy.enqueue(all.blocks, all.target(), direction::h2d, GetParam()),
               std::invalid_argument);
  stream->synchronize();
}

TEST_P(scattered, passes_failures_on_and_works_again) {
  std::size_t failures = 0;
  for (std::size_t n = 1; n <= 8; ++n) {
    scene all(host, {4096, 1, 500, 8192});
    host.counts().failing_operation = host.counts().operations + n;
    try {
      copy.enqueue(all.blocks, all.target(), direction::h2d, GetParam());
      stream->synchronize();
    } catch (const device_error&) {
      ++failures;
    }
    host.counts().failing_operation = 0;
    stream->synchronize();
    all.expect_uploads(*stream, copy, GetParam());
  }
  // Each copy and the wait fail; the pool of tables recovers from its own failure.
  EXPECT_EQ(failures, GetParam() == scattered_route::loop ? 5U : 2U);
}

TEST_P(scattered, works_in_several_threads_with_one_copier_each) {
  std::vector<std::jthread> threads;
  for (unsigned t = 0; t < 3; ++t)
    threads.emplace_back([this, t] {
      const auto thread_stream = host.create_stream();
      scattered_copy thread_copy(host, *thread_stream);
      scene all(host, std::vector<std::size_t>(1500, 60 + t), t);
      for (int i = 0; i < 3; ++i) {
        all.expect_uploads(*thread_stream, thread_copy, GetParam());
        all.expect_downloads(*thread_stream, thread_copy, GetParam());
      }
    });
}

std::string name_of(const testing::TestParamInfo<scattered_route>& info) {
  constexpr std::array<const char*, 5> names{"loop", "batch", "kernel", "automatic", "sparing"};
  return names.at(static_cast<std::size_t>(info.param));
}

INSTANTIATE_TEST_SUITE_P(methods, scattered,
                         testing::Values(scattered_route::loop, scattered_route::batch,
                                         scattered_route::kernel, scattered_route::automatic,
                                         scattered_route::sparing),
                         name_of);

TEST(copy_batch, needs_lists_of_the_same_length) {
  const auto device = open_host_device();
  const auto stream = device->create_stream();
  std::vector<std::byte> memory(8);
  const std::vector<std::byte*> dsts{memory.data(), memory.data() + 1};
  const std::vector<const std::byte*> srcs{memory.data() + 2, memory.data() + 3};
  const std::vector<std::size_t> one_size{1};
  EXPECT_THROW(stream->copy_batch(dsts, srcs, one_size, direction::h2d), std::invalid_argument);
  EXPECT_THROW(stream->copy_batch(dsts, std::span(srcs).first(1), std::vector<std::size_t>{1, 1},
                                  direction::h2d),
               std::invalid_argument);
  stream->copy_batch({}, {}, {}, direction::h2d);
}

class scattered_kernel : public testing::Test {
 protected:
  counting_device host;
  std::unique_ptr<transfers::stream> stream = host.create_stream();
  scattered_copy copy{host, *stream};
};

TEST_F(scattered_kernel, takes_one_launch) {
  scene all(host, std::vector<std::size_t>(1000, 512));
  copy.enqueue(all.blocks, all.target(), direction::h2d, scattered_route::kernel);
  stream->synchronize();
  EXPECT_EQ(host.counts().enqueued, 1U);
}

TEST_F(scattered_kernel, asks_for_no_address_in_added_memory) {
  const auto first_block = host.allocate_host(8192, pinned());
  const auto second_block = host.allocate_host(8192, pinned());
  const auto device_block = host.allocate(8192);
  copy.add(first_block.bytes());
  copy.add(second_block.bytes());
  const auto queries = host.counts().address_queries.load();
  const std::vector<scattered_block> added{{first_block.data() + 8191, 1},
                                           {second_block.data(), 512},
                                           {first_block.data(), 100},
                                           {second_block.data() + 7680, 512}};
  copy.enqueue(added, {device_block.data(), 8192}, direction::h2d, scattered_route::kernel);
  EXPECT_EQ(host.counts().address_queries, queries);
  const auto not_added = host.allocate_host(8192, pinned());
  const std::vector<scattered_block> mixed{{first_block.data(), 100}, {not_added.data(), 100}};
  copy.enqueue(mixed, {device_block.data(), 8192}, direction::h2d, scattered_route::kernel);
  EXPECT_EQ(host.counts().address_queries, queries + 2);  // first and last byte
  stream->synchronize();
}

TEST_F(scattered_kernel, adds_memory_once) {
  const auto block = host.allocate_host(8192, pinned());
  copy.add(block.bytes());
  EXPECT_THROW(copy.add(block.bytes()), std::invalid_argument);
  EXPECT_THROW(copy.add(block.bytes().subspan(8191)), std::invalid_argument);
  EXPECT_THROW(copy.add({}), std::invalid_argument);
  const auto not_mapped = host.allocate_host(8192, pinned());
  host.counts().stages_copies = true;
  EXPECT_THROW(copy.add(not_mapped.bytes()), std::invalid_argument);
}

TEST_F(scattered_kernel, refuses_ordinary_memory_that_a_gpu_does_not_see) {
  host.counts().stages_copies = true;
  scene all(host, {100, 200});
  EXPECT_THROW(copy.enqueue(all.blocks, all.target(), direction::h2d, scattered_route::kernel),
               unsupported);
}

TEST_F(scattered_kernel, leaves_ordinary_memory_to_copies_if_the_method_is_automatic) {
  const auto locked = host.allocate_host(4096, pinned());
  copy.add(locked.bytes());
  host.counts().stages_copies = true;
  scene ordinary(host, {100, 200});
  auto blocks = ordinary.blocks;
  blocks.insert(blocks.begin() + 1, {locked.data() + 1, 300});
  std::ranges::fill(locked.bytes(), std::byte{1});
  std::ranges::fill(ordinary.memory, std::byte{2});
  const auto device_block = host.allocate(600);
  copy.enqueue(blocks, {device_block.data(), 600}, direction::h2d, scattered_route::automatic);
  stream->synchronize();
  EXPECT_EQ(host.counts().enqueued, 3U);  // two copies and a kernel
  for (std::size_t i = 0; i < 600; ++i)
    ASSERT_EQ(device_block.data()[i], i >= 100 && i < 400 ? std::byte{1} : std::byte{2}) << i;
}

}  // namespace
}  // namespace transfers::scattered_test
