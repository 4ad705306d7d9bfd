// Two GPUs in one process: objects belong to the device that made them, whichever device is
// current. Skipped if there are fewer GPUs.
#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

#include "bench/device_clock/device_clock.hpp"
#include "src/transfers/cuda/current_context.hpp"
#include "src/transfers/cuda/toolkit.hpp"
#include "tests/basics.hpp"
#include "tests/gpu/blocked_work.hpp"
#include "tests/gpu/kernels_for_tests.hpp"
#include "tests/gpu/pattern.hpp"
#include "transfers/cuda/interop.hpp"
#include "transfers/transfers.hpp"

namespace transfers::several_devices_test {
namespace {

int current_device() {
  int index = -1;
  EXPECT_EQ(cudaGetDevice(&index), cudaSuccess);
  return index;
}

/// The device that an address belongs to; for page-locked memory, the device that locked it.
int device_of(const void* address) {
  cudaPointerAttributes attributes{};
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, address), cudaSuccess);
  EXPECT_NE(attributes.type, cudaMemoryTypeUnregistered);
  return attributes.device;
}

int device_of(const stream& work) {
  return detail::device_of(static_cast<cudaStream_t>(work.native_handle()));
}

struct setting {
  int current;                ///< in the test's thread, throughout the test
  std::array<int, 2> opened;  ///< in this order

  friend void PrintTo(const setting& setting, std::ostream* out) {
    *out << "cuda:" << setting.current << " current, opened cuda:" << setting.opened[0] << " first";
  }
};

class on_two_gpus : public testing::TestWithParam<setting> {
 protected:
  void SetUp() override {
    if (find_cuda().devices < 2) GTEST_SKIP() << "there are no two GPUs";
    ASSERT_EQ(cudaSetDevice(GetParam().current), cudaSuccess);
    for (const int index : GetParam().opened) gpus[index] = open_cuda_device(index);
  }
  void TearDown() override {
    if (IsSkipped()) return;
    EXPECT_EQ(current_device(), GetParam().current);
    for (auto& gpu : gpus) gpu.reset();
    EXPECT_EQ(current_device(), GetParam().current);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  }

  /// Calls work(index, device) for each device, and expects that the current device stays.
  template <class Work>
  void on_each(Work&& work) {
    for (int index = 0; index < 2; ++index) {
      work(index, *gpus[index]);
      EXPECT_EQ(current_device(), GetParam().current) << "after work on device " << index;
    }
  }

  std::array<std::unique_ptr<device>, 2> gpus;
};

TEST_P(on_two_gpus, device_memory_lies_on_its_device) {
  on_each([](int index, device& gpu) {
    const auto block = gpu.allocate(mib);
    EXPECT_EQ(device_of(block.data()), index);
    const auto free_before = gpu.free_memory();
    const auto large = gpu.allocate(256 * mib);
    EXPECT_LE(gpu.free_memory() + 128 * mib,
              free_before);  // memory of the other device does not count
  });
}

TEST_P(on_two_gpus, page_locked_memory_is_locked_by_its_device) {
  on_each([](int index, device& gpu) {
    for (const auto kind : {pinned(), pinned(pin_flags::mapped), pinned(pin_flags::portable),
                            registered, registered_huge}) {
      const auto host = gpu.allocate_host(mib, kind);
      EXPECT_EQ(device_of(host.data()), index) << describe(kind);
      EXPECT_TRUE(gpu.copies_directly(host.data()));
      EXPECT_NE(gpu.address_on_device(host.data()), nullptr);
    }
    std::vector<std::byte> memory(mib);
    const auto lock = gpu.lock(memory);
    EXPECT_EQ(device_of(memory.data()), index);
  });
}

TEST_P(on_two_gpus, streams_and_events_belong_to_their_device) {
  on_each([](int index, device& gpu) {
    const auto work = gpu.create_stream();
    EXPECT_EQ(device_of(*work), index);
    const auto block = gpu.allocate(mib);
    work->clear(block.data(), mib);
    const auto end = work->record();
    end->wait();
    EXPECT_TRUE(end->done());
    const auto first = work->record();
    EXPECT_GE(work->record()->time_since(*first).count(), 0);
    EXPECT_TRUE(bench_transfers::bench::device_clock(gpu)
                    .span(
                        *work, [] {}, [&] { work->clear(block.data(), mib); })
                    .has_value());
    gpu.synchronize();
  });
}

TEST_P(on_two_gpus, a_stream_waits_for_an_event_of_the_other_device) {
  on_each([this](int index, device& gpu) {
    auto& other = *gpus[static_cast<std::size_t>(1 - index)];
    const auto first = other.create_stream();
    const auto second = gpu.create_stream();
    blocked_work first_work(*first);
    bool overtaken = true;
    // The event is destroyed before it is reached.
    second->wait(*first->record(event_timing::off));
    second->call([&] { overtaken = !first_work.is_done(); });
    const auto end = second->record(event_timing::off);
    EXPECT_FALSE(end->done());
    first_work.go_on();
    end->wait();
    EXPECT_FALSE(overtaken);
  });
}

