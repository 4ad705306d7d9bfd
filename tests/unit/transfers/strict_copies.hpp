#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "tests/unit/transfers/strict_device.hpp"
#include "tests/unit/transfers/test_bytes.hpp"

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

  /// Makes this memory, and no other of the test's, what the test is about.
  void know(std::span<std::byte> host) {
    if (GetParam() == memory::page_locked) device_.know(host);
  }

  strict_device device_;
};

inline std::string name_of_memory(const testing::TestParamInfo<memory>& instance) {
  return instance.param == memory::ordinary ? "pageable" : "page_locked";
}

}  // namespace transfers
