// A pool keeps freed memory for the next allocation, because the driver takes long to allocate it.
// PyCUDA: pool = DeviceMemoryPool(); gpuarray.empty(..., allocator=pool.allocate)
//         pool = PageLockedMemoryPool(); pool.allocate(shape, dtype)
#include <algorithm>
#include <iostream>
#include <span>

#include "transfers/transfers.hpp"

int main() {
  const auto device = transfers::open_default_device();
  std::cout << "Running on " << device->description().name << '\n';

  // Arrays use a pool by default; context(*device, allocation::plain) uses none. Several contexts
  // can share a pool.
  transfers::device_pool blocks(*device);
  const transfers::context gpu(*device, blocks);

  // Used directly: a block goes back to the pool when its owner is destroyed, in the stream's
  // order.
  const std::byte* first = blocks.allocate(1 << 20, gpu.stream()).data();
  const auto held = blocks.held_bytes();
  const auto again = blocks.allocate(1 << 20, gpu.stream());
  if (again.data() != first || blocks.held_bytes() != held) {
    std::cerr << "Wrong: the pool went to the device for memory that it had.\n";
    return 1;
  }
  std::cout << "The second block was the first one again; the pool holds " << held << " bytes.\n";

  // Page-locked memory: a block may be freed while its copy is still under way. The pool hands it
  // out again only when the stream has finished the copy, so the program need not wait.
  constexpr std::size_t piece = 1024;
  constexpr std::size_t pieces = 8;
  transfers::pinned_pool staging(*device, gpu.stream());
  transfers::gpu_array<int> target(gpu, {pieces, piece});
  for (std::size_t i = 0; i < pieces; ++i) {
    transfers::host_array<int> block(staging, {piece});
    std::ranges::fill(block, static_cast<int>(i));
    gpu.stream().copy(target.view().subview(i * piece, piece), block);
  }

  const auto arrived = target.get();
  for (std::size_t i = 0; i < arrived.size(); ++i)
    if (arrived[i] != static_cast<int>(i / piece)) {
      std::cerr << "Wrong: a block was overwritten before its copy was done.\n";
      return 1;
    }
  std::cout << pieces << " pieces were sent through the page-locked pool.\n";

  // Memory that is not in use can be given back.
  if (!staging.release() || staging.held_bytes() != 0) {
    std::cerr << "Wrong: the page-locked pool kept its memory.\n";
    return 1;
  }
}
