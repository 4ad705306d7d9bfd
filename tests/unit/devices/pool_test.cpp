#include "transfers/core/pool.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <future>
#include <optional>
#include <random>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/devices/test_device.hpp"
#include "tests/unit/transfers/counting_device.hpp"

namespace transfers::pool_test {
namespace {

static_assert(std::is_copy_constructible_v<device_pool>);  // a copy means the same pool
static_assert(std::is_nothrow_destructible_v<device_pool>);
static_assert(std::is_nothrow_destructible_v<pinned_pool>);

void fill(std::byte* data, std::size_t bytes, std::byte value) {
  std::memset(data, static_cast<int>(value), bytes);
}

bool holds(const std::byte* data, std::size_t bytes, std::byte value) {
  return std::all_of(data, data + bytes, [=](std::byte byte) { return byte == value; });
}

void fill(device& device, const device_memory& memory, std::byte value) {
  const std::vector<std::byte> bytes(memory.size(), value);
  device.copy(memory.data(), bytes.data(), bytes.size(), direction::h2d);
}

bool holds(device& device, const device_memory& memory, std::byte value) {
  std::vector<std::byte> bytes(memory.size());
  device.copy(bytes.data(), memory.data(), bytes.size(), direction::d2h);
  return holds(bytes.data(), bytes.size(), value);
}

class a_device_pool : public testing::Test {
 protected:
  counting_device host{open_test_device()};
  const std::unique_ptr<stream> work = host.create_stream();
  std::optional<device_pool> pool{host};
};

TEST_F(a_device_pool, holds_no_memory_before_the_first_allocation) {
  EXPECT_EQ(pool->held_bytes(), 0U);
  EXPECT_TRUE(pool->release());
  EXPECT_EQ(host.counts().device_allocations, 0U);
}

TEST_F(a_device_pool, refuses_zero_bytes_and_absurd_sizes) {
  EXPECT_THROW(static_cast<void>(pool->allocate(0, *work)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(pool->allocate(SIZE_MAX, *work)), out_of_memory);
  EXPECT_THROW(static_cast<void>(pool->allocate(SIZE_MAX / 2 + 1, *work)), out_of_memory);
  EXPECT_THROW(static_cast<void>(pool->allocate(std::size_t{1} << 46, *work)), out_of_memory);
  EXPECT_EQ(pool->held_bytes(), 0U);
  EXPECT_TRUE(pool->release());
}

TEST_F(a_device_pool, aligns_blocks_of_every_size_as_the_device_does) {
  for (const std::size_t bytes :
       {std::size_t{1}, std::size_t{255}, std::size_t{256}, std::size_t{257}, 4 * kib, 64 * kib - 1,
        64 * kib, 64 * kib + 1, mib, 3 * mib + 1}) {
    const auto block = pool->allocate(bytes, *work);
    EXPECT_EQ(block.size(), bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.data()) % 256, 0U) << bytes;
    fill(host, block, std::byte{1});
  }
}

TEST_F(a_device_pool, reuses_a_block_without_asking_the_device) {
  for (const std::size_t bytes : {std::size_t{100}, 10 * kib, 64 * kib, 100 * kib, 5 * mib}) {
    const auto* const first = pool->allocate(bytes, *work).data();
    const auto allocations = host.counts().device_allocations.load();
    const auto held_bytes = pool->held_bytes();
    const auto block = pool->allocate(bytes, *work);
    EXPECT_EQ(block.data(), first) << bytes;
    EXPECT_EQ(host.counts().device_allocations, allocations) << bytes;
    EXPECT_EQ(pool->held_bytes(), held_bytes) << bytes;
  }
}

TEST_F(a_device_pool, reuses_large_blocks_for_requests_of_at_least_half_their_size) {
  const auto* const first = pool->allocate(8 * mib, *work).data();
  EXPECT_EQ(pool->allocate(4 * mib + 1, *work).data(), first);
  EXPECT_EQ(pool->allocate(8 * mib, *work).data(), first);  // and keeps their size
  EXPECT_EQ(host.counts().device_allocations, 1U);
  EXPECT_NE(pool->allocate(3 * mib, *work).data(), first);
  EXPECT_NE(pool->allocate(9 * mib, *work).data(), first);
  EXPECT_EQ(host.counts().device_allocations, 3U);
}

TEST_F(a_device_pool, holds_all_its_memory_of_the_device_in_use_or_not) {
  {
    const auto large = pool->allocate(3 * mib, *work);
    EXPECT_EQ(pool->held_bytes(), 3 * mib);
    const auto small = pool->allocate(100, *work);
    EXPECT_EQ(pool->held_bytes(), host.counts().device_bytes);
    EXPECT_GT(pool->held_bytes(), 3 * mib);
  }
  EXPECT_EQ(pool->held_bytes(), host.counts().device_bytes);
  EXPECT_GT(pool->held_bytes(), 3 * mib);
}

TEST_F(a_device_pool, is_released_only_while_no_block_is_in_use) {
  std::optional<device_memory> small_block = pool->allocate(100, *work);
  std::optional<device_memory> large_block = pool->allocate(mib, *work);
  fill(host, *small_block, std::byte{5});
  EXPECT_FALSE(pool->release());
  large_block.reset();
  const auto held_bytes = pool->held_bytes();
  EXPECT_FALSE(pool->release());
  EXPECT_EQ(pool->held_bytes(), held_bytes);
  EXPECT_TRUE(holds(host, *small_block, std::byte{5}));
  small_block.reset();
  EXPECT_EQ(pool->held_bytes(), held_bytes);
  EXPECT_TRUE(pool->release());
  EXPECT_EQ(pool->held_bytes(), 0U);
  EXPECT_TRUE(host.counts().nothing_allocated());
  fill(host, pool->allocate(100, *work), std::byte{5});  // the pool still works
}

TEST_F(a_device_pool, gives_everything_back_at_its_end) {
  static_cast<void>(pool->allocate(100, *work));
  static_cast<void>(pool->allocate(mib, *work));
  EXPECT_EQ(host.counts().device_blocks, 2U);
  pool.reset();
  EXPECT_TRUE(host.counts().nothing_allocated());
}

TEST_F(a_device_pool, may_end_before_its_blocks) {
  std::optional<device_memory> small = pool->allocate(100, *work);
  std::optional<device_memory> large = pool->allocate(mib, *work);
  pool.reset();
  fill(host, *small, std::byte{1});
  fill(host, *large, std::byte{2});
  EXPECT_TRUE(holds(host, *small, std::byte{1}));
  small.reset();
  EXPECT_TRUE(holds(host, *large, std::byte{2}));
  large.reset();
  EXPECT_TRUE(host.counts().nothing_allocated());
}

TEST_F(a_device_pool, releases_idle_blocks_when_memory_runs_out) {
  host.counts().device_capacity = 10 * mib;
  static_cast<void>(pool->allocate(6 * mib, *work));
  EXPECT_EQ(pool->allocate(9 * mib, *work).size(), 9 * mib);
  EXPECT_EQ(pool->held_bytes(), 9 * mib);
  EXPECT_THROW(static_cast<void>(pool->allocate(11 * mib, *work)), out_of_memory);
  const auto in_use = pool->allocate(6 * mib, *work);
  EXPECT_THROW(static_cast<void>(pool->allocate(5 * mib, *work)), out_of_memory);
  EXPECT_EQ(pool->allocate(4 * mib, *work).size(), 4 * mib);
}

TEST_F(a_device_pool, releases_idle_blocks_when_memory_runs_out_while_others_are_in_use) {
  host.counts().device_capacity = 10 * mib;
  const auto in_use = pool->allocate(2 * mib, *work);
  static_cast<void>(pool->allocate(6 * mib, *work));
  const auto larger = pool->allocate(8 * mib, *work);
  EXPECT_EQ(pool->held_bytes(), 10 * mib);
  EXPECT_THROW(static_cast<void>(pool->allocate(mib, *work)), out_of_memory);
}

TEST_F(a_device_pool, has_nothing_in_use_after_a_failure) {
  const auto failures = fail_each(
      failure::allocation,
      [](counting_device& failing) {
        const auto own = failing.create_stream();
        device_pool fresh(failing);
        bool succeeded = true;
        try {
          // The pool tries again after a failure, unless a block is in use.
          const auto first = fresh.allocate(100, *own);
          const auto second = fresh.allocate(mib, *own);
          const auto third = fresh.allocate(5 * kib, *own);
        } catch (const out_of_memory&) {
          succeeded = false;
        }
        EXPECT_TRUE(fresh.release());
        EXPECT_EQ(fresh.held_bytes(), 0U);
        EXPECT_TRUE(failing.counts().nothing_allocated());
        // The first allocation succeeds because the pool tries again: let the second one fail.
        return succeeded && failing.counts().failing_allocation != 1;
      },
      open_test_device);
  EXPECT_EQ(failures, 3U);
}

TEST_F(a_device_pool, gives_no_two_threads_the_same_memory) {
  {
    std::vector<std::jthread> threads;
    for (unsigned id = 1; id <= 4; ++id)
      threads.emplace_back([this, id] {
        std::mt19937_64 random(id);
        std::vector<device_memory> mine;
        for (int i = 0; i < 2000; ++i) {
          const auto bytes = 1 + random() % (random() % 20 == 0 ? 300 * kib : 3000);
          mine.push_back(pool->allocate(bytes, *work));
          fill(host, mine.back(), static_cast<std::byte>(id));
          if (mine.size() > 10) {
            const auto chosen = random() % mine.size();
            EXPECT_TRUE(holds(host, mine[chosen], static_cast<std::byte>(id)));
            std::swap(mine[chosen], mine.back());
            mine.pop_back();
          }
          if (i % 500 == 0) static_cast<void>(pool->release());
        }
      });
  }
  EXPECT_TRUE(pool->release());
  EXPECT_TRUE(host.counts().nothing_allocated());
}

TEST_F(a_device_pool, blocks_may_be_freed_by_another_thread) {
  std::vector<device_memory> blocks;
  for (std::size_t i = 1; i < 100; ++i) blocks.push_back(pool->allocate(i * 1000, *work));
  std::thread([mine = std::move(blocks)]() mutable { mine.clear(); }).join();
  EXPECT_TRUE(pool->release());
}

/// Blocks a stream until let_go() or the destructor; not for ever, should the device wait for it.
class blocked {
 public:
  explicit blocked(stream& stream) {
    stream.call([free = free_.get_future().share()] { static_cast<void>(free.wait_for(30s)); });
  }
  blocked(const blocked&) = delete;
  blocked& operator=(const blocked&) = delete;
  ~blocked() { let_go(); }
  void let_go() {
    if (!std::exchange(gone_, true)) free_.set_value();
  }

