#include "src/transfers/core/new_pages.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "src/transfers/core/pages.hpp"

namespace transfers::detail {
namespace {

constexpr int populate_write = 23;  // MADV_POPULATE_WRITE, which older C libraries do not name

void* page_of(const std::byte* address) noexcept {
  const auto number = reinterpret_cast<std::uintptr_t>(address);
  return reinterpret_cast<void*>(number / page_bytes() * page_bytes());
}

/// True as well where the system does not tell.
bool exists(const std::byte* address) noexcept {
  unsigned char state = 1;
  return mincore(page_of(address), 1, &state) != 0 || (state & 1U) != 0;
}

/// Offset of the memory's first byte in the block that it lies in.
std::size_t offset_in_block(const std::byte* memory) noexcept {
  return reinterpret_cast<std::uintptr_t>(memory) % new_pages::block_bytes;
}

}  // namespace

new_pages::new_pages(std::byte* memory, std::size_t bytes, std::size_t ahead) noexcept
    : memory_(memory), bytes_(bytes), ahead_(ahead) {
  constexpr std::size_t worth_a_look = 2 * block_bytes;
  if (bytes < worth_a_look || !can_be_created_ahead()) return;
  for (const auto offset : {std::size_t{0}, bytes / 2, bytes - 1})
    if (!exists(memory + offset))
      blocks_ = (offset_in_block(memory) + bytes + block_bytes - 1) / block_bytes;
}

bool new_pages::can_be_created_ahead() noexcept {
  static const bool can = [] {
    std::byte own{};
    return madvise(page_of(&own), page_bytes(), populate_write) == 0;
  }();
  return can;
}

void new_pages::create_ahead_of(std::size_t offset) noexcept {
  if (blocks_ == 0) return;
  const auto end = std::min(offset + ahead_, bytes_) + offset_in_block(memory_);
  const auto last = std::min(blocks_, (end + block_bytes - 1) / block_bytes);
  while (next_.load(std::memory_order_relaxed) < last) {
    const auto block = next_.fetch_add(1, std::memory_order_relaxed);
    if (block < blocks_ && !create(block)) next_ = blocks_;
  }
}

/// False if the kernel refuses, as if there is no memory for the page.
bool new_pages::create(std::size_t block) const noexcept {
  const auto begin = block * block_bytes;
  const auto before = offset_in_block(memory_);
  const auto first = begin < before ? 0 : begin - before;
  const auto end = std::min(begin + block_bytes - before, bytes_);
  auto* const page = page_of(memory_ + first);
  const auto bytes = static_cast<std::size_t>(memory_ + end - static_cast<std::byte*>(page));
  return madvise(page, bytes, populate_write) == 0;
}

}  // namespace transfers::detail
