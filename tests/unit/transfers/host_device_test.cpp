#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <random>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/transfers/test_bytes.hpp"
#include "transfers/core/device.hpp"
#include "transfers/core/error.hpp"

namespace transfers::host_device_test {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool locking_works = false;  // the sanitizer makes mlock(2) do nothing
#else
constexpr bool locking_works = true;
#endif

/// The value of a line like "VmLck:     8 kB", in bytes.
std::size_t field_of(std::istream& lines, const std::string& key) {
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(key + ":")) return std::stoull(line.substr(key.size() + 1)) * 1024;
  ADD_FAILURE() << "no " << key;
  return 0;
}

std::size_t locked_bytes() {
  std::ifstream status("/proc/self/status");
  return field_of(status, "VmLck");
}

/// Bytes in transparent huge pages of the mapping that contains `address`.
std::size_t huge_bytes_at(const std::byte* address) {
  std::ifstream mappings("/proc/self/smaps");
  const auto target = reinterpret_cast<std::uintptr_t>(address);
  for (std::string line; std::getline(mappings, line);) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    char dash = 0;
    std::istringstream head(line);
    if (head >> std::hex >> begin >> dash >> end && dash == '-' && begin <= target && target < end)
      return field_of(mappings, "AnonHugePages");
  }
  ADD_FAILURE() << "no mapping holds the block";
  return 0;
}

bool may_lock(std::size_t bytes) {
  void* const pages =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const bool allowed = pages != MAP_FAILED && mlock(pages, bytes) == 0;
  if (pages != MAP_FAILED) munmap(pages, bytes);
  return allowed && locking_works;
}

class host_device : public testing::Test {
 protected:
  std::unique_ptr<device> host = open_host_device();
};

TEST_F(host_device, says_that_it_is_none) {
  EXPECT_EQ(host->description().kind, "host");
  EXPECT_THAT(host->description().name, HasSubstr("no GPU"));
  EXPECT_FALSE(host->description().cuda);
  EXPECT_GT(host->free_memory(), 0U);
}

class host_kind : public testing::TestWithParam<host_memory_kind> {
 protected:
  std::unique_ptr<device> host = open_host_device();
};

TEST_P(host_kind, is_allocated_in_aligned_usable_pages_or_refused_with_a_reason) {
  const auto kind = GetParam();
  if (const auto reason = host->why_unsupported(kind)) {
    EXPECT_THAT(*reason, AllOf(Not(IsEmpty()), Not(HasSubstr("\n"))));
    EXPECT_THROW(static_cast<void>(host->allocate_host(4096, kind)), unsupported);
    return;
  }
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  for (const std::size_t bytes : {std::size_t{1}, page - 1, page, page + 1, 3 * mib + 5}) {
    const auto block = host->allocate_host(bytes, kind);
    EXPECT_EQ(block.size(), bytes);
    EXPECT_EQ(block.kind(), kind);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.data()) % page, 0U);
    EXPECT_EQ(block.on_device(), block.data());
    test_bytes(1).write_to(block.bytes());
    EXPECT_TRUE(test_bytes(1).are_in(block.bytes()));
  }
}

TEST_P(host_kind, cannot_be_empty_or_absurdly_large) {
  if (host->why_unsupported(GetParam())) GTEST_SKIP() << *host->why_unsupported(GetParam());
  constexpr auto most = std::numeric_limits<std::size_t>::max();
  EXPECT_THROW(static_cast<void>(host->allocate_host(0, GetParam())), std::invalid_argument);
  for (const auto bytes : {most, most - 4096, most / 2 + 1, most / 2, most / 4})
    EXPECT_THROW(static_cast<void>(host->allocate_host(bytes, GetParam())), out_of_memory);
}

INSTANTIATE_TEST_SUITE_P(all, host_kind,
                         testing::ValuesIn(all_host_memory_kinds().begin(),
                                           all_host_memory_kinds().end()),
                         [](const auto& instance) { return to_string(instance.param); });

TEST_F(host_device, has_no_driver_to_ask_for_special_memory) {
  for (const auto kind : all_host_memory_kinds()) {
    const bool special =
        has(kind.flags, pin_flags::portable) || has(kind.flags, pin_flags::write_combined);
    if (kind == pageable_huge) continue;
    EXPECT_EQ(host->why_unsupported(kind).has_value(), special) << to_string(kind);
  }
}