 private:
  std::promise<void> free_;
  bool gone_ = false;
};

/// On the host device pageable memory, which is not limited as page-locked memory is.
host_memory_kind kind_in_tests() { return test_device_is_host ? pageable : pinned(); }

class a_pinned_pool : public testing::Test {
 protected:
  /// For uploads, allocated apart from what the test counts.
  std::unique_ptr<device> opened = open_test_device();
  device_memory destination = opened->allocate(mib);
  counting_device host{open_test_device()};
  std::unique_ptr<transfers::stream> stream = host.create_stream();
  std::optional<pinned_pool> pool{std::in_place, host, *stream, kind_in_tests()};

  void upload(const host_memory& block) {
    stream->copy(destination.data(), block.data(), block.size(), direction::h2d);
  }
  [[nodiscard]] bool uploaded(std::byte value) {
    stream->synchronize();
    return holds(*opened, destination, value);
  }
};

TEST_F(a_pinned_pool, gives_blocks_of_its_kind) {
  const auto block = pool->allocate(1000);
  EXPECT_EQ(block.size(), 1000U);
  EXPECT_EQ(block.kind(), kind_in_tests());
  EXPECT_EQ(block.on_device(), host.address_on_device(block.data()));
  EXPECT_EQ(block.bytes().size(), 1000U);
  EXPECT_EQ(pool->held_bytes(), host.counts().host_bytes);
  pinned_pool locked(host, *stream);
  try {
    EXPECT_EQ(locked.allocate(1000).kind(), pinned());
  } catch (const out_of_memory& refused) {
    GTEST_SKIP() << refused.what();
  }
}

TEST_F(a_pinned_pool, throws_what_the_device_throws) {
  EXPECT_THROW(static_cast<void>(pool->allocate(0)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(pool->allocate(SIZE_MAX)), out_of_memory);
  if (!test_device_is_host) return;
  pinned_pool impossible(host, *stream, pinned(pin_flags::write_combined));
  EXPECT_THROW(static_cast<void>(impossible.allocate(10)), unsupported);
  EXPECT_EQ(impossible.held_bytes(), 0U);
}

TEST_F(a_pinned_pool, reuses_a_block_when_the_stream_is_idle) {
  for (const std::size_t bytes : {std::size_t{100}, 64 * kib, 5 * mib}) {
    const auto* const first = pool->allocate(bytes).data();
    stream->synchronize();
    EXPECT_EQ(pool->allocate(bytes).data(), first) << bytes;
    stream->synchronize();
  }
}

TEST_F(a_pinned_pool, keeps_blocks_that_the_stream_still_uses) {
  const std::byte* used = nullptr;
  {
    blocked until_later(*stream);
    {
      const auto block = pool->allocate(mib);
      used = block.data();
      fill(block.data(), mib, std::byte{1});
      upload(block);
    }  // freed while the copy is pending
    for (int i = 0; i < 3; ++i) {
      const auto block = pool->allocate(mib);
      EXPECT_NE(block.data(), used);
      fill(block.data(), mib, std::byte{2});
    }
  }
  EXPECT_TRUE(uploaded(std::byte{1}));
  std::vector<host_memory> blocks;
  for (int i = 0; i < 4; ++i) blocks.push_back(pool->allocate(mib));
  EXPECT_TRUE(std::ranges::any_of(blocks, [=](const auto& block) { return block.data() == used; }));
}

TEST_F(a_pinned_pool, waits_for_work_enqueued_before_a_block_is_freed_but_not_after) {
  const std::byte* used = nullptr;
  {
    const auto block = pool->allocate(mib);
    used = block.data();
    upload(block);
  }
  stream->synchronize();
  const blocked later(*stream);
  EXPECT_EQ(pool->allocate(mib).data(), used);
}

TEST_F(a_pinned_pool, waits_when_too_much_is_pending) {
  blocked until_later(*stream);
  constexpr auto part = pinned_pool::most_pending_bytes / 4;
  for (int i = 0; i < 4; ++i) static_cast<void>(pool->allocate(part));
  static_cast<void>(pool->allocate(kib));  // as much as may be pending: no wait
  auto allocated = std::async(std::launch::async, [this] {
    return pool->allocate(kib).size();  // now more is pending
  });
  EXPECT_EQ(allocated.wait_for(100ms), std::future_status::timeout);
  until_later.let_go();
  EXPECT_EQ(allocated.get(), kib);
}

TEST_F(a_pinned_pool, waits_for_pending_blocks_when_it_is_released) {
  blocked until_later(*stream);
  static_cast<void>(pool->allocate(mib));
  auto released = std::async(std::launch::async, [this] { return pool->release(); });
  EXPECT_EQ(released.wait_for(50ms), std::future_status::timeout);
  until_later.let_go();
  EXPECT_TRUE(released.get());
  EXPECT_EQ(pool->held_bytes(), 0U);
  EXPECT_TRUE(host.counts().nothing_allocated());
  const auto in_use = pool->allocate(100);
  EXPECT_FALSE(pool->release());
}

TEST_F(a_pinned_pool, releases_idle_blocks_when_memory_runs_out) {
  host.counts().host_capacity = 10 * mib;
  static_cast<void>(pool->allocate(6 * mib));
  stream->synchronize();
  EXPECT_EQ(pool->allocate(9 * mib).size(), 9 * mib);
  stream->synchronize();
  EXPECT_THROW(static_cast<void>(pool->allocate(11 * mib)), out_of_memory);
}

TEST_F(a_pinned_pool, waits_for_pending_blocks_when_memory_runs_out) {
  host.counts().host_capacity = 10 * mib;
  std::optional<blocked> until_later(*stream);
  static_cast<void>(pool->allocate(6 * mib));
  auto allocated =
      std::async(std::launch::async, [this] { return pool->allocate(9 * mib).size(); });
  static_cast<void>(allocated.wait_for(50ms));
  until_later.reset();
  EXPECT_NO_THROW(EXPECT_EQ(allocated.get(), 9 * mib));
}

TEST_F(a_pinned_pool, may_end_before_its_blocks) {
  std::optional<host_memory> block = pool->allocate(mib);
  pool.reset();
  fill(block->data(), mib, std::byte{7});
  {
    blocked until_later(*stream);
    upload(*block);
    std::jthread later([&] {
      std::this_thread::sleep_for(20ms);
      until_later.let_go();
    });
    block.reset();  // the last block: waits
  }
  EXPECT_TRUE(host.counts().nothing_allocated());
  EXPECT_TRUE(uploaded(std::byte{7}));
}

TEST_F(a_pinned_pool, gives_no_two_threads_the_same_memory) {
  {
    std::vector<std::jthread> threads;
    for (unsigned id = 1; id <= 4; ++id)
      threads.emplace_back([this, id] {
        std::mt19937_64 random(id);
        const auto own = opened->allocate(300 * kib);
        std::vector<std::byte> back(300 * kib);
        for (int i = 0; i < 300; ++i) {
          const auto bytes = 1 + random() % (random() % 10 == 0 ? 300 * kib : 3000);
          const auto block = pool->allocate(bytes);
          fill(block.data(), bytes, static_cast<std::byte>(id));
          stream->copy(own.data(), block.data(), bytes, direction::h2d);
          if (i % 10 == 0) {
            stream->synchronize();
            opened->copy(back.data(), own.data(), bytes, direction::d2h);
            EXPECT_TRUE(holds(back.data(), bytes, static_cast<std::byte>(id)));
          }
        }
        stream->synchronize();
      });
  }
  EXPECT_TRUE(pool->release());
  EXPECT_TRUE(host.counts().nothing_allocated());
}

TEST_F(a_pinned_pool, has_nothing_in_use_after_a_failure) {
  fail_each(
      failure::allocation,
      [](counting_device& failing) {
        const auto failing_stream = failing.create_stream();
        pinned_pool fresh(failing, *failing_stream, kind_in_tests());
        bool succeeded = true;
        try {
          const auto first = fresh.allocate(100);
          const auto second = fresh.allocate(mib);
        } catch (const out_of_memory&) {
          succeeded = false;
        }
        EXPECT_TRUE(fresh.release());
        EXPECT_EQ(fresh.held_bytes(), 0U);
        EXPECT_TRUE(failing.counts().nothing_allocated());
        return succeeded && failing.counts().failing_allocation != 1;
      },
      open_test_device);
}

TEST_F(a_pinned_pool, keeps_blocks_in_use_even_when_no_event_can_be_recorded) {
  stream->call([] { std::this_thread::sleep_for(50ms); });
  {
    const auto block = pool->allocate(mib);
    fill(block.data(), mib, std::byte{1});
    upload(block);
    host.counts().failing_operation = host.counts().operations + 1;
  }  // the device is not lost: the copy is still pending
  const auto second_block = pool->allocate(mib);
  fill(second_block.data(), mib, std::byte{2});
  EXPECT_TRUE(uploaded(std::byte{1}));
}

}  // namespace
}  // namespace transfers::pool_test
