#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

#include "transfers/core/stream.hpp"

namespace transfers::detail {

/// See stream::copy_by_kernel.
void launch_copy(std::byte* destination, const std::byte* source, std::size_t bytes,
                 int multiprocessors, unsigned most_blocks, cudaStream_t stream);

/// See stream::copy_pieces. At least one piece. `multiprocessors` and
/// stream::most_blocks_for_pieces bound the grid.
void launch_pieces(const scattered_piece* table, std::size_t pieces, std::byte* on_device,
                   direction direction, int multiprocessors, cudaStream_t stream);

/// Addresses of kernels for functions of the runtime.
using kernel_addresses = std::vector<const void*>;
template <class... Kernels>
kernel_addresses addresses_of(Kernels*... kernels) {
  return {reinterpret_cast<const void*>(kernels)...};
}

///@{
/// The kernels of a source.
kernel_addresses copy_kernels();
kernel_addresses pieces_kernels();
kernel_addresses polite_copy_kernels();
kernel_addresses mailbox_kernels();
///@}
/// Those of all sources but arithmetic's, of which there are hundreds.
kernel_addresses transfer_kernels();

/// Loads them into the current context. CUDA would load each when it is first launched, which may
/// wait for other work and makes launches of other threads wait (CUDA Programming Guide, "Lazy
/// Loading").
void load_transfer_kernels();

}  // namespace transfers::detail
