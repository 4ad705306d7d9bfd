// Several host devices in one process: each has its own memory, streams and work.
#include <algorithm>
#include <array>
#include <future>
#include <latch>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/transfers/moved_clock.hpp"
#include "tests/unit/transfers/test_bytes.hpp"
#include "transfers/array/arithmetic.hpp"
#include "transfers/core/error.hpp"
#include "transfers/fast/staged_copy.hpp"
#include "transfers/host/host_device.hpp"
#include "transfers/launch/launch.hpp"

namespace transfers::host_devices_test {
namespace {

using nanoseconds = std::chrono::duration<double, std::nano>;

class two_host_devices : public testing::Test {
 protected:
  std::array<std::unique_ptr<device>, 2> devices{
      open_host_device(host_device_options{.index = 0, .memory_bytes = 64 * mib}),
      open_host_device(host_device_options{.index = 1, .memory_bytes = 32 * mib})};
};

TEST_F(two_host_devices, say_which_they_are_and_that_they_are_emulated) {
  for (int index = 0; index < 2; ++index) {
    const auto& description = devices[static_cast<std::size_t>(index)]->description();
    EXPECT_EQ(description.kind, "host");
    EXPECT_EQ(description.index, index);
    // One model, as GPUs of a computer have: ranks of a dry run are compared.
    EXPECT_EQ(description.name, "host (emulated, no GPU)");
    EXPECT_FALSE(description.cuda);
    EXPECT_FALSE(description.emulated_link);
  }
}

TEST_F(two_host_devices, have_memory_of_their_own) {
  EXPECT_EQ(devices[0]->free_memory(), 64 * mib);
  EXPECT_EQ(devices[1]->free_memory(), 32 * mib);
  {
    const auto block = devices[0]->allocate(40 * mib);
    EXPECT_EQ(devices[0]->free_memory(), 24 * mib);
    EXPECT_EQ(devices[1]->free_memory(), 32 * mib);
    EXPECT_THROW(static_cast<void>(devices[0]->allocate(24 * mib + 1)), out_of_memory);
    EXPECT_THROW(static_cast<void>(devices[1]->allocate(40 * mib)), out_of_memory);
    const auto remainder = devices[0]->allocate(24 * mib);
    EXPECT_EQ(devices[0]->free_memory(), 0U);
    EXPECT_THROW(static_cast<void>(devices[0]->allocate(1)), out_of_memory);
    const auto all_of_second = devices[1]->allocate(32 * mib);
  }
  EXPECT_EQ(devices[0]->free_memory(), 64 * mib);
  EXPECT_EQ(devices[1]->free_memory(), 32 * mib);
}

TEST_F(two_host_devices, keep_their_free_memory_when_an_allocation_is_refused) {
  EXPECT_THROW(static_cast<void>(devices[0]->allocate(0)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(devices[0]->allocate(SIZE_MAX)), out_of_memory);
  EXPECT_EQ(devices[0]->free_memory(), 64 * mib);
}

TEST_F(two_host_devices, give_their_pools_their_own_memory) {
  device_pool first(*devices[0]);
  device_pool second(*devices[1]);
  const auto stream_of_first = devices[0]->create_stream();
  const auto stream_of_second = devices[1]->create_stream();
  const auto block = first.allocate(30 * mib, *stream_of_first);
  EXPECT_EQ(first.held_bytes(), 30 * mib);
  EXPECT_EQ(second.held_bytes(), 0U);
  EXPECT_EQ(devices[1]->free_memory(), 32 * mib);
  EXPECT_THROW(static_cast<void>(second.allocate(33 * mib, *stream_of_second)), out_of_memory);
  EXPECT_EQ(second.allocate(32 * mib, *stream_of_second).size(), 32 * mib);
}

TEST_F(two_host_devices, lock_memory_once_for_both) {
  std::vector<std::byte> memory(4096);
  std::optional<page_lock> lock;
  try {
    lock.emplace(devices[0]->lock(memory));
  } catch (const out_of_memory& refused) {
    GTEST_SKIP() << refused.what();
  }
  EXPECT_THROW(static_cast<void>(devices[1]->lock(memory)), std::invalid_argument);
  lock.reset();
  const auto again = devices[1]->lock(memory);
  EXPECT_EQ(again.bytes().size(), 4096U);
}

TEST_F(two_host_devices, wait_for_their_own_work_only) {
  std::latch go_on(1);
  const auto busy = devices[0]->create_stream();
  const auto idle = devices[1]->create_stream();
  busy->call([&] { go_on.wait(); });
  const auto blocked = busy->record();
  const auto reached = idle->record();
  devices[1]->synchronize();
  EXPECT_TRUE(reached->done());
  EXPECT_FALSE(blocked->done());
  const auto block = devices[1]->allocate(mib);  // freed without waiting for the other device
  go_on.count_down();
  devices[0]->synchronize();
  EXPECT_TRUE(blocked->done());
}

TEST_F(two_host_devices, keep_their_failures_apart) {
  const auto failing = devices[0]->create_stream();
  const auto second = devices[1]->create_stream();
  failing->call([] { throw std::runtime_error("of the first device"); });
  second->call([] {});
  EXPECT_NO_THROW(second->synchronize());
  EXPECT_THROW(failing->synchronize(), std::runtime_error);
}

TEST_F(two_host_devices, copy_and_calculate_independently) {
  const context first(*devices[0]);
  const context second(*devices[1]);
  std::vector<float> numbers(100'000);
  std::iota(numbers.begin(), numbers.end(), 0.0F);
  const auto a = 2 * to_gpu(first, numbers);
  const auto b = 3 * to_gpu(second, numbers);
  EXPECT_EQ(a.get()[99'999], 199'998);
  EXPECT_EQ(b.get(pinned(pin_flags::mapped))[99'999], 299'997);
  EXPECT_THROW(static_cast<void>(a + b), std::invalid_argument);
  const auto negate =
      host_function("negate", [](const thread_index& at, float* data) { data[at.x()] *= -1; });
  negate(second, {.grid = {1}, .block = {4}}, in_out(numbers));
  EXPECT_EQ(numbers[3], -3);
}

TEST_F(two_host_devices, serve_threads_in_any_order) {
  std::vector<std::jthread> threads;
  for (std::size_t thread = 0; thread < 4; ++thread)
    threads.emplace_back([this, thread] {
      for (std::size_t turn = 0; turn < 16; ++turn) {
        const context gpu(*devices[(thread + turn) % 2]);
        const auto array = to_gpu(gpu, std::vector<std::size_t>{thread, turn}) + std::size_t{1};
        EXPECT_EQ(array.get()[0], thread + 1);
        EXPECT_EQ(array.get()[1], turn + 1);
      }
    });
  threads.clear();
  EXPECT_EQ(devices[0]->free_memory(), 64 * mib);
  EXPECT_EQ(devices[1]->free_memory(), 32 * mib);
}

TEST_F(two_host_devices, may_be_destroyed_while_the_other_works) {
  std::latch go_on(1);
  const context gpu(*devices[1]);
  std::vector<int> numbers(1000, 7);
  gpu.stream().call([&] { go_on.wait(); });
  auto array = to_gpu_async(gpu, numbers);
  {
    const auto stream = devices[0]->create_stream();
    stream->call([] {});
  }
  devices[0].reset();
  go_on.count_down();
  EXPECT_EQ((array + 1).get()[999], 8);
}

TEST_F(two_host_devices, may_be_destroyed_before_their_memory) {
  auto block = devices[0]->allocate(mib);
  devices[0].reset();
  test_bytes(3).write_to({block.data(), mib});
  EXPECT_TRUE(test_bytes(3).are_in({block.data(), mib}));
  block = {};
  EXPECT_EQ(devices[1]->free_memory(), 32 * mib);
}

/// Devices with links of a byte per nanosecond in each direction, and a clock that the test moves.
class linked_host_devices : public testing::Test {
 protected:
  static constexpr std::size_t bytes = mib;
  static constexpr double alone = static_cast<double>(bytes);  ///< nanoseconds

  std::shared_ptr<emulated_link> make_link(double both_directions = 0) {
    return std::make_shared<emulated_link>(link_description{"pcie", 1e9, 1e9, both_directions},
                                           clock.functions());
  }

  /// A device, its stream, and device and host memory.
  struct linked_device {
    explicit linked_device(std::shared_ptr<emulated_link> link)
        : device(open_host_device(host_device_options{.index = 0, .link = std::move(link)})),
          stream(device->create_stream()),
          memory(device->allocate(bytes)),
          host(bytes) {}

    void enqueue(direction direction) {
      if (direction == direction::h2d)
        stream->copy(memory.data(), host.data(), bytes, direction);
      else
        stream->copy(host.data(), memory.data(), bytes, direction);
    }

    std::unique_ptr<transfers::device> device;
    std::unique_ptr<transfers::stream> stream;
    device_memory memory;
    std::vector<std::byte> host;
  };

  /// The time of each work by its device's clock when all run concurrently, in nanoseconds.
  template <class... Work>
  std::array<double, sizeof...(Work)> spans(const std::pair<linked_device*, Work>&... all) {
    clock.expect(sizeof...(all));
    const auto span = [this](const auto& device_and_work) {
      return std::async(std::launch::async, [this, &device_and_work] {
        const auto& [end, work] = device_and_work;
        const auto begin = end->stream->record();
        work(*end);
        end->stream->call([this] { clock.leave(); });
        return end->stream->record()->time_since(*begin).count();
      });
    };
    std::array<std::future<double>, sizeof...(Work)> results{span(all)...};
    clock.run();
    std::array<double, sizeof...(Work)> times{};
    std::ranges::transform(results, times.begin(), [](auto& result) { return result.get(); });
    return times;
  }
  /// The same for a single device.
  template <class Work>
  double span(linked_device& end, Work work) {
    return spans(std::pair(&end, work))[0];
  }

  static auto copy(direction direction) {
    return [direction](linked_device& end) { end.enqueue(direction); };
  }

  moved_clock clock;
};

constexpr double tolerance = 20;  // nanoseconds: wake-ups are rounded up

TEST_F(linked_host_devices, describe_their_link) {
  const linked_device linked(make_link(1.5e9));
  const auto& description = linked.device->description();
  ASSERT_TRUE(description.emulated_link);
  EXPECT_EQ(description.emulated_link->name, "pcie");
  EXPECT_EQ(description.emulated_link->h2d_bytes_per_second, 1e9);
  EXPECT_EQ(description.emulated_link->both_bytes_per_second, 1.5e9);
  EXPECT_THAT(description.name, AllOf(HasSubstr("emulated"), HasSubstr("no GPU"),
                                      HasSubstr("1 GB/s h2d"), HasSubstr("1.5 GB/s both")));
}

TEST_F(linked_host_devices, copy_as_fast_as_their_link) {
  linked_device linked(make_link());
  EXPECT_THAT(span(linked, copy(direction::h2d)), DoubleNear(alone, tolerance));
  EXPECT_THAT(span(linked, copy(direction::d2h)), DoubleNear(alone, tolerance));
  EXPECT_THAT(span(linked, [](linked_device&) {}), DoubleNear(0, tolerance));
}

TEST_F(linked_host_devices, share_a_direction_of_a_link_or_the_limit_of_both) {
  using link = std::shared_ptr<emulated_link>;
  const auto expect_each = [&](const char* name, const link& of_first, const link& of_second,
                               direction back, double expected) {
    linked_device first(of_first), second(of_second);
    const auto times =
        spans(std::pair(&first, copy(direction::h2d)), std::pair(&second, copy(back)));
    EXPECT_THAT(times, Each(DoubleNear(expected, tolerance))) << name;
  };
  const auto shared = make_link(), full = make_link(), limited = make_link(1e9);
  expect_each("one link", shared, shared, direction::h2d, 2 * alone);
  expect_each("links of their own", make_link(), make_link(), direction::h2d, alone);
  expect_each("full duplex", full, full, direction::d2h, alone);
  expect_each("a common limit", limited, limited, direction::d2h, 2 * alone);
}

TEST_F(linked_host_devices, count_every_kind_of_copy) {
  linked_device linked(make_link());
  const auto expect_full_time = [&](const char* name, auto work) {
    EXPECT_THAT(span(linked, work), DoubleNear(alone, tolerance)) << name;
  };
  expect_full_time("copy_by_kernel h2d", [](linked_device& end) {
    end.stream->copy_by_kernel(end.memory.data(), end.host.data(), bytes);
  });
  expect_full_time("copy_by_kernel d2h", [](linked_device& end) {
    end.stream->copy_by_kernel(end.host.data(), end.memory.data(), bytes);
  });
  expect_full_time("copy_by_kernel on the host, both ways at once", [](linked_device& end) {
    end.stream->copy_by_kernel(end.host.data(), end.host.data(), bytes);
  });
  expect_full_time("copy_batch", [](linked_device& end) {
    constexpr std::size_t half = bytes / 2;
    const std::array destinations{end.memory.data(), end.memory.data() + half};
    const std::array<const std::byte*, 2> sources{end.host.data(), end.host.data() + half};
    end.stream->copy_batch(destinations, sources, std::array{half, half}, direction::h2d);
  });
  expect_full_time("copy_pitched", [](linked_device& end) {
    end.stream->copy_pitched({end.memory.data(), 1024, bytes}, {end.host.data(), 1024, bytes},
                             {1024, bytes / 1024, 1}, direction::h2d);
  });
  std::vector<scattered_piece> table(bytes / 4096);
  for (std::size_t i = 0; i < table.size(); ++i) {
    table[i].host = linked.host.data() + i * 4096;
    table[i].bytes = 4096;
    table[i].offset = (i * 4096) & 0xFFFF'FFFF'FFFFU;
  }
  expect_full_time("copy_pieces", [&](linked_device& end) {
    end.stream->copy_pieces(table.data(), table.size(), end.memory.data(), direction::d2h);
  });
}

TEST_F(linked_host_devices, do_not_count_copies_within_the_device) {
  linked_device linked(make_link());
  const auto second_block = linked.device->allocate(bytes);
  EXPECT_THAT(span(linked,
                   [&](linked_device& end) {
                     end.stream->copy_by_kernel(second_block.data(), end.memory.data(), bytes);
                     end.stream->clear(second_block.data(), bytes);
                   }),
              DoubleNear(0, tolerance));
}

TEST_F(linked_host_devices, bring_the_data_and_mark_their_arrival) {
  const auto link = make_link();
  linked_device first(link);
  linked_device second(link);
  test_bytes(1).write_to(first.host);
  test_bytes(2).write_to({second.memory.data(), bytes});
  first.enqueue(direction::h2d);
  const auto uploaded = first.stream->record();
  clock.wait_for_sleepers(1);
  second.enqueue(direction::d2h);
  const auto downloaded = second.stream->record();
  clock.wait_for_sleepers(2);
  clock.move(std::chrono::nanoseconds(bytes - 1));
  EXPECT_FALSE(uploaded->done());
  EXPECT_FALSE(downloaded->done());
  clock.move(10ns);
  uploaded->wait();
  downloaded->wait();
  EXPECT_TRUE(test_bytes(1).are_in({first.memory.data(), bytes}));
  EXPECT_TRUE(test_bytes(2).are_in(second.host));
}

TEST_F(linked_host_devices, copy_one_after_another_in_streams_that_wait) {
  const auto link = make_link();
  linked_device linked(link);
  const auto second = linked.device->create_stream();
  clock.expect(1);  // of both streams' threads one sleeps at a time
  const auto begin = linked.stream->record();
  linked.enqueue(direction::h2d);
  second->wait(*linked.stream->record(event_timing::off));
  second->copy(linked.host.data(), linked.memory.data(), bytes, direction::d2h);
  second->call([this] { clock.leave(); });
  const auto end = second->record();
  clock.run();
  EXPECT_THAT(end->time_since(*begin).count(), DoubleNear(2 * alone, tolerance));
}

TEST_F(linked_host_devices, copy_after_a_device_on_another_link_or_none) {
  linked_device first(make_link());
  linked_device second(make_link());
  const auto unlinked = open_host_device();
  const auto last = unlinked->create_stream();
  const auto before = clock.now();
  clock.expect(1);
  first.enqueue(direction::h2d);
  second.stream->wait(*first.stream->record());
  const auto begin = second.stream->record();
  second.enqueue(direction::h2d);
  const auto end = second.stream->record();
  last->wait(*end);
  last->call([this] { clock.leave(); });
  clock.run();
  last->synchronize();
  EXPECT_THAT(end->time_since(*begin).count(), DoubleNear(alone, tolerance));
  EXPECT_NEAR(static_cast<double>((clock.now() - before).count()), 2 * alone, tolerance);
}

TEST_F(linked_host_devices, slow_down_while_another_device_copies) {
  const auto link = make_link();
  linked_device first(link);
  linked_device second(link);
  first.enqueue(direction::h2d);
  const auto first_done = first.stream->record();
  clock.wait_for_sleepers(1);
  clock.move(std::chrono::nanoseconds(bytes / 2));  // half of the copy is over
  clock.wait_for_sleepers(1);
  second.enqueue(direction::h2d);
  const auto second_done = second.stream->record();
  clock.wait_for_sleepers(2);
  // To the time at which the first copy alone would have ended.
  clock.move(std::chrono::nanoseconds(bytes / 2 + 10));
  clock.wait_for_sleepers(2);
  EXPECT_FALSE(first_done->done());
  clock.move(std::chrono::nanoseconds(bytes / 2));
  first_done->wait();
  clock.wait_for_sleepers(1);
  EXPECT_FALSE(second_done->done());
  clock.move(std::chrono::nanoseconds(bytes / 2 + 10));
  second_done->wait();
}

TEST_F(linked_host_devices, take_as_long_for_copies_of_the_callers_thread) {
  linked_device linked(make_link());
  for (const int copies : {1, 10}) {
    const auto begin = clock.now();
    clock.expect(1);
    const auto copied = std::async(std::launch::async, [&] {
      for (int i = 0; i < copies; ++i)
        linked.device->copy(linked.memory.data(), linked.host.data(), bytes, direction::h2d);
      clock.leave();
    });
    clock.run();
    copied.wait();
    EXPECT_NEAR(static_cast<double>((clock.now() - begin).count()), copies * alone, tolerance);
  }
}

TEST_F(linked_host_devices, count_each_chunk_of_staged_copies_once) {
  linked_device linked(make_link());
  staging settings;
  settings.threads = 1;
  settings.chunks = 8;
  settings.largest_chunk = bytes / 4;
  settings.h2d = settings.d2h = {1, bytes / 8, false, false};
  staged_copier copier(*linked.device, settings);
  const auto begin = clock.now();
  clock.expect(1);  // the copier's stream
  const auto copied = std::async(std::launch::async, [&] {
    copier.copy(linked.memory.data(), linked.host.data(), bytes, direction::h2d);
    clock.leave();
  });
  clock.run();
  copied.wait();
  EXPECT_NEAR(static_cast<double>((clock.now() - begin).count()), alone, tolerance);
}

}  // namespace
}  // namespace transfers::host_devices_test