TEST_P(on_two_gpus, no_time_lies_between_events_of_two_devices) {
  const auto first = gpus[0]->create_stream()->record();
  const auto second = gpus[1]->create_stream()->record();
  EXPECT_THROW(static_cast<void>(second->time_since(*first)), std::invalid_argument);
}

TEST_P(on_two_gpus, copies_of_each_arrive) {
  constexpr std::size_t bytes = 3 * mib + 5;
  on_each([](int index, device& gpu) {
    const pattern data{static_cast<std::uint64_t>(index), false};
    const auto block = gpu.allocate(bytes);
    for (const auto kind : {pageable, pinned()}) {
      const auto host = gpu.allocate_host(bytes, kind);
      write_host_pattern(host.data(), 0, bytes, data);
      gpu.copy(block.data(), host.data(), bytes, direction::h2d);
      EXPECT_EQ(check_pattern(gpu, block.data(), 0, bytes, data).wrong_bytes, 0U);
      write_pattern(gpu, block.data(), 0, bytes, {42, true});
      gpu.copy(host.data(), block.data(), bytes, direction::d2h);
      EXPECT_EQ(check_host_pattern(host.data(), 0, bytes, {42, true}).wrong_bytes, 0U);
    }
    const auto mapped = gpu.allocate_host(bytes, pinned(pin_flags::mapped));
    write_host_pattern(mapped.data(), 0, bytes, data);
    const auto work = gpu.create_stream();
    work->copy_by_kernel(block.data(), mapped.on_device(), bytes);
    work->synchronize();
    EXPECT_EQ(check_pattern(gpu, block.data(), 0, bytes, data).wrong_bytes, 0U);
  });
}

TEST_P(on_two_gpus, arrays_of_two_contexts_lie_on_their_devices) {
  for (const auto allocation_kind : {allocation::pooled, allocation::plain}) {
    const context first(*gpus[0], allocation_kind);
    const context second(*gpus[1], allocation_kind);
    const std::vector<float> numbers{1, 2, 3};
    const auto a = to_gpu(first, numbers);
    const auto b = to_gpu(second, numbers);
    const auto doubled = 2 * a;
    const auto tripled = 3 * b;
    EXPECT_EQ(device_of(a.data()), 0);
    EXPECT_EQ(device_of(b.data()), 1);
    EXPECT_EQ(device_of(doubled.data()), 0);
    EXPECT_EQ(device_of(tripled.data()), 1);
    EXPECT_EQ(device_of(first.stream()), 0);
    EXPECT_EQ(device_of(second.stream()), 1);
    EXPECT_EQ(doubled.get()[2], 6);
    EXPECT_EQ(tripled.get(pinned())[2], 9);
    EXPECT_EQ(tripled.astype<double>().get()[2], 9);
    EXPECT_EQ(device_of(second.allocate_staging(mib).data()), 1);
    EXPECT_EQ(current_device(), GetParam().current);
  }
}

TEST_P(on_two_gpus, kernels_run_on_the_device_of_their_stream) {
  const auto scale = cuda_function("scale", scale_kernel());  // for both devices
  on_each([&](int /*index*/, device& gpu) {
    const context context(gpu);
    std::vector<float> data{1, 2, 3, 4};
    scale(context, {.grid = {2}, .block = {2}}, in_out(data), 3.0F, 4U);
    EXPECT_EQ(data[3], 12);
    call(
        context,
        [&](float* on_device) {
          EXPECT_EQ(current_device(), gpu.description().cuda->index);  // for the caller's own code
          scale.launch(context.stream(), {.grid = {2}, .block = {2}},
                       std::array<argument, 3>{on_device, 3.0F, 4U});
        },
        in_out(data));
    EXPECT_EQ(data[3], 36);
  });
}

TEST_P(on_two_gpus, kernels_from_source_text_run_on_their_device) {
  if (const auto reason = why_no_compiler()) GTEST_SKIP() << *reason;
  constexpr auto text =
      "__global__ void twice(float* data) { data[threadIdx.x] = 2 * data[threadIdx.x]; }";
  on_each([&](int /*index*/, device& gpu) {
    const context context(gpu);
    const source_module module(gpu, text);
    std::vector<float> data{1, 2, 3, 4};
    module.get_function("twice")(context, {.block = {4}}, in_out(data));
    EXPECT_EQ(data[3], 8);
  });
}

