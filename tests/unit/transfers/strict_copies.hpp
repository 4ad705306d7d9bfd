#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <future>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/transfers/strict_device.hpp"
#include "tests/unit/transfers/test_bytes.hpp"
#include "transfers/array/create.hpp"

namespace transfers {

/// Whether kernels have an address for the host's end, as for page-locked memory.
enum class memory { ordinary, page_locked };

/// Copies by a copier whose kernels access page-locked memory in place.
class strict_copies : public testing::TestWithParam<memory> {
 protected:
  /// A copy of bytes within larger blocks, the rest of which must stay.
  template <class Copier>
  void expect_exact(Copier& copier, std::size_t bytes, direction direction) {
    std::vector<std::byte> host(bytes + 2);
    const auto on_device = device_.allocate(bytes + 2);
    const std::span device_bytes(on_device.data(), bytes + 2);  // of the host device: the host's
    test_bytes(1).write_to(host);
    test_bytes(2).write_to(device_bytes);
    know(host);
    const bool up = direction == direction::h2d;
    auto expected = up ? std::vector(device_bytes.begin(), device_bytes.end()) : host;
    const auto* const source = up ? host.data() : on_device.data();
    std::memcpy(expected.data() + 1, source + 1, bytes);
    copier.copy((up ? on_device.data() : host.data()) + 1, source + 1, bytes, direction);
    EXPECT_EQ(up ? std::vector(device_bytes.begin(), device_bytes.end()) : host, expected) << bytes;
  }

  /// Copies there and back while another stream is busy.
  template <class Copier>
  void expect_no_wait_for_other_streams() {
    Copier copier(device_);
    std::vector<std::byte> host(1000);
    test_bytes(1).write_to(host);
    know(host);
    const auto on_device = device_.allocate(1000);  // which waits for all streams when it is freed
    const auto busy = device_.create_stream();
    std::promise<void> end;
    busy->call([held = end.get_future().share()] { held.wait(); });
    const auto behind = busy->record();
    copier.copy(on_device.data(), host.data(), 1000, direction::h2d);
    std::ranges::fill(host, std::byte{});
    copier.copy(host.data(), on_device.data(), 1000, direction::d2h);
    EXPECT_FALSE(behind->done());
    EXPECT_TRUE(test_bytes(1).are_in(host));
    end.set_value();
    busy->synchronize();
  }

  /// Several threads copy parts of so many bytes by one copier.
  template <class Copier>
  void expect_turns_of_threads(std::size_t part) {
    Copier copier(device_);
    std::vector<std::byte> host(4 * part);
    test_bytes(5).write_to(host);
    know(host);
    const auto on_device = device_.allocate(host.size());
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < 4; ++i)
      threads.emplace_back([&, first = i * part] {
        for (int k = 0; k < 20; ++k)
          copier.copy(on_device.data() + first, host.data() + first, part, direction::h2d);
      });
    threads.clear();
    EXPECT_TRUE(test_bytes(5).are_in(std::span(on_device.data(), host.size())));
  }

  /// Makes this memory, and no other of the test's, what the test is about.
  void know(std::span<std::byte> host) {
    if (GetParam() == memory::page_locked) device_.know(host);
  }

  strict_device device_;
};

/// A function copies elements of a context, by its form of copy(gpu, destination, source).
template <class Copy>
void expect_copies_of_elements(Copy&& copy) {
  const auto device = open_host_device();
  const context gpu(*device);
  std::vector<int> values(1000);
  std::iota(values.begin(), values.end(), 0);
  auto array = to_gpu(gpu, std::vector<int>(1000));
  gpu.synchronize();
  copy(gpu, array, values);
  std::vector<int> back(1000);
  copy(gpu, back, array);
  EXPECT_EQ(back, values);
  EXPECT_THROW(copy(gpu, array, std::vector<int>(999)), std::length_error);
}

inline std::string name_of_memory(const testing::TestParamInfo<memory>& instance) {
  return instance.param == memory::ordinary ? "pageable" : "page_locked";
}

}  // namespace transfers
