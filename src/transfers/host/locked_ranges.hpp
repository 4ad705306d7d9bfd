#pragma once

#include <unistd.h>

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <span>

namespace transfers::detail {

/// Locked memory ranges and their pages: mlock(2) does not count locks, and neighbours share pages.
class locked_ranges {
 public:
  /// Shared by all host devices, because the operating system's locks are those of the process.
  static std::shared_ptr<locked_ranges> of_this_process();

  /// Throws invalid_argument if a part of it is locked already; what lock_pages throws.
  void lock(std::span<std::byte> memory);
  void unlock(std::byte* first);

 private:
  [[nodiscard]] std::byte* page_of(std::byte* address) const;

  const std::size_t page_ = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::mutex mutex_;
  std::map<std::byte*, std::size_t> ranges_;
};

}  // namespace transfers::detail
