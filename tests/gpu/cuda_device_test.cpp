
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "src/transfers/core/numa.hpp"
#include "src/transfers/cuda/check.hpp"
#include "tests/basics.hpp"
#include "tests/gpu/blocked_work.hpp"
#include "tests/gpu/on_gpu.hpp"
#include "tests/gpu/pattern.hpp"
#include "tests/unit/common/complaint.hpp"
#include "transfers/array/arithmetic.hpp"
#include "transfers/core/device.hpp"
#include "transfers/core/error.hpp"
#include "transfers/cuda/interop.hpp"

namespace transfers::cuda_device_test {
namespace {

constexpr std::size_t guard = 64;

class cuda_device_test : public on_gpu {};

void expect_arrived(const pattern_check& inside, const pattern_check& behind, std::size_t bytes) {
  EXPECT_EQ(inside.wrong_bytes, 0U) << bytes << " bytes, first wrong at " << inside.first_wrong;
  EXPECT_EQ(behind.wrong_bytes, 0U) << "written behind " << bytes << " bytes";
}

const pattern data{42, false};
const pattern poison{42, true};

/// Fills the source, poisons the destination, calls `move`, and checks every byte and the guard.
template <class Move>
void expect_moves(device& gpu, const host_memory& host, const device_memory& device_block,
                  std::size_t bytes, direction direction, Move&& move) {
  if (direction == direction::h2d) {
    write_host_pattern(host.data(), 0, bytes, data);
    write_pattern(gpu, device_block.data(), 0, bytes + guard, poison);
    move(device_block.data(), host.data());
    expect_arrived(check_pattern(gpu, device_block.data(), 0, bytes, data),
                   check_pattern(gpu, device_block.data(), bytes, guard, poison), bytes);
  } else {
    write_pattern(gpu, device_block.data(), 0, bytes, data);
    write_host_pattern(host.data(), 0, bytes + guard, poison);
    move(host.data(), device_block.data());
    expect_arrived(check_host_pattern(host.data(), 0, bytes, data),
                   check_host_pattern(host.data(), bytes, guard, poison), bytes);
  }
}

const std::vector<std::size_t> odd_and_even_sizes{1,  3,    4,     15,      16,
                                                  17, 4095, 65536, 1000003, (4 << 20) + 5};

TEST_F(cuda_device_test, places_memory_of_each_kind_on_a_node) {
  if (const auto reason = detail::why_no_node(0)) GTEST_SKIP() << *reason;
  constexpr std::size_t bytes = (4 << 20) + 5;
  const auto device_block = gpu->allocate(bytes + guard);
  for (const auto plain : all_host_memory_kinds()) {
    const auto kind = on_node(plain, 0);
    SCOPED_TRACE(to_string(kind));
    if (const auto reason = gpu->why_unsupported(kind)) {
      EXPECT_TRUE(has(kind.flags, pin_flags::write_combined) || gpu->why_unsupported(plain))
          << *reason;
      continue;
    }
    const auto host = gpu->allocate_host(bytes + guard, kind);
    EXPECT_NO_THROW(detail::verify_node(host.bytes(), 0));
    EXPECT_EQ(gpu->copies_directly(host.data()), is_page_locked(kind));
    EXPECT_EQ(host.on_device() != nullptr, is_page_locked(kind));
    for (const auto direction : {direction::h2d, direction::d2h})
      expect_moves(
          *gpu, host, device_block, bytes, direction,
          [&](std::byte* dst, const std::byte* src) { gpu->copy(dst, src, bytes, direction); });
  }
}

class every_kind : public cuda_device_test, public testing::WithParamInterface<host_memory_kind> {};

TEST_P(every_kind, copies_in_both_directions_byte_for_byte) {
  if (const auto reason = gpu->why_unsupported(GetParam())) GTEST_SKIP() << *reason;
  const auto most = odd_and_even_sizes.back();
  const auto host = gpu->allocate_host(most + guard, GetParam());
  const auto device_block = gpu->allocate(most + guard);
  const auto stream = gpu->create_stream();
  for (const auto bytes : odd_and_even_sizes)
    for (const auto direction : {direction::h2d, direction::d2h}) {
      expect_moves(
          *gpu, host, device_block, bytes, direction,
          [&](std::byte* dst, const std::byte* src) { gpu->copy(dst, src, bytes, direction); });
      expect_moves(*gpu, host, device_block, bytes, direction,
                   [&](std::byte* dst, const std::byte* src) {
                     stream->copy(dst, src, bytes, direction);
                     stream->synchronize();
                   });
    }
}

TEST_P(every_kind, zero_copy_moves_every_byte_if_the_device_sees_the_memory) {
  if (const auto reason = gpu->why_unsupported(GetParam())) GTEST_SKIP() << *reason;
  const auto most = odd_and_even_sizes.back();
  const auto host = gpu->allocate_host(most + guard, GetParam());
  if (host.on_device() == nullptr) {
    EXPECT_TRUE(GetParam() == pageable || GetParam() == pageable_huge);
    return;
  }
  const auto device_block = gpu->allocate(most + guard);
  const auto stream = gpu->create_stream();
  for (const auto bytes : odd_and_even_sizes)
    for (const auto direction : {direction::h2d, direction::d2h})
      expect_moves(*gpu, host, device_block, bytes, direction,
                   [&](std::byte* dst, const std::byte* src) {
                     if (direction == direction::h2d)
                       stream->copy_by_kernel(dst, host.on_device(), bytes);
                     else
                       stream->copy_by_kernel(host.on_device(), src, bytes);
                     stream->synchronize();
                   });
}

INSTANTIATE_TEST_SUITE_P(all, every_kind,
                         testing::ValuesIn(all_host_memory_kinds().begin(),
                                           all_host_memory_kinds().end()),
                         [](const auto& instance) { return to_string(instance.param); });

TEST_F(cuda_device_test, kernel_copy_takes_unaligned_addresses) {
  constexpr std::size_t room = 100'000;
  const auto host = gpu->allocate_host(room, pinned(pin_flags::mapped));
  const auto device_block = gpu->allocate(room);
  const auto stream = gpu->create_stream();
  write_host_pattern(host.data(), 0, room, data);
  std::vector<std::byte> arrived(room);
  for (const std::size_t to : {0, 1, 4, 8, 15})
    for (const std::size_t from : {0, 1, 3, 4, 8, 12})
      for (const std::size_t bytes : {1, 5, 15, 16, 33, 1001, 65537})
        for (const unsigned blocks : {1U, 3U, 1000U}) {
          SCOPED_TRACE(testing::Message() << bytes << " bytes from " << from << " to " << to << ", "
                                          << blocks << " blocks");
          write_pattern(*gpu, device_block.data(), 0, room, poison);
          stream->copy_by_kernel(device_block.data() + to, host.on_device() + from, bytes, blocks);
          stream->synchronize();
          gpu->copy(arrived.data(), device_block.data(), room, direction::d2h);
          EXPECT_TRUE(std::equal(host.data() + from, host.data() + from + bytes, &arrived[to]));
          EXPECT_EQ(check_pattern(*gpu, device_block.data(), 0, to, poison).wrong_bytes, 0U);
          EXPECT_EQ(check_pattern(*gpu, device_block.data(), to + bytes, room - to - bytes, poison)
                        .wrong_bytes,
                    0U);
        }
}

/// Printed rather than demanded, because other programs may use the link.
TEST_F(cuda_device_test, bandwidth_of_few_blocks_is_printed) {
  constexpr std::size_t bytes = std::size_t{256} << 20;
  const auto host = gpu->allocate_host(bytes + guard, pinned(pin_flags::mapped));
  const auto device_block = gpu->allocate(bytes + guard);
  const auto stream = gpu->create_stream();
  for (const auto direction : {direction::h2d, direction::d2h})
    for (const unsigned blocks : {1U, 2U, 4U, 8U, 16U, 32U}) {
      double best = 0;
      expect_moves(
          *gpu, host, device_block, bytes, direction, [&](std::byte* dst, const std::byte* src) {
            for (int i = 0; i < 5; ++i) {
              const auto start = std::chrono::steady_clock::now();
              if (direction == direction::h2d)
                stream->copy_by_kernel(dst, host.on_device(), bytes, blocks);
              else
                stream->copy_by_kernel(host.on_device(), src, bytes, blocks);
              stream->synchronize();
              const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
              best = std::max(best, static_cast<double>(bytes) / time.count() / 1e9);
            }
          });
      std::printf("%u blocks %s: %.1f GB/s\n", blocks,
                  direction == direction::h2d ? "read" : "write", best);
    }
}

TEST_F(cuda_device_test, device_check_counts_wrong_bytes) {
  const auto device_block = gpu->allocate(3 << 20);
  write_pattern(*gpu, device_block.data(), 0, 3 << 20, data);
  write_pattern(*gpu, device_block.data(), 1234567, 5, poison);
  const auto check = check_pattern(*gpu, device_block.data(), 0, 3 << 20, data);
  EXPECT_EQ(check.wrong_bytes, 5U);
  EXPECT_EQ(check.first_wrong, 1234567U);
}

TEST_F(cuda_device_test, a_refused_allocation_is_out_of_memory_and_leaves_the_device_usable) {
  EXPECT_THROW((void)gpu->allocate(std::size_t{1} << 50), out_of_memory);
  EXPECT_THROW((void)gpu->allocate(0), std::invalid_argument);
  const auto small = gpu->allocate(4096);
  write_pattern(*gpu, small.data(), 0, 4096, data);
  EXPECT_EQ(check_pattern(*gpu, small.data(), 0, 4096, data).wrong_bytes, 0U);
}

TEST_F(cuda_device_test, owners_return_their_memory) {
  const auto before = gpu->free_memory();
  {
    const auto block = gpu->allocate(std::size_t{256} << 20);
    EXPECT_LE(gpu->free_memory() + (std::size_t{256} << 20), before);
  }
  EXPECT_EQ(gpu->free_memory(), before);
}

TEST_F(cuda_device_test, an_error_names_the_call_and_cudas_error) {
  std::byte* const nowhere = nullptr;
  const auto device_block = gpu->allocate(4096);
  const auto failure = bench_transfers::common::thrown_by<device_error>(
      [&] { gpu->copy(device_block.data(), nowhere, 4096, direction::h2d); });
  ASSERT_TRUE(failure) << "a copy from a null pointer succeeded";
  EXPECT_THAT(failure->what(), HasSubstr("cudaMemcpy"));
  EXPECT_THAT(failure->what(), HasSubstr("cudaErrorInvalidValue"));
  EXPECT_FALSE(failure->device_lost());
}

TEST_F(cuda_device_test, refuses_indices_without_a_device) {
  EXPECT_THROW((void)open_cuda_device(find_cuda().devices), unsupported);
  EXPECT_THROW((void)open_cuda_device(-1), unsupported);
}

double median_copy_ns(device& gpu, std::byte* dst, const std::byte* src) {
  std::vector<double> times(2001);
  for (auto& time : times) {
    const auto start = std::chrono::steady_clock::now();
    gpu.copy(dst, src, 4, direction::h2d);
    time =
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
  }
  std::ranges::nth_element(times, times.begin() + 1000);
  return times[1000];
}

/// The reason why the harness waits for the device before it times copies (docs/METHOD.md): a
/// kernel on another stream slows later copies down until synchronize(). Printed rather than
/// demanded, because other programs may use the link.
TEST_F(cuda_device_test, copies_around_a_kernel_on_another_stream_arrive_and_are_printed) {
  auto host = gpu->allocate_host(4096, pinned(pin_flags::mapped));
  write_host_pattern(host.data(), 0, 4096, data);
  const auto device_block = gpu->allocate(4096);
  const auto stream = gpu->create_stream();
  (void)median_copy_ns(*gpu, device_block.data(), host.data());  // warm-up
  const double fresh = median_copy_ns(*gpu, device_block.data(), host.data());
  stream->copy_by_kernel(device_block.data(), host.on_device(), 4096);
  stream->synchronize();
  const double after_kernel = median_copy_ns(*gpu, device_block.data(), host.data());
  gpu->synchronize();
  const double after_wait = median_copy_ns(*gpu, device_block.data(), host.data());
  std::printf(
      "4-byte cudaMemcpy: %.0f ns, after a kernel on another stream %.0f ns, after waiting %.0f "
      "ns\n",
      fresh, after_kernel, after_wait);
  EXPECT_EQ(check_pattern(*gpu, device_block.data(), 0, 4096, data).wrong_bytes, 0U);
}

TEST_F(cuda_device_test, knows_which_memory_it_copies_directly) {
  std::vector<std::byte> ordinary(8192);
  EXPECT_FALSE(gpu->copies_directly(ordinary.data()));
  EXPECT_TRUE(gpu->copies_directly(gpu->allocate_host(8192, pinned()).data()));
  EXPECT_TRUE(gpu->copies_directly(gpu->allocate_host(8192, registered).data()));
  const auto lock = gpu->lock(ordinary);
  EXPECT_TRUE(gpu->copies_directly(ordinary.data() + 100));
}

TEST_F(cuda_device_test, refuses_to_lock_memory_twice) {
  const auto block = gpu->allocate_host(8192, pinned());
  EXPECT_THROW(static_cast<void>(gpu->lock(block.bytes())), std::invalid_argument);
  std::vector<std::byte> ordinary(8192);
  const auto lock = gpu->lock(ordinary);
  EXPECT_THROW(static_cast<void>(gpu->lock(ordinary)), std::invalid_argument);
}

TEST_F(cuda_device_test, a_wait_rethrows_what_a_called_function_throws) {
  const auto stream = gpu->create_stream();
  stream->call([] { throw std::domain_error("no such number"); });
  EXPECT_THROW(stream->synchronize(), std::domain_error);
  EXPECT_NO_THROW(stream->synchronize());
}

TEST_F(cuda_device_test, an_event_queried_too_early_leaves_no_error) {
  constexpr std::size_t bytes = std::size_t{256} << 20;
  const auto host = gpu->allocate_host(bytes, pinned());
  const auto device_block = gpu->allocate(bytes);
  const auto stream = gpu->create_stream();
  stream->copy(device_block.data(), host.data(), bytes, direction::h2d);
  const auto end = stream->record();
  EXPECT_FALSE(end->done());
  EXPECT_NO_THROW(
      stream->copy_by_kernel(device_block.data(), device_block.data() + bytes / 2, bytes / 2));
  end->wait();
  EXPECT_TRUE(end->done());
  EXPECT_NO_THROW(stream->synchronize());
}

TEST_F(cuda_device_test, a_stream_waits_for_an_event_of_another) {
  constexpr std::size_t bytes = 4096;
  const auto host = gpu->allocate_host(bytes, pinned());
  const auto device_block = gpu->allocate(bytes);
  write_pattern(*gpu, device_block.data(), 0, bytes, poison);
  const auto first = gpu->create_stream();
  const auto second = gpu->create_stream();
  const auto independent = gpu->create_stream();
  {
    blocked_work blocked(*first);
    // Only its order makes the first stream's data arrive in host memory. The event is destroyed
    // before it is reached.
    first->call([&] { write_host_pattern(host.data(), 0, bytes, data); });
    second->wait(*first->record(event_timing::off));
    second->copy(device_block.data(), host.data(), bytes, direction::h2d);
    const auto copied = second->record(event_timing::off);
    independent->synchronize();
    EXPECT_FALSE(copied->done());
    blocked.go_on();
    second->synchronize();
  }
  EXPECT_EQ(check_pattern(*gpu, device_block.data(), 0, bytes, data).wrong_bytes, 0U);
}

TEST_F(cuda_device_test, events_of_two_streams_have_times_in_their_order) {
  const auto first = gpu->create_stream();
  const auto second = gpu->create_stream();
  const auto begin = first->record();
  first->call([] {});
  const auto middle = first->record();
  second->wait(*middle);
  const auto end = second->record();
  EXPECT_GE(middle->time_since(*begin).count(), 0);
  EXPECT_GE(end->time_since(*begin), middle->time_since(*begin));
  EXPECT_EQ(end->time_since(*end).count(), 0);
}

TEST_F(cuda_device_test, records_an_event_again) {
  const auto stream = gpu->create_stream();
  const auto event = stream->record();
  event->wait();
  {
    blocked_work blocked(*stream);
    stream->record_again(*event);
    EXPECT_FALSE(event->done());
    blocked.go_on();
    event->wait();
  }
  EXPECT_TRUE(event->done());
  const auto host = open_host_device();
  const auto of_host = host->create_stream()->record();
  EXPECT_THROW(stream->record_again(*of_host), std::invalid_argument);
}

TEST_F(cuda_device_test, events_without_times_and_of_host_devices_are_refused) {
  const auto stream = gpu->create_stream();
  const auto timed = stream->record();
  const auto timeless = stream->record(event_timing::off);
  EXPECT_THROW(static_cast<void>(timed->time_since(*timeless)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(timeless->time_since(*timed)), std::invalid_argument);
  const auto host = open_host_device();
  const auto host_stream = host->create_stream();
  const auto of_host = host_stream->record();
  EXPECT_THROW(stream->wait(*of_host), std::invalid_argument);
  EXPECT_THROW(host_stream->wait(*timed), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(timed->time_since(*of_host)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(of_host->time_since(*timed)), std::invalid_argument);
}

TEST_F(cuda_device_test, works_on_the_legacy_default_stream_but_on_no_stream_per_thread) {
  const auto adopted = adopt_stream(*gpu, cudaStream_t{});
  const context context(*gpu, *adopted);
  std::vector<int> numbers(std::size_t{1} << 18);
  std::iota(numbers.begin(), numbers.end(), 0);
  const auto array = to_gpu_async(context, numbers);
  std::vector<int> downloaded(numbers.size());
  (array * 2).get_async(downloaded);
  context.synchronize();
  for (std::size_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(downloaded[i], 2 * numbers[i]);
  EXPECT_THROW(static_cast<void>(adopt_stream(*gpu, cudaStreamPerThread)), invalid_argument);
}

TEST_F(cuda_device_test, description_is_filled_in) {
  const auto& description = gpu->description();
  ASSERT_TRUE(description.cuda);
  EXPECT_EQ(description.kind, "cuda");
  EXPECT_THAT(description.cuda->uuid,
              MatchesRegex("GPU-[0-9a-f]+-[0-9a-f]+-[0-9a-f]+-[0-9a-f]+-[0-9a-f]+"));
  EXPECT_EQ(description.cuda->uuid.size(), 40U);
  EXPECT_GT(description.cuda->multiprocessors, 0);
  EXPECT_GT(description.cuda->memory_bytes, std::size_t{1} << 30);
}

TEST(cuda_check, takes_what_the_driver_is_too_old_for_as_unsupported) {
  EXPECT_THROW(detail::cuda_check(cudaErrorCallRequiresNewerDriver, "aCall"), unsupported);
  EXPECT_THROW(detail::cuda_check(cudaErrorNotSupported, "aCall"), device_error);
}

}  // namespace
}  // namespace transfers::cuda_device_test
