#pragma once

#include <cstddef>
#include <memory>

#include "transfers/core/device.hpp"

namespace transfers {

/// Blocks of device memory kept for the next one who asks: cudaMalloc and cudaFree take
/// microseconds to milliseconds, and cudaFree waits for the device. Thrust's pool underneath.
/// Blocks go back while the stream they are for may still be working on them, because its next work
/// comes later: use one pool per stream. Thread-safe. A block may outlive its pool.
class device_pool {
 public:
  /// The device must outlive the pool and its blocks.
  explicit device_pool(device& from);

  /// Throws out_of_memory, device_error; std::invalid_argument for zero bytes.
  [[nodiscard]] device_memory allocate(std::size_t bytes);

  /// What the pool has taken from the device and not given back, in use or not, in bytes.
  [[nodiscard]] std::size_t held_bytes() const;

  /// Gives everything back to the device if no block is in use; tells whether it did. When memory
  /// runs out, allocate() gives back idle blocks of more than 64 KiB by itself, and tries again.
  bool release();

 private:
  class state;
  std::shared_ptr<state> state_;
};

/// The same for page-locked host memory, where it saves even more. A block that goes back is handed
/// out again when the stream has done the work that was enqueued by then, so that asynchronous
/// copies can be forgotten about; when more than most_pending_bytes wait for that, allocate() waits
/// with them.
class pinned_pool {
 public:
  static constexpr std::size_t most_pending_bytes = std::size_t{512} << 20;

  /// Device and stream must outlive the pool and its blocks.
  pinned_pool(device& from, stream& with, host_memory_kind kind = pinned());

  /// Throws what device::allocate_host throws. The block's content is undefined.
  [[nodiscard]] host_memory allocate(std::size_t bytes);

  [[nodiscard]] std::size_t held_bytes() const;
  /// Waits for blocks that the stream still uses; then as above.
  bool release();

 private:
  class state;
  std::shared_ptr<state> state_;
};

}  // namespace transfers
