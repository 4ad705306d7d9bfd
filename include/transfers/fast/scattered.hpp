#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "transfers/core/device.hpp"
#include "transfers/core/pool.hpp"

namespace transfers {

/// A block of host memory. Of no bytes: it is left out.
struct scattered_block {
  std::byte* host = nullptr;
  std::size_t bytes = 0;
};

/// How many small blocks are copied.
enum class scattered_way {
  loop,       ///< a cudaMemcpyAsync for each
  batch,      ///< one cudaMemcpyBatchAsync
  kernel,     ///< a kernel that reads or writes page-locked host memory in place
  automatic,  ///< by the kernel what is page-locked, by cudaMemcpyAsync all else
};

/// Copies blocks of host memory, wherever they lie, to or from one stretch of device memory, where
/// they lie one behind the other in the list's order. See docs/fast_paths/scattered.md.
///
/// The kernel needs each block's address as the device sees it. Asking the driver for one block
/// takes about as long as copying it, so tell beforehand with add() in which page-locked memory
/// blocks will lie; others are asked for one by one.
///
/// The driver tells of single addresses, and only of both ends of a block, or of what is added, is
/// it asked. That no page between them is without a lock, as where two locks leave a hole, is up to
/// the caller: the kernel may fail there (cudaErrorIllegalAddress), and the device is lost then.
///
/// One thread at a time may use it. Device and stream must outlive it.
class scattered_copy {
 public:
  /// Throws out_of_memory, device_error.
  scattered_copy(device& device, stream& stream);

  /// Page-locked memory that blocks will lie in, which must stay so as long as it is used here.
  /// Throws std::invalid_argument for memory of which the device does not see both ends, and for
  /// memory that overlaps what has been added before; device_error.
  void add(std::span<std::byte> memory);

  /// Enqueues the copies, in any order; no two may write the same bytes. The list may go when it
  /// returns, the memory when the stream is done.
  /// Throws std::length_error when the blocks together are longer than `on_device`,
  /// std::invalid_argument for a block of some bytes at null, unsupported for `kernel` and a block
  /// of which the device does not see both ends, out_of_memory, device_error. Blocks before the one
  /// that is refused may have been enqueued by then.
  void enqueue(std::span<const scattered_block> blocks, std::span<std::byte> on_device,
               direction direction, scattered_way method = scattered_way::automatic);

 private:
  class table;
  struct mapped_memory {
    std::byte* host;
    std::size_t bytes;
    std::byte* on_device;
  };

  [[nodiscard]] std::byte* ask_for_address(const scattered_block& block) const;
  [[nodiscard]] std::byte* find_on_device(const scattered_block& block);
  void enqueue_loop(std::span<const scattered_block> blocks, std::span<std::byte> on_device,
                    direction direction);
  void enqueue_batch(std::span<const scattered_block> blocks, std::span<std::byte> on_device,
                     direction direction);
  void enqueue_kernel(std::span<const scattered_block> blocks, std::span<std::byte> on_device,
                      direction direction, bool others_too);
  void enqueue_copy(std::byte* host, std::byte* device_block, std::size_t bytes,
                    direction direction);

  device* device_;
  stream* stream_;
  pinned_pool tables_;
  std::vector<mapped_memory> known_;  ///< in ascending order
  std::size_t last_found_ = 0;        ///< in known_: neighbours in the list are often neighbours
  std::vector<std::byte*> destinations_;
  std::vector<const std::byte*> sources_;
  std::vector<std::size_t> sizes_;
};

}  // namespace transfers
