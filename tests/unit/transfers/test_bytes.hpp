#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "transfers/core/workers.hpp"

namespace transfers {

/// Content for memory that is copied: byte i depends on the seed and on i. Where two seeds differ,
/// nearly all bytes differ.
class test_bytes {
 public:
  explicit test_bytes(std::uint64_t seed) : seed_(seed) {
    for (std::size_t i = 0; i < page / sizeof(std::uint64_t); ++i) {
      const auto bits = word(i);
      for (const auto copy : {std::size_t{0}, page})
        std::memcpy(table_.data() + copy + i * sizeof bits, &bits, sizeof bits);
    }
  }

  void write_to(std::span<std::byte> memory) const {
    in_pages(0, memory.size(), [&](std::size_t first, std::span<const std::byte> content) {
      std::memcpy(memory.data() + first, content.data(), content.size());
    });
  }

  /// Whether bytes [offset, offset + bytes) of the memory are as written.
  [[nodiscard]] bool are_in(std::span<const std::byte> memory, std::size_t offset,
                            std::size_t bytes) const {
    std::atomic<bool> equal = true;
    in_pages(offset, bytes, [&](std::size_t first, std::span<const std::byte> content) {
      if (std::memcmp(memory.data() + first, content.data(), content.size()) != 0) equal = false;
    });
    return equal;
  }
  [[nodiscard]] bool are_in(std::span<const std::byte> memory) const {
    return are_in(memory, 0, memory.size());
  }

 private:
  static constexpr std::size_t page = 4096;

  [[nodiscard]] std::uint64_t word(std::size_t index) const {
    auto bits = (index + 1 + (seed_ << 48U)) * 0x9e3779b97f4a7c15U;
    bits = (bits ^ (bits >> 32U)) * 0xbf58476d1ce4e5b9U;
    return bits ^ (bits >> 32U);
  }

  /// Calls work(first, content) for pieces of the range that lie in one page each.
  template <class Work>
  void in_pages(std::size_t offset, std::size_t bytes, const Work& work) const {
    if (bytes == 0) return;
    const auto first_page = offset / page;
    const auto pages = (offset + bytes + page - 1) / page - first_page;
    in_parallel(pages, {.worth_a_thread = 1024}, [&](std::size_t first, std::size_t count) {
      std::array<std::byte, page> content{};
      for (auto i = first_page + first; i < first_page + first + count; ++i) {
        // Each page begins at another byte of the table, and with a number of its own. These tests
        // are not optimised, and some of them write GiB.
        std::memcpy(content.data(), table_.data() + i * 61 % page, page);
        const auto number = word(page + i);
        std::memcpy(content.data(), &number, sizeof number);
        const auto begin = std::max(offset, i * page);
        const auto end = std::min(offset + bytes, (i + 1) * page);
        work(begin, std::span(content).subspan(begin - i * page, end - begin));
      }
    });
  }

  std::uint64_t seed_;
  std::array<std::byte, 2 * page> table_{};  ///< twice the same
};

}  // namespace transfers