TEST_P(on_two_gpus, graphs_run_on_the_device_of_their_stream) {
  on_each([](int /*index*/, device& gpu) {
    const auto work = gpu.create_stream();
    const auto host = gpu.allocate_host(mib, pinned());
    const auto block = gpu.allocate(mib);
    const graph recorded(*work, [&] {
      work->copy(block.data(), host.data(), mib, direction::h2d);
      work->copy_by_kernel(host.data(), block.data(), mib / 2);
    });
    write_host_pattern(host.data(), 0, mib, {5, false});
    recorded.enqueue();
    work->synchronize();
    EXPECT_EQ(check_pattern(gpu, block.data(), 0, mib, {5, false}).wrong_bytes, 0U);
  });
}

TEST_P(on_two_gpus, managed_memory_moves_to_its_device) {
  if (const auto reason = why_no_managed_memory(*gpus[0])) GTEST_SKIP() << *reason;
  on_each([](int /*index*/, device& gpu) {
    const managed_memory shared(gpu, mib);
    const auto work = gpu.create_stream();
    shared.prefetch(*work, residence::device);
    work->synchronize();
    EXPECT_EQ(shared.prefetched_to(), residence::device);
    const auto host = gpu.allocate_host(mib, managed);
    EXPECT_NE(host.on_device(), nullptr);
  });
}

TEST_P(on_two_gpus, staged_copies_and_round_trips_use_their_device) {
  constexpr std::size_t count = 16 * mib / sizeof(float);
  on_each([&](int index, device& gpu) {
    const context context(gpu);
    staged_copier copier(gpu);
    std::vector<float> source(count, 2);
    std::vector<float> destination(count);
    device_buffer<float> block(context, count);
    copier.copy(block, source);
    copier.copy(destination, block);
    EXPECT_EQ(destination, source);
    const auto to_zero = [&](stream& work, device_view<float> piece, std::size_t /*first*/) {
      EXPECT_EQ(device_of(work), index);
      EXPECT_EQ(current_device(), index);  // for the caller's own code
      work.clear(piece);
    };
    round_trip(context, source, destination, to_zero);
    EXPECT_EQ(destination, std::vector<float>(count));
    host_buffer<float> locked(gpu, count, pinned());
    std::ranges::fill(locked, 2.0F);
    round_trip(context, locked, locked, to_zero);
    EXPECT_TRUE(std::ranges::all_of(locked, [](float value) { return value == 0; }));
  });
}

TEST_P(on_two_gpus, arrays_are_copied_from_one_to_the_other) {
  const context first(*gpus[0]);
  const context second(*gpus[1]);
  constexpr std::size_t count = std::size_t{3} << 20;
  const auto check = [&] {
    auto there = arange<std::int32_t>(first, count).copy(second);
    there += 1;
    auto back = zeros<std::int32_t>(first, {count});
    back.set(there);
    back -= 1;
    EXPECT_EQ(back.get(), arange<std::int32_t>(first, count).get());
  };
  check();  // through the host's memory, unless another test has allowed more
  const bool both = gpus[0]->access_peer(*gpus[1]) && gpus[1]->access_peer(*gpus[0]);
  check();
  EXPECT_TRUE(gpus[0]->access_peer(*gpus[0]));
  if (!both) GTEST_SKIP() << "the GPUs do not access each other's memory";
  // A kernel on one reads the other's memory in place, also memory of a newer pool.
  const context newer(*gpus[1], device_pool(*gpus[1]));
  const auto theirs = full<std::int32_t>(newer, {count}, 7);
  newer.synchronize();
  auto ours = empty<std::int32_t>(first, {count});
  first.stream().copy_by_kernel(ours, theirs);
  EXPECT_EQ(sum(ours), 7 * static_cast<std::int64_t>(count));
}

TEST_P(on_two_gpus, kernels_get_memory_of_those_objects_that_the_access_was_given_for) {
  const auto again = open_cuda_device(1);
  const context ours(*gpus[0]);
  const context theirs(*again);
  const context with_pool_of_again(*gpus[1], device_pool(*again));
  auto first = full<float>(theirs, {4}, 2);
  auto second = full<float>(with_pool_of_again, {4}, 2);
  if (!gpus[0]->access_peer(*gpus[1])) GTEST_SKIP() << "the GPUs do not access each other's memory";
  EXPECT_TRUE(gpus[0]->accesses(*gpus[1]));
  EXPECT_FALSE(gpus[0]->accesses(*again));
  const auto scale = cuda_function("scale", scale_kernel());
  const auto triple = [&](gpu_array<float>& array) {
    scale(ours, {.grid = {2}, .block = {2}}, array, 3.0F, 4U);
  };
  for (auto* const array : {&first, &second}) EXPECT_THROW(triple(*array), invalid_argument);
  ASSERT_TRUE(gpus[0]->access_peer(*again));
  EXPECT_TRUE(gpus[0]->accesses(*again));
  for (auto* const array : {&first, &second}) {
    triple(*array);
    EXPECT_EQ(array->get()[3], 6);
  }
}

