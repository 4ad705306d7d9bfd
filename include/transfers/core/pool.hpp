#pragma once

#include <cstddef>
#include <memory>

#include "transfers/core/device.hpp"

namespace transfers {

/// Reuses blocks of device memory: cudaMalloc and cudaFree take microseconds to milliseconds, and
/// cudaFree waits for the device. Built on Thrust's pool. A freed block is reused at once, although
/// the stream may still work on it, because the stream's next work runs later: use one pool per
/// stream. Thread-safe. A block may outlive its pool.
class device_pool {
 public:
  /// The device must outlive the pool and its blocks.
  explicit device_pool(device& device);

  /// Throws out_of_memory, device_error; invalid_argument for zero bytes.
  [[nodiscard]] device_memory allocate(std::size_t bytes);

  /// Returns how many bytes the pool holds of the device's memory, in use or not.
  [[nodiscard]] std::size_t held_bytes() const;

  /// Frees all memory of the pool if no block is in use, and returns whether it did. When memory
  /// runs out, allocate() frees idle blocks of more than 64 KiB and tries again.
  bool release();

 private:
  class state;
  std::shared_ptr<state> state_;
};

/// Reuses blocks of page-locked host memory, which takes even longer to allocate. A freed block is
/// reused once the stream has finished the work enqueued before, so that asynchronous copies need
/// no wait; when more than most_pending_bytes are not finished, allocate() waits. Thread-safe. A
/// block may outlive its pool.
class pinned_pool {
 public:
  static constexpr std::size_t most_pending_bytes = std::size_t{512} << 20;

  /// Device and stream must outlive the pool and its blocks.
  pinned_pool(device& device, stream& stream, host_memory_kind kind = pinned());

  /// Throws what device::allocate_host throws. The block's content is undefined.
  [[nodiscard]] host_memory allocate(std::size_t bytes);

  [[nodiscard]] std::size_t held_bytes() const;
  /// Waits until the stream has finished with all freed blocks; then as above.
  bool release();

 private:
  class state;
  std::shared_ptr<state> state_;
};

}  // namespace transfers
