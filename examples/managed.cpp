// Managed memory has one address for CPU and GPU, and its pages migrate. Prefetching all of them
// before they are needed saves the page faults that otherwise fetch each page when it is touched
// (docs/fast_paths/managed.md).
#include <algorithm>
#include <iostream>
#include <numeric>
#include <vector>

#include "transfers/transfers.hpp"

int main() {
  const auto device = transfers::open_default_device();
  std::cout << "Running on " << device->description().name << '\n';
  if (const auto reason = transfers::why_no_managed_memory(*device)) {
    std::cout << "Skipped: " << *reason << '\n';
    return 77;
  }
  const transfers::context gpu(*device);

  constexpr std::size_t elements = 1'000'000;
  const transfers::managed_memory memory(*device, elements * sizeof(float));
  const auto numbers = memory.elements<float>();
  std::iota(numbers.begin(), numbers.end(), 0.0F);

  memory.prefetch(gpu.stream(), transfers::residence::device);
  // Here a kernel would work on `numbers`; this one copies them, which is easy to check.
  transfers::device_buffer<float> copy(gpu, elements);
  gpu.stream().copy_by_kernel(copy, memory.view<float>());
  memory.prefetch(gpu.stream(), transfers::residence::host);
  gpu.synchronize();

  std::vector<float> arrived(elements);
  copy.copy_to(arrived);
  if (!std::ranges::equal(numbers, arrived) || arrived.back() != elements - 1) {
    std::cerr << "Wrong: the kernel has read something else.\n";
    return 1;
  }
  std::cout << elements << " numbers went to the device and back at the same address.\n";
}