TEST_P(on_two_gpus, a_stream_is_adopted_by_its_device_only) {
  on_each([&](int index, device& gpu) {
    const auto own = gpu.create_stream();
    const auto handle = static_cast<cudaStream_t>(own->native_handle());
    EXPECT_EQ(native_stream(*adopt_stream(gpu, handle)), handle);
    EXPECT_THROW(static_cast<void>(adopt_stream(*gpus[1 - index], handle)), invalid_argument);
  });
}

TEST_P(on_two_gpus, mailboxes_are_answered_by_their_device) {
  on_each([](int /*index*/, device& gpu) {
    mailbox box(gpu, echo_service(gpu));
    EXPECT_EQ(box.exchange(7), 7U);
  });
}

TEST_P(on_two_gpus, errors_leave_the_current_device) {
  on_each([](int /*index*/, device& gpu) {
    std::vector<std::byte> memory(mib);
    const auto lock = gpu.lock(memory);
    EXPECT_THROW(static_cast<void>(gpu.lock(memory)), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(gpu.allocate(std::size_t{1} << 50)), out_of_memory);
    const auto work = gpu.create_stream();
    EXPECT_THROW(
        graph(*work, []() -> void { throw std::runtime_error("the work that is recorded fails"); }),
        std::runtime_error);
    EXPECT_FALSE(work->is_recording());
  });
}

TEST_P(on_two_gpus, new_threads_use_both) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([this, thread] {
      for (int turn = 0; turn < 8; ++turn) {
        const int index = (thread + turn) % 2;
        const context context(*gpus[index]);
        const auto array = to_gpu(context, std::vector<int>{thread, turn}) + 1;
        EXPECT_EQ(device_of(array.data()), index);
        EXPECT_EQ(array.get()[1], turn + 1);
        EXPECT_EQ(current_device(), 0);  // the initial device of a thread
      }
    });
  for (auto& thread : threads) thread.join();
}

TEST_P(on_two_gpus, make_current_ends_in_the_reverse_order) {
  const auto first = gpus[0]->make_current();
  EXPECT_EQ(current_device(), 0);
  {
    const auto second = gpus[1]->make_current();
    EXPECT_EQ(current_device(), 1);
  }
  EXPECT_EQ(current_device(), 0);
}

TEST_P(on_two_gpus, make_current_restores_the_current_device_whatever_was_set_meanwhile) {
  for (auto& gpu : gpus) {
    const auto current = gpu->make_current();
    ASSERT_EQ(cudaSetDevice(1 - gpu->description().cuda->index), cudaSuccess);
  }
  EXPECT_EQ(current_device(), GetParam().current);
}

INSTANTIATE_TEST_SUITE_P(current_and_opened, on_two_gpus,
                         testing::Values(setting{0, {0, 1}}, setting{0, {1, 0}}, setting{1, {0, 1}},
                                         setting{1, {1, 0}}));

/// Contexts take hundreds of megabytes: a process that uses only the second GPU must not create a
/// context on the first. The test needs a new process, as ctest provides it.
TEST(the_second_gpu, is_used_without_a_context_on_the_first) {
  if (find_cuda().devices < 2) GTEST_SKIP() << "there are no two GPUs";
  const auto has_context = [](int index) {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult status{};
    EXPECT_EQ(detail::find_in_driver("cuDevicePrimaryCtxGetState", &function, 12000, &status),
              cudaSuccess);
    unsigned flags = 0;
    int active = -1;
    EXPECT_EQ(
        reinterpret_cast<decltype(&cuDevicePrimaryCtxGetState)>(function)(index, &flags, &active),
        CUDA_SUCCESS);
    return active != 0;
  };
  if (has_context(0)) GTEST_SKIP() << "this process has used the first GPU already";
  const auto second = open_cuda_device(1);
  {
    const context context(*second);
    const auto array = 2 * to_gpu(context, std::vector<float>{1, 2, 3});
    EXPECT_EQ(array.get(pinned())[2], 6);
    std::vector<float> data{1, 2, 3, 4};
    const auto current = second->make_current();  // cuda_function() asks the current device
    cuda_function("scale", scale_kernel())(context, {.grid = {2}, .block = {2}}, in_out(data), 3.0F,
                                           4U);
    EXPECT_EQ(data[3], 12);
    std::vector<std::byte> host(8 * mib);
    const auto block = second->allocate(host.size());
    second->copy(block.data(), host.data(), host.size(), direction::h2d);
    second->synchronize();
  }
  EXPECT_TRUE(has_context(1));
  EXPECT_FALSE(has_context(0));
}

}  // namespace
}  // namespace transfers::several_devices_test
