#include "transfers/fast/polite_copy.hpp"

#include <span>
#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/transfers/counting_device.hpp"
#include "tests/unit/transfers/strict_copies.hpp"
#include "tests/unit/transfers/test_bytes.hpp"
#include "transfers/array/create.hpp"
#include "transfers/core/error.hpp"

namespace transfers::polite_copy_test {
namespace {

class polite_copies : public strict_copies {};

TEST_P(polite_copies, move_exactly_the_bytes) {
  polite_copier copier(device_);
  for (const auto direction : {direction::h2d, direction::d2h})
    for (const std::size_t bytes : {std::size_t{1}, 7UL, 4 * kib, 300 * kib, 9000 * kib + 5})
      expect_exact(copier, bytes, direction);
}

TEST_P(polite_copies, do_not_wait_for_other_streams) {
  expect_no_wait_for_other_streams<polite_copier>();
}

TEST_P(polite_copies, take_turns_for_several_threads) {
  expect_turns_of_threads<polite_copier>(100 * kib);
}

INSTANTIATE_TEST_SUITE_P(all, polite_copies, testing::Values(memory::ordinary, memory::page_locked),
                         name_of_memory);

TEST(polite_copier, enqueues_in_the_order_of_the_stream) {
  strict_device device;
  const polite_copier copier(device);
  std::vector<std::byte> host(1000);
  std::vector<std::byte> late(1000);
  test_bytes(6).write_to(late);
  device.know(host);
  const auto on_device = device.allocate(1000);
  const auto stream = device.create_stream();
  stream->call([&] { host = late; });
  copier.enqueue(*stream, on_device.data(), host.data(), 1000, direction::h2d);
  stream->synchronize();
  EXPECT_TRUE(test_bytes(6).are_in(std::span(on_device.data(), 1000)));
}

TEST(polite_copier, moves_the_bytes_whomever_it_yields_to) {
  strict_device device;
  polite_copier copier(device);
  const auto on_device = device.allocate(1000);
  unsigned seed = 7;
  for (const auto others : {yield_to::copies, yield_to::work, yield_to::both}) {
    SCOPED_TRACE(seed);
    const test_bytes sent(++seed);
    std::vector<std::byte> host(1000);
    device.know(host);
    sent.write_to(host);
    copier.copy(on_device.data(), host.data(), 1000, direction::h2d, others);
    EXPECT_TRUE(sent.are_in(std::span(on_device.data(), 1000)));
    std::vector<std::byte> back(1000);
    copier.copy(back.data(), on_device.data(), 1000, direction::d2h, others);
    EXPECT_TRUE(sent.are_in(back));
    EXPECT_EQ(copier.multiprocessors(direction::h2d, others), 0U) << "the host device has none";
  }
}

TEST(polite_copier, enqueues_no_pageable_memory) {
  strict_device device;
  const polite_copier copier(device);
  std::vector<std::byte> host(100);
  device.know(std::span(host).first(99));
  const auto on_device = device.allocate(100);
  const auto stream = device.create_stream();
  EXPECT_THROW(copier.enqueue(*stream, on_device.data(), host.data(), 100, direction::h2d),
               unsupported);
  EXPECT_NO_THROW(copier.enqueue(*stream, on_device.data(), host.data(), 99, direction::h2d));
  stream->synchronize();
}

TEST(polite_copier, does_nothing_for_no_bytes) {
  strict_device device;
  polite_copier copier(device);
  const auto stream = device.create_stream();
  EXPECT_NO_THROW(copier.copy(nullptr, nullptr, 0, direction::h2d));
  EXPECT_NO_THROW(copier.enqueue(*stream, nullptr, nullptr, 0, direction::d2h));
}

TEST(polite_copier, takes_page_locked_memory_for_staging_only_when_a_copy_needs_it) {
  counting_device device;
  polite_copier copier(device);
  EXPECT_EQ(device.counts().host_bytes, 0U);
}

TEST(polite_copier, reports_each_operation_that_fails) {
  for (const auto direction : {direction::h2d, direction::d2h}) {
    const auto failures = fail_each(failure::operation, [&](counting_device& device) {
      std::vector<std::byte> host(300 * kib);
      const auto on_device = device.allocate(host.size());
      const bool up = direction == direction::h2d;
      try {
        polite_copier copier(device);
        copier.copy(up ? on_device.data() : host.data(), up ? host.data() : on_device.data(),
                    host.size(), direction);
      } catch (const device_error&) {
        EXPECT_TRUE(device.counts().idle()) << "something was still under way";
        return false;
      }
      return true;
    });
    EXPECT_GE(failures, 2U);
  }
}

TEST(copy_politely, takes_elements_of_a_context) {
  expect_copies_of_elements([](const context& gpu, auto& destination, auto&& source) {
    copy_politely(gpu, destination, source);
  });
}

TEST(polite_copier, enqueues_elements_of_a_context) {
  const auto device = open_host_device();
  const context gpu(*device);
  const polite_copier copier(*device);
  const auto array = to_gpu(gpu, {1, 2, 3});
  std::vector<int> copied(3);
  copier.enqueue(gpu.stream(), copied, array);
  gpu.synchronize();
  EXPECT_EQ(copied, (std::vector{1, 2, 3}));
  copied.resize(2);
  EXPECT_THROW(copier.enqueue(gpu.stream(), copied, array), std::length_error);
}

}  // namespace
}  // namespace transfers::polite_copy_test