TEST_F(host_device, device_memory_cannot_be_empty_or_absurdly_large) {
  EXPECT_EQ(host->allocate(5).size(), 5U);
  EXPECT_THROW(static_cast<void>(host->allocate(0)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(host->allocate(SIZE_MAX)), out_of_memory);
  EXPECT_THROW(static_cast<void>(host->allocate(SIZE_MAX / 4)), out_of_memory);
}

class host_locked : public testing::TestWithParam<host_memory_kind> {};

TEST_P(host_locked, pages_are_locked_until_they_are_freed) {
  if (!may_lock(mib)) GTEST_SKIP() << "this process may not lock memory";
  const auto host = open_host_device();
  const auto before = locked_bytes();
  {
    const auto block = host->allocate_host(mib, GetParam());
    EXPECT_EQ(locked_bytes(), before + mib);
  }
  EXPECT_EQ(locked_bytes(), before);
}

INSTANTIATE_TEST_SUITE_P(all, host_locked,
                         testing::Values(registered, pinned(), pinned(pin_flags::mapped)),
                         [](const auto& instance) { return to_string(instance.param); });

TEST_F(host_device, pageable_memory_is_not_locked) {
  const auto before = locked_bytes();
  const auto block = host->allocate_host(mib, pageable);
  EXPECT_EQ(locked_bytes(), before);
}

TEST_F(host_device, only_pageable_huge_memory_is_in_huge_pages) {
  constexpr std::size_t bytes = 8 * mib;
  const auto small = host->allocate_host(bytes, pageable);
  EXPECT_EQ(huge_bytes_at(small.data()), 0U);
  if (const auto reason = host->why_unsupported(pageable_huge)) GTEST_SKIP() << *reason;
  const auto huge = host->allocate_host(bytes, pageable_huge);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(huge.data()) % (2 * mib), 0U);
  EXPECT_GT(huge_bytes_at(huge.data()), 0U);
}

TEST_F(host_device, copies_in_both_directions) {
  constexpr std::size_t bytes = 100'003;
  const auto block = host->allocate_host(bytes, pageable);
  const auto device_block = host->allocate(bytes);
  const std::span on_device(device_block.data(), bytes);  // the host's memory, too
  test_bytes(1).write_to(block.bytes());
  host->copy(device_block.data(), block.data(), bytes, direction::h2d);
  EXPECT_TRUE(test_bytes(1).are_in(on_device));
  test_bytes(2).write_to(on_device);
  host->copy(block.data(), device_block.data(), bytes, direction::d2h);
  EXPECT_TRUE(test_bytes(2).are_in(block.bytes()));
}

/// Copies from each block to the next: the last block gets the data only if all copies run in
/// order.
class host_chain : public host_device {
 protected:
  static constexpr std::size_t links = 2000;
  static constexpr std::size_t bytes = 16 * 1024 + 1;

  host_chain() : first(bytes), blocks(links * bytes) { test_bytes(5).write_to(first); }

  void enqueue_all(stream& stream) {
    const auto* src = first.data();
    for (std::size_t i = 0; i < links; ++i) {
      stream.copy(&blocks[i * bytes], src, bytes, direction::h2d);
      src = &blocks[i * bytes];
    }
  }

  void expect_done() {
    EXPECT_TRUE(std::equal(first.begin(), first.end(), &blocks[(links - 1) * bytes]));
  }

  std::vector<std::byte> first;
  std::vector<std::byte> blocks;
};

TEST_F(host_chain, a_stream_works_in_order_and_synchronize_waits) {
  const auto stream = host->create_stream();
  enqueue_all(*stream);
  stream->synchronize();
  expect_done();
  stream->synchronize();  // no work is left
}

TEST_F(host_chain, the_end_of_a_stream_waits_too) {
  {
    const auto stream = host->create_stream();
    enqueue_all(*stream);
  }
  expect_done();
}

TEST_F(host_chain, the_device_waits_for_every_stream) {
  const auto stream = host->create_stream();
  const auto idle = host->create_stream();
  enqueue_all(*stream);
  host->synchronize();
  expect_done();
}

TEST_F(host_chain, streams_are_independent) {
  const auto idle = host->create_stream();
  const auto busy = host->create_stream();
  enqueue_all(*busy);
  idle->synchronize();
  busy->synchronize();
  expect_done();
}

TEST_F(host_device, a_kernel_copies_whatever_the_size_and_alignment) {
  const auto stream = host->create_stream();
  std::mt19937_64 random(6);
  std::vector<std::size_t> sizes{0, 1, 15, 16, 17, 31, 32, 33, 4095, 4096, 4097, mib + 13};
  for (const auto bytes : sizes) {
    for (int i = 0; i < 4; ++i) {
      const auto from = random() % 33;
      const auto to = random() % 33;
      std::vector<std::byte> source(from + bytes);
      for (auto& byte : source) byte = static_cast<std::byte>(random());
      const std::byte untouched{0x5A};
      std::vector<std::byte> destination(to + bytes + 40, untouched);
      stream->copy_by_kernel(destination.data() + to, source.data() + from, bytes);
      stream->synchronize();
      auto expected = std::vector<std::byte>(destination.size(), untouched);
      std::copy(source.begin() + static_cast<std::ptrdiff_t>(from), source.end(),
                expected.begin() + static_cast<std::ptrdiff_t>(to));
      EXPECT_EQ(destination, expected) << bytes << " bytes from " << from << " to " << to;
    }
  }
}

}  // namespace
}  // namespace transfers::host_device_test
