#include "src/transfers/host/locked_ranges.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "src/transfers/core/pages.hpp"
#include "transfers/core/error.hpp"

namespace transfers::detail {

std::shared_ptr<locked_ranges> locked_ranges::of_this_process() {
  static const auto ranges = std::make_shared<locked_ranges>();
  return ranges;
}

void locked_ranges::lock(std::span<std::byte> memory) {
  const std::scoped_lock guard(mutex_);
  const auto after = ranges_.lower_bound(memory.data() + memory.size());
  if (after != ranges_.begin()) {
    const auto& [first, bytes] = *std::prev(after);
    if (first + bytes > memory.data())
      throw invalid_argument("this host memory is page-locked already, or a part of it is");
  }
  lock_pages(memory.data(), memory.size());
  ranges_.emplace(memory.data(), memory.size());
}

void locked_ranges::unlock(std::byte* first) {
  const std::scoped_lock guard(mutex_);
  const auto range = ranges_.find(first);
  const auto next = std::next(range);
  // A page in which a neighbour ends or begins stays locked; the whole pages between are
  // unlocked.
  auto begin = page_of(first);
  auto end = page_of(first + range->second - 1) + page_;
  if (range != ranges_.begin()) {
    const auto& [neighbour, bytes] = *std::prev(range);
    begin = std::max(begin, page_of(neighbour + bytes - 1) + page_);
  }
  if (next != ranges_.end()) end = std::min(end, page_of(next->first));
  ranges_.erase(range);
  if (begin < end) munlock(begin, static_cast<std::size_t>(end - begin));
}

std::byte* locked_ranges::page_of(std::byte* address) const {
  return address - reinterpret_cast<std::uintptr_t>(address) % page_;
}

}  // namespace transfers::detail
