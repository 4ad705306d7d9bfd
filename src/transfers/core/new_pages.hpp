#pragma once

#include <atomic>
#include <cstddef>

namespace transfers::detail {

/// Creates the pages of new memory before threads write to it. The kernel clears a page when it is
/// first written to, which takes longer than the copy into it, and threads that write to the same
/// huge page wait for each other. Here each thread creates huge pages of its own instead.
class new_pages {
 public:
  /// Bytes that a thread creates at a time: a transparent huge page on x86-64, and on AArch64 with
  /// 4 KiB base pages.
  static constexpr std::size_t block_bytes = std::size_t{2} << 20;

  /// Looks at a few pages (mincore(2)). If they exist, or the memory is small, or the kernel does
  /// not help, there is nothing to do. `ahead` is how far the work goes ahead of the threads, in
  /// bytes.
  new_pages(std::byte* memory, std::size_t bytes, std::size_t ahead) noexcept;

  /// Whether the kernel has MADV_POPULATE_WRITE (madvise(2), Linux 5.14).
  [[nodiscard]] static bool can_be_created_ahead() noexcept;

  /// Creates the pages from this offset on, up to `ahead` bytes, unless a thread has or does.
  /// Several threads may call it at a time. Contents do not change.
  void create_ahead_of(std::size_t offset) noexcept;

 private:
  [[nodiscard]] bool create(std::size_t block) const noexcept;

  std::byte* memory_;
  std::size_t bytes_;
  std::size_t ahead_;
  std::size_t blocks_ = 0;  ///< 0: nothing to do
  std::atomic<std::size_t> next_ = 0;
};

}  // namespace transfers::detail
