#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>

#include "transfers/core/device.hpp"

namespace transfers {

namespace detail {

/// The implementation of a device_pool: one class for each kind of device. Thread-safe.
class pool_body {
 public:
  virtual ~pool_body() = default;
  /// `bytes` is not 0.
  [[nodiscard]] virtual std::byte* allocate(std::size_t bytes, stream& stream) = 0;
  virtual void deallocate(std::byte* block, std::size_t bytes, stream& stream) noexcept = 0;
  [[nodiscard]] virtual std::size_t held_bytes() const = 0;
  virtual bool release() = 0;
  [[nodiscard]] virtual device_identity identity() const noexcept { return {}; }
};

/// Divides blocks of device::allocate, for each stream apart.
std::shared_ptr<pool_body> make_suballocator(device& device);

}  // namespace detail

/// Reuses blocks of device memory in the order of streams: cudaMalloc and cudaFree take
/// microseconds to milliseconds, and cudaFree waits for the device. Streams and contexts may share
/// a pool; a block that one stream has freed is used by another only when the first has finished
/// with it. On CUDA devices it is a cudaMemPool that keeps its memory (CUDA C++ Programming Guide,
/// "Stream Ordered Memory Allocator"); on other devices each stream has a pool of Thrust. Copies
/// refer to the same pool. Thread-safe. A block may outlive its pool.
class device_pool {
 public:
  /// Throws device_error.
  explicit device_pool(device& device);

  /// Returns a block for work that is enqueued on `stream` from now on. Its destructor frees it in
  /// the order of the stream, which must still exist then: work enqueued before may use it. Other
  /// streams must wait for the stream before they use the block, and the stream for them before it
  /// is freed. Throws out_of_memory, device_error; invalid_argument for zero bytes and for a stream
  /// of another device.
  [[nodiscard]] device_memory allocate(std::size_t bytes, stream& stream);

  /// Returns how many bytes the pool holds of the device's memory, in use or not. Throws
  /// device_error.
  [[nodiscard]] std::size_t held_bytes() const;

  /// Gives memory back that no block uses, and returns whether the pool holds none now. A block
  /// that has been freed is in use until its stream has done the work before. Throws device_error.
  bool release();

 private:
  friend class context;
  /// The pool that the contexts of a device share.
  static device_pool shared_by_contexts(device& device) {
    return device_pool(device.shared_pool());
  }
  explicit device_pool(std::shared_ptr<detail::pool_body> body) : body_(std::move(body)) {}
  /// The block keeps `owner`, which keeps the stream.
  [[nodiscard]] device_memory allocate(std::size_t bytes, stream& stream,
                                       std::shared_ptr<const void> owner) const;

  std::shared_ptr<detail::pool_body> body_;
};

/// Reuses blocks of page-locked host memory, which takes even longer to allocate. A freed block is
/// reused once the stream has finished the work enqueued before, so that asynchronous copies need
/// no wait; when more than most_pending_bytes are not finished, allocate() waits. Thread-safe. A
/// block may outlive its pool.
class pinned_pool {
 public:
  /// Freed bytes that the stream may still use, before allocate() waits for them.
  static constexpr std::size_t most_pending_bytes = std::size_t{512} << 20;

  /// The stream must outlive the pool and its blocks. Throws invalid_argument if it is one of
  /// another device.
  pinned_pool(device& device, stream& stream, host_memory_kind kind = pinned());

  /// Returns a block, aligned to 256 bytes, whose content is undefined. Throws what
  /// device::allocate_host throws.
  [[nodiscard]] host_memory allocate(std::size_t bytes);
  /// Refused, with the way to an array.
  template <class T>
  [[nodiscard]] host_memory allocate(std::initializer_list<std::size_t> /*extents*/) {
    static_assert(std::is_void_v<T>,
                  "a pool gives bytes: host_array<T>(pool, shape) is an array in its memory");
    return {};
  }

  /// Returns how many bytes of page-locked memory the pool holds, in use or not.
  [[nodiscard]] std::size_t held_bytes() const;
  /// Waits until the stream has finished with all freed blocks, and frees its memory if no block is
  /// in use; otherwise it frees nothing and returns false. Throws device_error.
  bool release();

 private:
  class state;
  std::shared_ptr<state> state_;
};

}  // namespace transfers
