#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "transfers/core/device.hpp"
#include "transfers/core/pool.hpp"

namespace transfers {

namespace detail {
class polite_kernels;
}

/// A block of host memory; empty blocks are skipped.
struct scattered_block {
  std::byte* host = nullptr;  ///< address on the host
  std::size_t bytes = 0;      ///< length

  scattered_block() = default;
  /// The memory must outlive the block.
  scattered_block(std::byte* address, std::size_t size) : host(address), bytes(size) {}
  /// The elements of a contiguous range, which must outlive the block.
  template <host_elements R>
  explicit scattered_block(R&& range)
      // Without its constness, so that the assertion below is the only message.
      : host(const_cast<std::byte*>(reinterpret_cast<const std::byte*>(std::ranges::data(range)))),
        bytes(std::ranges::size(range) * sizeof(*std::ranges::data(range))) {
    static_assert(!std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<R>>>,
                  "a block may be a destination: it must not be const");
    static_assert(detail::outlives_expression<R>,
                  "a block refers to its elements: they must not be a temporary");
  }
};

/// The method by which many small blocks are copied.
enum class scattered_route {
  loop,       ///< a cudaMemcpyAsync for each
  batch,      ///< one cudaMemcpyBatchAsync
  kernel,     ///< a kernel that reads or writes page-locked host memory in place
  automatic,  ///< the kernel for page-locked memory, cudaMemcpyAsync for all other memory
  /// The same by a kernel on one multiprocessor that slows other kernels less
  /// (docs/fast_paths/company.md), where yield_to::both has bulk copies; elsewhere as automatic.
  sparing,
};

/// Copies scattered blocks of host memory to or from one contiguous range of device memory, in
/// which they follow one another in the order of the list. See docs/fast_paths/scattered.md.
///
/// The kernel needs the device address of each block. Asking the driver for it takes about as long
/// as copying the block. Therefore pass page-locked memory that will contain blocks to add() first;
/// for other blocks the driver is asked one by one.
///
/// The driver answers for single addresses, and only the first and last byte of a block, or of a
/// range given to add(), are checked. The caller guarantees that every page in between is
/// page-locked: at a gap between two locked ranges the kernel may fail (cudaErrorIllegalAddress),
/// and the device is then lost.
///
/// Only one thread at a time may use it. The stream must outlive it.
class scattered_copy {
 public:
  /// Throws out_of_memory, device_error; invalid_argument for a stream of another device.
  scattered_copy(device& device, stream& stream);

  /// Adds page-locked memory that will contain blocks. It must stay page-locked as long as it
  /// is used here. Throws invalid_argument if the device does not see both ends of the memory,
  /// or if it overlaps memory added before; device_error.
  void add(std::span<std::byte> memory);
  template <host_elements R>
  requires(!std::same_as<std::remove_cvref_t<R>, std::span<std::byte>>) void add(R&& range) {
    static_assert(detail::outlives_expression<R>,
                  "the memory must outlive its use here: it must not be a temporary");
    add(std::as_writable_bytes(std::span(range)));
  }

  /// Enqueues the copies, in any order; no two may write the same bytes. The list may be destroyed
  /// after the return, the memory when the stream has finished.
  /// Throws length_error if the blocks together are longer than `on_device`,
  /// invalid_argument for a non-empty block at null, unsupported if the method is `kernel` and
  /// the device does not see both ends of a block, out_of_memory, device_error. The copies of
  /// earlier blocks may then have been enqueued.
  void enqueue(std::span<const scattered_block> blocks, device_view<std::byte> on_device,
               direction direction, scattered_route method = scattered_route::automatic);
  /// The same for an array or a buffer, which otherwise becomes a view. Throws invalid_argument for
  /// one of another device.
  template <device_elements D>
  requires(
      !detail::is_device_view<D> &&
      std::same_as<decltype(std::declval<D&>().view()),
                   device_view<std::byte>>) void enqueue(std::span<const scattered_block> blocks,
                                                         D& on_device, direction direction,
                                                         scattered_route method =
                                                             scattered_route::automatic) {
    detail::check_owner(on_device, device_->identity());
    enqueue(blocks, on_device.view(), direction, method);
  }

 private:
  class table;
  struct mapped_memory {
    std::byte* host;
    std::size_t bytes;
    std::byte* on_device;
  };

  [[nodiscard]] std::byte* find_on_device(const scattered_block& block);
  void enqueue_loop(std::span<const scattered_block> blocks, device_view<std::byte> on_device,
                    direction direction);
  void enqueue_batch(std::span<const scattered_block> blocks, device_view<std::byte> on_device,
                     direction direction);
  void enqueue_kernel(std::span<const scattered_block> blocks, device_view<std::byte> on_device,
                      direction direction, bool others_too,
                      const detail::polite_kernels* sparing = nullptr);
  void enqueue_copy(std::byte* host, std::byte* device_block, std::size_t bytes,
                    direction direction);

  std::shared_ptr<device> device_;
  stream* stream_;
  pinned_pool tables_;
  std::vector<mapped_memory> known_;  ///< in ascending order
  std::size_t last_found_ = 0;  ///< index in known_: consecutive blocks are often in the same range
  std::vector<std::byte*> destinations_;
  std::vector<const std::byte*> sources_;
  std::vector<std::size_t> sizes_;
  std::shared_ptr<const detail::polite_kernels> sparing_;  ///< of CUDA devices
};

}  // namespace transfers
