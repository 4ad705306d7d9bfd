#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "tests/unit/transfers/forwarding_device.hpp"

namespace transfers {

/// A device whose kernels have no address for memory that it has not allocated itself.
class strict_device final : public forwarding_device {
 public:
  [[nodiscard]] host_memory allocate_host(std::size_t bytes, host_memory_kind kind) override {
    auto block = forwarding_device::allocate_host(bytes, kind);
    allocated_.emplace_back(block.data(), block.size());
    return block;
  }
  [[nodiscard]] std::byte* address_on_device(std::byte* host) const override {
    const auto contains = [host](std::span<std::byte> memory) {
      return memory.data() <= host && host < memory.data() + memory.size();
    };
    return contains(known_) || std::ranges::any_of(allocated_, contains) ? host : nullptr;
  }
  /// As if this memory were page-locked, and no other of the caller's.
  void know(std::span<std::byte> memory) { known_ = memory; }

 private:
  std::span<std::byte> known_;
  std::vector<std::span<std::byte>> allocated_;
};

}  // namespace transfers
