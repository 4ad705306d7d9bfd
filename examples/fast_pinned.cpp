// Much page-locked memory in a seventh of the time that cudaHostAlloc takes (docs/CPU_ACCESS.md):
// several threads touch huge pages, which are then locked.
#include <algorithm>
#include <iostream>

#include "transfers/transfers.hpp"

int main() {
  const auto device = transfers::open_default_device();
  std::cout << "Running on " << device->description().name << '\n';
  const transfers::context gpu(*device);

  transfers::host_buffer<float> fast(*device, 1'000'000, transfers::registered_huge);
  std::ranges::fill(fast, 7.0F);
  if (!device->copies_directly(fast)) {
    std::cerr << "Wrong: the memory is not page-locked.\n";
    return 1;
  }
  if (!std::ranges::equal(transfers::to_gpu(gpu, fast).get(), fast)) {
    std::cerr << "Wrong: something else came back from the device.\n";
    return 1;
  }
  std::cout << fast.size() * sizeof(float) << " bytes of page-locked memory made the journey.\n";

  // A pool keeps blocks for programs that allocate repeatedly.
  transfers::pinned_pool pool(*device, gpu.stream(), transfers::registered_huge);
  for (int i = 0; i < 3; ++i) {
    const auto block = pool.allocate(std::size_t{1} << 20);
    std::cout << "a block of " << block.size() << " bytes; the pool holds " << pool.held_bytes()
              << '\n';
  }
}
