#include "transfers/core/pool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <future>
#include <latch>
#include <optional>
#include <random>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <vector>

#include "tests/unit/transfers/counting_device.hpp"

namespace transfers {
namespace {

using namespace std::chrono_literals;

static_assert(std::is_copy_constructible_v<device_pool>);  // a copy means the same pool
static_assert(std::is_nothrow_destructible_v<device_pool>);
static_assert(std::is_nothrow_destructible_v<pinned_pool>);

constexpr std::size_t kib = std::size_t{1} << 10;
constexpr std::size_t mib = std::size_t{1} << 20;

void fill(std::byte* data, std::size_t bytes, std::byte with) {
  std::memset(data, static_cast<int>(with), bytes);
}

bool holds(const std::byte* data, std::size_t bytes, std::byte what) {
  return std::all_of(data, data + bytes, [=](std::byte one) { return one == what; });
}

class a_device_pool : public testing::Test {
 protected:
  counting_device host;
  std::optional<device_pool> pool{host};
};

TEST_F(a_device_pool, has_nothing_until_it_is_asked) {
  EXPECT_EQ(pool->held_bytes(), 0U);
  EXPECT_TRUE(pool->release());
  EXPECT_EQ(host.counts().device_allocations, 0U);
}

TEST_F(a_device_pool, refuses_zero_bytes_and_absurd_sizes) {
  EXPECT_THROW(static_cast<void>(pool->allocate(0)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(pool->allocate(SIZE_MAX)), out_of_memory);
  EXPECT_THROW(static_cast<void>(pool->allocate(SIZE_MAX / 2 + 1)), out_of_memory);
  EXPECT_THROW(static_cast<void>(pool->allocate(std::size_t{1} << 46)), out_of_memory);
  EXPECT_EQ(pool->held_bytes(), 0U);
  EXPECT_TRUE(pool->release());
}

TEST_F(a_device_pool, gives_blocks_of_every_size_that_are_aligned_as_the_devices_own) {
  for (const std::size_t bytes :
       {std::size_t{1}, std::size_t{255}, std::size_t{256}, std::size_t{257}, 4 * kib, 64 * kib - 1,
        64 * kib, 64 * kib + 1, mib, 3 * mib + 1}) {
    const auto block = pool->allocate(bytes);
    EXPECT_EQ(block.size(), bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.data()) % 256, 0U) << bytes;
    fill(block.data(), bytes, std::byte{1});
  }
}

TEST_F(a_device_pool, gives_a_block_again_without_asking_the_device) {
  for (const std::size_t bytes : {std::size_t{100}, 10 * kib, 64 * kib, 100 * kib, 5 * mib}) {
    const auto* const first = pool->allocate(bytes).data();
    const auto asked = host.counts().device_allocations.load();
    const auto held = pool->held_bytes();
    const auto block = pool->allocate(bytes);
    EXPECT_EQ(block.data(), first) << bytes;
    EXPECT_EQ(host.counts().device_allocations, asked) << bytes;
    EXPECT_EQ(pool->held_bytes(), held) << bytes;
  }
}

TEST_F(a_device_pool, gives_large_blocks_for_requests_of_at_least_half_their_size) {
  const auto* const first = pool->allocate(8 * mib).data();
  EXPECT_EQ(pool->allocate(4 * mib + 1).data(), first);
  EXPECT_EQ(pool->allocate(8 * mib).data(), first);  // and keeps their size
  EXPECT_EQ(host.counts().device_allocations, 1U);
  EXPECT_NE(pool->allocate(3 * mib).data(), first);
  EXPECT_NE(pool->allocate(9 * mib).data(), first);
  EXPECT_EQ(host.counts().device_allocations, 3U);
}

TEST_F(a_device_pool, holds_what_it_has_from_the_device_in_use_or_not) {
  {
    const auto large = pool->allocate(3 * mib);
    EXPECT_EQ(pool->held_bytes(), 3 * mib);
    const auto small = pool->allocate(100);
    EXPECT_EQ(pool->held_bytes(), host.counts().device_bytes);
    EXPECT_GT(pool->held_bytes(), 3 * mib);
  }
  EXPECT_EQ(pool->held_bytes(), host.counts().device_bytes);
  EXPECT_GT(pool->held_bytes(), 3 * mib);
}

TEST_F(a_device_pool, is_released_only_while_no_block_is_in_use) {
  std::optional<device_memory> block = pool->allocate(100);
  std::optional<device_memory> other = pool->allocate(mib);
  fill(block->data(), 100, std::byte{5});
  EXPECT_FALSE(pool->release());
  other.reset();
  const auto held = pool->held_bytes();
  EXPECT_FALSE(pool->release());
  EXPECT_EQ(pool->held_bytes(), held);
  EXPECT_TRUE(holds(block->data(), 100, std::byte{5}));
  block.reset();
  EXPECT_EQ(pool->held_bytes(), held);
  EXPECT_TRUE(pool->release());
  EXPECT_EQ(pool->held_bytes(), 0U);
  EXPECT_TRUE(host.counts().nothing_allocated());
  fill(pool->allocate(100).data(), 100, std::byte{5});  // it goes on working
}

TEST_F(a_device_pool, gives_everything_back_at_its_end) {
  static_cast<void>(pool->allocate(100));
  static_cast<void>(pool->allocate(mib));
  EXPECT_EQ(host.counts().device_blocks, 2U);
  pool.reset();
  EXPECT_TRUE(host.counts().nothing_allocated());
}

TEST_F(a_device_pool, may_end_before_its_blocks) {
  std::optional<device_memory> small = pool->allocate(100);
  std::optional<device_memory> large = pool->allocate(mib);
  pool.reset();
  fill(small->data(), 100, std::byte{1});
  fill(large->data(), mib, std::byte{2});
  EXPECT_TRUE(holds(small->data(), 100, std::byte{1}));
  small.reset();
  EXPECT_TRUE(holds(large->data(), mib, std::byte{2}));
  large.reset();
  EXPECT_TRUE(host.counts().nothing_allocated());
}

TEST_F(a_device_pool, releases_what_nobody_uses_when_memory_runs_out) {
  host.counts().device_capacity = 10 * mib;
  static_cast<void>(pool->allocate(6 * mib));
  EXPECT_EQ(pool->allocate(9 * mib).size(), 9 * mib);
  EXPECT_EQ(pool->held_bytes(), 9 * mib);
  EXPECT_THROW(static_cast<void>(pool->allocate(11 * mib)), out_of_memory);
  const auto in_use = pool->allocate(6 * mib);
  EXPECT_THROW(static_cast<void>(pool->allocate(5 * mib)), out_of_memory);
  EXPECT_EQ(pool->allocate(4 * mib).size(), 4 * mib);
}

TEST_F(a_device_pool, gives_idle_blocks_back_when_memory_runs_out_though_others_are_in_use) {
  host.counts().device_capacity = 10 * mib;
  const auto in_use = pool->allocate(2 * mib);
  static_cast<void>(pool->allocate(6 * mib));
  const auto larger = pool->allocate(8 * mib);
  EXPECT_EQ(pool->held_bytes(), 10 * mib);
  EXPECT_THROW(static_cast<void>(pool->allocate(mib)), out_of_memory);
}

TEST_F(a_device_pool, has_nothing_in_use_after_a_failure) {
  const auto failures = fail_each(failure::allocation, [](counting_device& on) {
    device_pool fresh(on);
    bool done = true;
    try {
      // Each failure is followed by an attempt that succeeds, unless a block is in use.
      const auto first = fresh.allocate(100);
      const auto second = fresh.allocate(mib);
      const auto third = fresh.allocate(5 * kib);
    } catch (const out_of_memory&) {
      done = false;
    }
    EXPECT_TRUE(fresh.release());
    EXPECT_EQ(fresh.held_bytes(), 0U);
    EXPECT_TRUE(on.counts().nothing_allocated());
    // The first attempt succeeds when it is repeated: go on with the second one.
    return done && on.counts().failing_allocation != 1;
  });
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
          mine.push_back(pool->allocate(bytes));
          fill(mine.back().data(), bytes, static_cast<std::byte>(id));
          if (mine.size() > 10) {
            const auto chosen = random() % mine.size();
            EXPECT_TRUE(
                holds(mine[chosen].data(), mine[chosen].size(), static_cast<std::byte>(id)));
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
  for (std::size_t i = 1; i < 100; ++i) blocks.push_back(pool->allocate(i * 1000));
  std::thread([mine = std::move(blocks)]() mutable { mine.clear(); }).join();
  EXPECT_TRUE(pool->release());
}

/// Holds up a stream until it is let go, or until the test ends.
class blocked {
 public:
  explicit blocked(stream& what) {
    what.call([free = free_] { free->wait(); });
  }
  blocked(const blocked&) = delete;
  blocked& operator=(const blocked&) = delete;
  ~blocked() { let_go(); }
  void let_go() {
    if (!std::exchange(gone_, true)) free_->count_down();
  }

 private:
  std::shared_ptr<std::latch> free_ = std::make_shared<std::latch>(1);
  bool gone_ = false;
};

/// Pageable memory serves as well, and may be had in any amount.
class a_pinned_pool : public testing::Test {
 protected:
  counting_device host;
  std::unique_ptr<stream> on = host.create_stream();
  std::optional<pinned_pool> pool{std::in_place, host, *on, pageable};
};

TEST_F(a_pinned_pool, gives_blocks_of_its_kind) {
  const auto block = pool->allocate(1000);
  EXPECT_EQ(block.size(), 1000U);
  EXPECT_EQ(block.kind(), pageable);
  EXPECT_EQ(block.on_device(), block.data());
  EXPECT_EQ(block.bytes().size(), 1000U);
  EXPECT_EQ(pool->held_bytes(), host.counts().host_bytes);
  pinned_pool locked(host, *on);
  try {
    EXPECT_EQ(locked.allocate(1000).kind(), pinned());
  } catch (const out_of_memory& refused) {
    GTEST_SKIP() << refused.what();
  }
}

TEST_F(a_pinned_pool, throws_what_the_device_throws) {
  EXPECT_THROW(static_cast<void>(pool->allocate(0)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(pool->allocate(SIZE_MAX)), out_of_memory);
  pinned_pool impossible(host, *on, pinned(pin_flags::write_combined));
  EXPECT_THROW(static_cast<void>(impossible.allocate(10)), unsupported);
  EXPECT_EQ(impossible.held_bytes(), 0U);
}

TEST_F(a_pinned_pool, gives_a_block_again_when_the_stream_is_idle) {
  for (const std::size_t bytes : {std::size_t{100}, 64 * kib, 5 * mib}) {
    const auto* const first = pool->allocate(bytes).data();
    on->synchronize();
    EXPECT_EQ(pool->allocate(bytes).data(), first) << bytes;
    on->synchronize();
  }
}

TEST_F(a_pinned_pool, keeps_blocks_that_the_stream_still_uses) {
  std::vector<std::byte> destination(mib);
  const std::byte* used = nullptr;
  {
    blocked until_later(*on);
    {
      const auto block = pool->allocate(mib);
      used = block.data();
      fill(block.data(), mib, std::byte{1});
      on->copy(destination.data(), block.data(), mib, direction::h2d);
    }  // forgotten about
    for (int i = 0; i < 3; ++i) {
      const auto block = pool->allocate(mib);
      EXPECT_NE(block.data(), used);
      fill(block.data(), mib, std::byte{2});
    }
  }
  on->synchronize();
  EXPECT_TRUE(holds(destination.data(), mib, std::byte{1}));
  std::vector<host_memory> all;
  for (int i = 0; i < 4; ++i) all.push_back(pool->allocate(mib));
  EXPECT_TRUE(std::ranges::any_of(all, [=](const auto& one) { return one.data() == used; }));
}

TEST_F(a_pinned_pool, waits_for_work_enqueued_before_a_block_goes_back_not_after) {
  const std::byte* used = nullptr;
  {
    const auto block = pool->allocate(mib);
    used = block.data();
    on->clear(block.data(), mib);
  }
  on->synchronize();
  const blocked later(*on);
  EXPECT_EQ(pool->allocate(mib).data(), used);
}

TEST_F(a_pinned_pool, waits_when_too_much_is_pending) {
  blocked until_later(*on);
  constexpr auto part = pinned_pool::most_pending_bytes / 4;
  for (int i = 0; i < 4; ++i) static_cast<void>(pool->allocate(part));
  static_cast<void>(pool->allocate(kib));  // just as much as may be pending: no need to wait
  auto allocated = std::async(std::launch::async, [this] {
    return pool->allocate(kib).size();  // now it is more
  });
  EXPECT_EQ(allocated.wait_for(100ms), std::future_status::timeout);
  until_later.let_go();
  EXPECT_EQ(allocated.get(), kib);
}

TEST_F(a_pinned_pool, waits_for_what_is_pending_when_it_is_released) {
  blocked until_later(*on);
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

TEST_F(a_pinned_pool, releases_what_nobody_uses_when_memory_runs_out) {
  host.counts().host_capacity = 10 * mib;
  static_cast<void>(pool->allocate(6 * mib));
  on->synchronize();
  EXPECT_EQ(pool->allocate(9 * mib).size(), 9 * mib);
  on->synchronize();
  EXPECT_THROW(static_cast<void>(pool->allocate(11 * mib)), out_of_memory);
}

TEST_F(a_pinned_pool, waits_for_what_is_pending_when_memory_runs_out) {
  host.counts().host_capacity = 10 * mib;
  std::optional<blocked> until_later(*on);
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
  std::vector<std::byte> destination(mib);
  {
    blocked until_later(*on);
    on->copy(destination.data(), block->data(), mib, direction::h2d);
    std::jthread later([&] {
      std::this_thread::sleep_for(20ms);
      until_later.let_go();
    });
    block.reset();  // the last one: waits
  }
  EXPECT_TRUE(host.counts().nothing_allocated());
  on->synchronize();
  EXPECT_TRUE(holds(destination.data(), mib, std::byte{7}));
}

TEST_F(a_pinned_pool, gives_no_two_threads_the_same_memory) {
  {
    std::vector<std::jthread> threads;
    for (unsigned id = 1; id <= 4; ++id)
      threads.emplace_back([this, id] {
        std::mt19937_64 random(id);
        std::vector<std::byte> there(300 * kib);
        for (int i = 0; i < 300; ++i) {
          const auto bytes = 1 + random() % (random() % 10 == 0 ? 300 * kib : 3000);
          const auto block = pool->allocate(bytes);
          fill(block.data(), bytes, static_cast<std::byte>(id));
          on->copy(there.data(), block.data(), bytes, direction::h2d);
          if (i % 10 == 0) {
            on->synchronize();
            EXPECT_TRUE(holds(there.data(), bytes, static_cast<std::byte>(id)));
          }
        }
        on->synchronize();
      });
  }
  EXPECT_TRUE(pool->release());
  EXPECT_TRUE(host.counts().nothing_allocated());
}

TEST_F(a_pinned_pool, has_nothing_in_use_after_a_failure) {
  fail_each(failure::allocation, [](counting_device& failing) {
    const auto with = failing.create_stream();
    pinned_pool fresh(failing, *with, pageable);
    bool done = true;
    try {
      const auto first = fresh.allocate(100);
      const auto second = fresh.allocate(mib);
    } catch (const out_of_memory&) {
      done = false;
    }
    EXPECT_TRUE(fresh.release());
    EXPECT_EQ(fresh.held_bytes(), 0U);
    EXPECT_TRUE(failing.counts().nothing_allocated());
    return done && failing.counts().failing_allocation != 1;
  });
}

TEST_F(a_pinned_pool, keeps_blocks_in_use_even_when_no_event_can_be_recorded) {
  std::vector<std::byte> destination(mib);
  on->call([] { std::this_thread::sleep_for(50ms); });
  {
    const auto block = pool->allocate(mib);
    fill(block.data(), mib, std::byte{1});
    on->copy(destination.data(), block.data(), mib, direction::h2d);
    host.counts().failing_operation = host.counts().operations + 1;
  }  // the device is not lost: the copy is still to come
  const auto other = pool->allocate(mib);
  fill(other.data(), mib, std::byte{2});
  on->synchronize();
  EXPECT_TRUE(holds(destination.data(), mib, std::byte{1}));
}

}  // namespace
}  // namespace transfers
