#include "transfers/fast/polite_copy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/gpu/on_gpu.hpp"
#include "tests/gpu/pattern.hpp"

namespace transfers::polite_copy_test {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;
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

}  // namespace
}  // namespace transfers::polite_copy_test
