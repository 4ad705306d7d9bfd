#include "transfers/fast/polite_copy.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

#include "tests/basics.hpp"
#include "tests/gpu/kernels_for_tests.hpp"
#include "tests/gpu/on_gpu.hpp"
#include "tests/gpu/pattern.hpp"
#include "transfers/core/error.hpp"
#include "transfers/fast/scattered.hpp"
#include "transfers/launch/launch.hpp"

namespace transfers::polite_copy_test {
namespace {

const pattern data{43, false};
const pattern poison{43, true};

class polite_on_cuda : public on_gpu {
 protected:
  /// Copies in both directions; all bytes around the destination must stay.
  void expect_exact(polite_copier& copier, host_memory& host, device_memory& block, std::size_t to,
                    std::size_t from, std::size_t bytes) const {
    for (const auto others : {yield_to::copies, yield_to::work, yield_to::both})
      expect_exact(copier, host, block, to, from, bytes, others);
  }

 private:
  void expect_exact(polite_copier& copier, host_memory& host, device_memory& block, std::size_t to,
                    std::size_t from, std::size_t bytes, yield_to others) const {
    const auto room = host.size();
    std::vector<std::byte> arrived(room);
    std::vector<std::byte> expected(room);
    write_host_pattern(host.data(), 0, room, data);
    write_pattern(*gpu, block.data(), 0, room, poison);
    copier.copy(block.data() + to, host.data() + from, bytes, direction::h2d, others);
    gpu->copy(arrived.data(), block.data(), room, direction::d2h);
    write_host_pattern(expected.data(), 0, room, poison);
    std::copy_n(host.data() + from, bytes, expected.data() + to);
    EXPECT_TRUE(arrived == expected) << bytes << " bytes h2d from " << from << " to " << to;

    write_pattern(*gpu, block.data(), 0, room, data);
    gpu->copy(arrived.data(), block.data(), room, direction::d2h);
    write_host_pattern(host.data(), 0, room, poison);
    std::copy_n(host.data(), room, expected.data());
    std::copy_n(arrived.data() + from, bytes, expected.data() + to);
    copier.copy(host.data() + to, block.data() + from, bytes, direction::d2h, others);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), host.data()))
        << bytes << " bytes d2h from " << from << " to " << to;
  }
};

TEST_F(polite_on_cuda, copies_move_exactly_the_bytes_at_any_address) {
  polite_copier copier(*gpu);
  for (const auto kind : {pinned(pin_flags::mapped), pageable}) {
    auto host = gpu->allocate_host(100'000, kind);
    auto block = gpu->allocate(100'000);
    for (const std::size_t to : {0, 1, 4, 8, 15})
      for (const std::size_t from : {0, 1, 4, 12})
        for (const std::size_t bytes : {1, 5, 16, 33, 1001, 65537})
          expect_exact(copier, host, block, to, from, bytes);
  }
}

TEST_F(polite_on_cuda, copies_move_exactly_the_bytes_of_large_blocks) {
  polite_copier copier(*gpu);
  for (const auto kind : {pinned(pin_flags::mapped), pageable, registered}) {
    auto host = gpu->allocate_host(40 * mib, kind);
    auto block = gpu->allocate(40 * mib);
    for (const std::size_t bytes : {mib, 17 * mib + 13, 39 * mib})
      expect_exact(copier, host, block, 16, 0, bytes);
  }
}

TEST_F(polite_on_cuda, copies_of_pageable_memory_are_not_enqueued) {
  const polite_copier copier(*gpu);
  const auto host = gpu->allocate_host(mib, pageable);
  const auto block = gpu->allocate(mib);
  const auto stream = gpu->create_stream();
  EXPECT_THROW(copier.enqueue(*stream, block.data(), host.data(), mib, direction::h2d),
               unsupported);
}

/// Threads on all multiprocessors, and as many that wait for them, until it is told to end.
class full_gpu {
 public:
  explicit full_gpu(device& gpu)
      : word_(gpu.allocate_host(sizeof(unsigned), pinned(pin_flags::mapped))),
        stream_(gpu.create_stream()) {
    set(0);
    const auto occupy = cuda_function("occupy", occupy_kernel()).prepare<const unsigned*>();
    const auto blocks = 4 * static_cast<unsigned>(gpu.description().cuda->multiprocessors);
    occupy(*stream_, {.grid = {blocks}, .block = {1024}},
           reinterpret_cast<const unsigned*>(word_.on_device()));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // until they run
  }
  ~full_gpu() { end(); }
  full_gpu(const full_gpu&) = delete;
  full_gpu& operator=(const full_gpu&) = delete;

  void end() {
    set(1);
    stream_->synchronize();
  }

 private:
  void set(unsigned value) {
    std::atomic_ref<unsigned>(*reinterpret_cast<unsigned*>(word_.data())).store(value);
  }

  host_memory word_;
  std::unique_ptr<stream> stream_;
};

TEST_F(polite_on_cuda, copies_wait_for_room_on_a_full_gpu_unless_they_yield_to_work) {
  const polite_copier copier(*gpu);
  const auto host = gpu->allocate_host(mib, pinned(pin_flags::mapped));
  write_host_pattern(host.data(), 0, mib, data);
  struct copy {
    yield_to others;
    std::unique_ptr<stream> own_stream;
    device_memory block;
  };
  std::vector<copy> copies;
  for (const auto others : {yield_to::copies, yield_to::both, yield_to::work})
    copies.push_back({others, gpu->create_stream(), gpu->allocate(mib)});
  const auto in_blocks = gpu->create_stream();
  scattered_copy scattered(*gpu, *in_blocks);
  const auto scattered_block = gpu->allocate(mib);
  full_gpu full(*gpu);
  std::vector<std::unique_ptr<event>> ends;
  for (const auto& [others, stream, block] : copies) {
    copier.enqueue(*stream, block.data(), host.data(), mib, direction::h2d, others);
    ends.push_back(stream->record(event_timing::off));
  }
  const transfers::scattered_block whole(host.data(), mib);
  scattered.enqueue({&whole, 1}, {scattered_block.data(), mib}, direction::h2d,
                    scattered_route::sparing);
  ends.back()->wait();
  EXPECT_FALSE(ends[0]->done());
  EXPECT_FALSE(ends[1]->done());
  full.end();
  for (const auto& end : ends) end->wait();
  in_blocks->synchronize();
  for (const auto& copied : copies)
    EXPECT_EQ(check_pattern(*gpu, copied.block.data(), 0, mib, data).wrong_bytes, 0U);
  EXPECT_EQ(check_pattern(*gpu, scattered_block.data(), 0, mib, data).wrong_bytes, 0U);
}

/// Built for a device before sm_90 (75-virtual), there are none.
TEST_F(polite_on_cuda, copies_say_by_their_multiprocessors_whether_they_are_bulk_copies) {
  const polite_copier copier(*gpu);
  const auto occupied = copier.multiprocessors(direction::d2h, yield_to::both);
  std::printf("copies that yield to both occupy %u multiprocessors\n", occupied);
  EXPECT_GE(occupied, 1U);
  EXPECT_LE(occupied, 2U);
  EXPECT_EQ(copier.multiprocessors(direction::d2h, yield_to::work), 0U);
}

}  // namespace
}  // namespace transfers::polite_copy_test
